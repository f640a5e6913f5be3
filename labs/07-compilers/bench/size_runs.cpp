#include "07-compilers/bench/size_runs.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/stream_runs.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/fusion/fusion_graphs.hpp"
#include "common/pinned.hpp"
#include "common/random.hpp"
#include "harness/machine.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"

namespace hf::compilers {
namespace {

constexpr std::size_t row_bytes = 4096, columns = row_bytes / sizeof(float);

CompileOptions for_any_size(CompileOptions options) {
  options.any_rows = true;
  options.stores = Stores::ordinary;  // one kind throughout, so that sizes can be compared
  return options;
}

std::vector<std::size_t> sizes_up_to(std::size_t largest, std::size_t step) {
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = row_bytes; bytes <= largest; bytes *= step) sizes.push_back(bytes);
  return sizes;
}

std::string id(const char* what, std::size_t bytes) { return what + std::to_string(bytes); }

/// Bytes that two arrays take, or the four of three passes.
std::size_t fused_set(std::size_t bytes) { return 2 * bytes; }
std::size_t unfused_set(std::size_t bytes) { return 4 * bytes; }

}  // namespace

SizeRuns::SizeRuns(std::size_t largest_bytes, std::size_t step, CompileOptions options)
    : sizes_(sizes_up_to(largest_bytes, step)),
      compiled_(chain_graph({2, columns}), for_any_size(std::move(options))),
      one_(1),
      set_(roofline::kernel_sets(probe_machine()).back()),
      copied_(one_, unfused_set(sizes_.back())) {
  for (std::size_t i = 0; i < 2; ++i) {
    memory_.emplace_back(sizes_.back(), Pages::huge);
    fill_random(memory_.back().as<float>(), i);
  }
  for (const std::size_t bytes : sizes_) by_operators_.emplace_back(chain_graph({bytes / row_bytes, columns}));
}

std::vector<Variant> SizeRuns::variants() {
  std::vector<Variant> variants;
  std::set<std::size_t> working_sets;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const std::size_t bytes = sizes_[i];
    const auto operators = [this, i] {
      const float* x = array(0);
      by_operators_[i].run({&x, 1}, array(1));
    };
    const auto fused = [this, bytes] {
      const float* x = array(0);
      compiled_.run({&x, 1}, array(1), bytes / row_bytes);
    };
    variants.push_back(pinned(timed(id("by operators ", bytes), operators)));
    variants.push_back(pinned(timed(id("compiled ", bytes), fused)));
    working_sets.insert({fused_set(bytes), unfused_set(bytes)});
  }
  for (const std::size_t bytes : working_sets) {
    Variant copy = roofline::one_thread(*set_, roofline::Stream::copy, copied_, bytes);
    copy.id = id("copy ", bytes);
    variants.push_back(pinned(std::move(copy)));
  }
  return variants;
}

Estimate SizeRuns::gain(const Sampling& sampling, std::size_t bytes) const {
  return sampling.ratio(id("by operators ", bytes), id("compiled ", bytes));
}

double SizeRuns::copy_gbs(const Sampling& sampling, std::size_t working_set) const {
  const double bytes = roofline::pass_bytes(*set_, roofline::Stream::copy, working_set);
  return bytes / sampling.of(id("copy ", working_set)).median * 1e-9;
}

/// Each pass reads one array and writes one. The second and the third read what
/// has just been written, two arrays ago; the other four of six streams find
/// their lines where they were left a round ago, behind four arrays.
double SizeRuns::predicted_gain(const Sampling& sampling, std::size_t bytes) const {
  const double fused = 1 / copy_gbs(sampling, fused_set(bytes));
  const double unfused = 1 / copy_gbs(sampling, unfused_set(bytes));
  return 3 * (2.0 / 6 * fused + 4.0 / 6 * unfused) / fused;
}

}  // namespace hf::compilers
