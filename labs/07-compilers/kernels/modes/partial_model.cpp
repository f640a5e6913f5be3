#include "07-compilers/kernels/modes/partial_model.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/modes/mode_graphs.hpp"
#include "harness/clock.hpp"
#include "harness/memory.hpp"
#include "harness/scratch_folder.hpp"
#include "harness/statistics.hpp"

namespace hf::compilers {
namespace {

float* numbers(const Buffer& buffer) { return buffer.as<float>().data(); }

}  // namespace

Buffer result_of(const Graph& graph) {
  Buffer buffer(graph.result_shape().numbers() * sizeof(float), Pages::huge);
  std::fill(buffer.as<float>().begin(), buffer.as<float>().end(), 0.0f);
  return buffer;
}

double seconds_of(const std::function<void()>& call) {
  const std::int64_t start = now_ns();
  call();
  return static_cast<double>(now_ns() - start) * 1e-9;
}

PartialModel::PartialModel(std::vector<ModelPart> parts) : parts_(std::move(parts)) {
  const ScratchFolder cold;
  for (const ModelPart& part : parts_) {
    eagers_.emplace_back(part.graph);
    seconds_.push_back(seconds_of([&] { compiled_.emplace_back(part.graph, CompileOptions{.cache = cold.path()}); }));
    inputs_.emplace_back(part.graph, 10 * inputs_.size());
    if (!results_.empty()) inputs_.back().set(0, numbers(results_.back()));
    results_.push_back(result_of(part.graph));
  }
}

double PartialModel::compile_seconds(std::size_t part) const { return seconds_[part]; }

std::string PartialModel::remark() const {
  for (const Compiled& part : compiled_) {
    if (!part.is_compiled()) return part.remark();
  }
  return "";
}

void PartialModel::run(std::size_t part, bool compiled) {
  if (compiled) return compiled_[part].run(inputs_[part].pointers(), numbers(results_[part]));
  eagers_[part].run(inputs_[part].pointers(), numbers(results_[part]));
}

const float* PartialModel::run(const std::vector<bool>& compiled) {
  for (std::size_t part = 0; part < parts_.size(); ++part) run(part, compiled[part]);
  return numbers(results_.back());
}

std::vector<double> PartialModel::profile(const std::vector<bool>& compiled) {
  std::vector<double> seconds;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    seconds.push_back(seconds_of([&] { run(part, compiled[part]); }));
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
