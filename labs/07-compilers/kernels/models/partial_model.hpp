/// \file
/// A model of which only some parts are compiled, and what Amdahl's law says of its time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/models/graphs.hpp"  // IWYU pragma: export
#include "harness/measure/clock.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/scratch_folder.hpp"
#include "harness/measure/statistics.hpp"

namespace hf::compilers {

/// For a result, and written to once, so that no page of it is new when it is timed.
inline Buffer result_of(const Graph& graph) {
  Buffer buffer(graph.result_shape().numbers() * sizeof(float), Pages::huge);
  std::ranges::fill(buffer.as<float>(), 0.0f);
  return buffer;
}

/// Seconds that a call takes, by the clock.
inline double seconds_of(const std::function<void()>& call) {
  const std::int64_t start = now_ns();
  call();
  return static_cast<double>(now_ns() - start) * 1e-9;
}

/// A model whose parts are compiled, or not, one by one.
class PartialModel {
 public:
  /// Compiles every part, and keeps how long that took.
  explicit PartialModel(const std::vector<ModelPart>& parts) {
    const ScratchFolder cold;
    for (const auto& [name, graph] : parts) {
      std::optional<Compiled> compiled;
      const double seconds =
          seconds_of([&, &graph = graph] { compiled.emplace(graph, CompileOptions{.cache = cold.path()}); });
      GraphInputs inputs(graph, 10 * parts_.size());
      if (!parts_.empty()) inputs.set(0, result());
      parts_.push_back({name, Eager(graph), std::move(inputs), result_of(graph), std::move(*compiled), seconds});
    }
  }

  std::size_t parts() const { return parts_.size(); }
  const std::string& name(std::size_t part) const { return parts_[part].name; }
  double compile_seconds(std::size_t part) const { return parts_[part].compile_seconds; }

  /// Why something is not compiled; empty where all is.
  std::string remark() const {
    const auto runs_eagerly = [](const Part& part) { return !part.compiled.is_compiled(); };
    const auto first = std::ranges::find_if(parts_, runs_eagerly);
    return first == parts_.end() ? "" : first->compiled.remark();
  }

  /// All parts, of which those are compiled. \return seconds of each
  std::vector<double> run(const std::vector<bool>& compiled) {
    std::vector<double> seconds;
    for (Part& part : parts_) {
      float* const to = part.result.as<float>().data();
      const std::vector<const float*>& inputs = part.inputs.pointers();
      const bool as_compiled = compiled[seconds.size()];
      seconds.push_back(seconds_of([&] { as_compiled ? part.compiled.run(inputs, to) : part.eager.run(inputs, to); }));
    }
    return seconds;
  }

  /// Of the last part.
  const float* result() const { return parts_.back().result.as<float>().data(); }

 private:
  struct Part {
    std::string name;
    Eager eager;
    GraphInputs inputs;
    Buffer result;
    Compiled compiled;
    double compile_seconds;
  };
  std::vector<Part> parts_;
};

/// Parts, compiled one after the other: the one that gains most for a second of compiling first.
struct PartialTimes {
  std::vector<std::size_t> order;
  std::vector<Estimate> eager, compiled;  ///< seconds of each part, in the order of the model: nothing compiled, or all
  std::vector<Estimate> passes;           ///< seconds of the whole, with none, one, two… compiled

  /// What Amdahl's law makes of the parts' times: seconds of the whole with so many compiled.
  double predicted(std::size_t compiled_parts) const {
    double all = 0, saved = 0;
    for (const Estimate& part : eager) all += part.median;
    for (std::size_t i = 0; i < compiled_parts; ++i) saved += eager[order[i]].median - compiled[order[i]].median;
    return passes.front().median * (1 - saved / all);
  }
};

}  // namespace hf::compilers
