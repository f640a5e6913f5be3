// Fusion's gain over arrays of every size.
#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/stream_runs.hpp"
#include "07-compilers/bench/fusion.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/fusion/fusion_graphs.hpp"
#include "common/pinned.hpp"
#include "common/random.hpp"
#include "harness/as_double.hpp"
#include "harness/lab.hpp"
#include "harness/machine.hpp"
#include "harness/memory.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/scratch_folder.hpp"
#include "harness/threads.hpp"

namespace hf::compilers {
namespace {

const Axis size_axis = {"bytes of one array", "B"}, gain_axis = {"speedup over operators one by one", "1"};

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

/// relu(x) · 0.5 + 1 over arrays of 4 KiB, `step` times as much, and so on up to `largest`.
class SizeRuns {
 public:
  /// \param options  with one program for all sizes
  /// \throws OutOfMemory
  SizeRuns(std::size_t largest_bytes, std::size_t step, CompileOptions options)
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

  /// Every size operator by operator, and compiled; and a copy over as much memory as either goes through.
  std::vector<Variant> variants() {
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

  std::span<const std::size_t> sizes() const { return sizes_; }  ///< bytes of one array

  /// How many times as fast the compiled loop was, in pairs.
  Estimate gain(const Sampling& sampling, std::size_t bytes) const {
    return sampling.ratio(id("by operators ", bytes), id("compiled ", bytes));
  }

  /// How many times as fast it should be: three copies through four arrays, against one through two.
  double predicted_gain(const Sampling& sampling, std::size_t bytes) const {
    return chain_gain_by_copies(copy_gbs(sampling, fused_set(bytes)), copy_gbs(sampling, unfused_set(bytes)));
  }

 private:
  float* array(std::size_t i) const { return memory_[i].as<float>().data(); }
  double copy_gbs(const Sampling& sampling, std::size_t working_set) const {
    const double bytes = roofline::pass_bytes(*set_, roofline::Stream::copy, working_set);
    return bytes / sampling.of(id("copy ", working_set)).median * 1e-9;
  }

  std::vector<std::size_t> sizes_;
  std::vector<Buffer> memory_;  ///< x, y
  std::vector<Eager> by_operators_;
  Compiled compiled_;
  Team one_;
  const roofline::KernelSet* set_;
  roofline::StreamMemory copied_;
};

}  // namespace

void measure_sizes(Lab& lab) {
  const ScratchFolder cache;
  constexpr std::size_t largest = std::size_t{1} << 25;
  SizeRuns runs(largest, lab.quick() ? 4 : 2, {.cache = cache.path()});
  Plan plan = lab.plan(fusion_parts);
  plan.minimum_rounds = 3;
  const Sampling sampling = sample_interleaved(runs.variants(), plan);
  Series gain = {"fusion_gain_by_size", "measured", Kind::measured, size_axis, gain_axis};
  Series predicted = {"fusion_gain_by_size_predicted", "predicted from copies", Kind::modelled, size_axis, gain_axis};
  for (const std::size_t bytes : runs.sizes()) {
    gain.points.emplace_back(as_double(bytes), runs.gain(sampling, bytes));
    predicted.points.emplace_back(as_double(bytes), runs.predicted_gain(sampling, bytes));
  }
  const auto by_gain = [](const Point& a, const Point& b) { return a.y.median < b.y.median; };
  lab.add(Value("fusion_gain_least_by_size", std::ranges::min_element(gain.points, by_gain)->y, "1"));
  lab.add(std::move(gain));
  lab.add(std::move(predicted));
}

}  // namespace hf::compilers
