/// \file
/// A model of which only some parts are compiled, and its time as Amdahl's law predicts it.
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

/// Returns memory for a result, already written to once so that its pages exist before it is timed.
inline Buffer result_of(const Graph& graph) {
  Buffer buffer(graph.result_shape().numbers() * sizeof(float), Pages::huge);
  std::ranges::fill(buffer.as<float>(), 0.0f);
  return buffer;
}

/// Returns the wall-clock seconds of a call.
inline double seconds_of(const std::function<void()>& call) {
  const std::int64_t start = now_ns();
  call();
  return static_cast<double>(now_ns() - start) * 1e-9;
}

/// A model whose parts can be compiled one by one.
class PartialModel {
 public:
  /// Compiles every part, and records how long that took.
  explicit PartialModel(const std::vector<ModelPart>& parts) {
    const ScratchFolder cold;
    for (const auto& [name, graph] : parts) {
      std::optional<Compiled> compiled;
      const double seconds =
          seconds_of([&, &graph = graph] { compiled.emplace(graph, CompileOptions{.folder = cold.path()}); });
      GraphInputs inputs(graph, 10 * parts_.size());
      if (!parts_.empty()) inputs.set(0, result());
      parts_.push_back({name, Eager(graph), std::move(inputs), result_of(graph), std::move(*compiled), seconds});
    }
  }

  std::size_t parts() const { return parts_.size(); }
  const std::string& name(std::size_t part) const { return parts_[part].name; }
  double compile_seconds(std::size_t part) const { return parts_[part].compile_seconds; }

  /// Why a part is not compiled; empty if all are.
  std::string remark() const {
    const auto runs_eagerly = [](const Part& part) { return !part.compiled.is_compiled(); };
    const auto first = std::ranges::find_if(parts_, runs_eagerly);
    return first == parts_.end() ? "" : first->compiled.remark();
  }

  /// Runs all parts, those marked in `compiled` compiled and the others eagerly. \return seconds of each
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

  /// The result of the last part.
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

/// Times of a model whose parts are compiled one after the other, first the one that saves most per second of
/// compiling.
struct PartialTimes {
  std::vector<std::size_t> order;
  std::vector<Estimate> eager, compiled;  ///< seconds of each part, in model order, with none or all compiled
  std::vector<Estimate> passes;           ///< seconds of the model with none, one, two… compiled

  /// Returns Amdahl's prediction from the parts' times: seconds of the model with `compiled_parts` compiled.
  double predicted(std::size_t compiled_parts) const {
    double all = 0, saved = 0;
    for (const Estimate& part : eager) all += part.median;
    for (std::size_t i = 0; i < compiled_parts; ++i) saved += eager[order[i]].median - compiled[order[i]].median;
    return passes.front().median * (1 - saved / all);
  }
};

}  // namespace hf::compilers
