#include "07-compilers/kernels/models/partial_model.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/clock.hpp"
#include "harness/scratch_folder.hpp"

namespace hf::compilers {

Buffer result_of(const Graph& graph) {
  Buffer buffer(graph.result_shape().numbers() * sizeof(float), Pages::huge);
  std::ranges::fill(buffer.as<float>(), 0.0f);
  return buffer;
}

double seconds_of(const std::function<void()>& call) {
  const std::int64_t start = now_ns();
  call();
  return static_cast<double>(now_ns() - start) * 1e-9;
}

PartialModel::PartialModel(const std::vector<ModelPart>& parts) {
  const ScratchFolder cold;
  for (const auto& [name, graph] : parts) {
    std::optional<Compiled> compiled;
    const double seconds = seconds_of([&] { compiled.emplace(graph, CompileOptions{.cache = cold.path()}); });
    GraphInputs inputs(graph, 10 * parts_.size());
    if (!parts_.empty()) inputs.set(0, result());
    parts_.push_back({name, Eager(graph), std::move(inputs), result_of(graph), std::move(*compiled), seconds});
  }
}

std::string PartialModel::remark() const {
  const auto runs_eagerly = [](const Part& part) { return !part.compiled.is_compiled(); };
  const auto first = std::ranges::find_if(parts_, runs_eagerly);
  return first == parts_.end() ? "" : first->compiled.remark();
}

std::vector<double> PartialModel::run(const std::vector<bool>& compiled) {
  std::vector<double> seconds;
  for (Part& part : parts_) {
    float* const to = part.result.as<float>().data();
    const std::vector<const float*>& inputs = part.inputs.pointers();
    const bool as_compiled = compiled[seconds.size()];
    seconds.push_back(seconds_of([&] { as_compiled ? part.compiled.run(inputs, to) : part.eager.run(inputs, to); }));
  }
  return seconds;
}

double PartialTimes::predicted(std::size_t compiled_parts) const {
  double all = 0, saved = 0;
  for (const Estimate& part : eager) all += part.median;
  for (std::size_t i = 0; i < compiled_parts; ++i) saved += eager[order[i]].median - compiled[order[i]].median;
  return passes.front().median * (1 - saved / all);
}

}  // namespace hf::compilers
