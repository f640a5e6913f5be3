// Counts, and the predictions from them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "01-roofline/bench/steps.hpp"
#include "01-roofline/kernels/arrays.hpp"
#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/predictions.hpp"
#include "01-roofline/kernels/workloads.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/statistics.hpp"
#include "kit/random.hpp"
#include "kit/work.hpp"

namespace hf::roofline {
namespace {

struct Data {
  Data() : buffer(std::size_t{12} << 20, Pages::base) { fill_random(buffer.as<float>(), 0); }
  std::vector<Workload> workloads(std::size_t n = 64) const {
    return roofline::workloads(*kernel_sets(probe_machine()).back(), buffer.as<float>(), buffer.as<float>(), n);
  }
  Buffer buffer;
};

TEST_CASE("intensities follow from the kernels' definitions") {
  const Data data;
  std::map<std::string, Work> work;
  for (const Workload& each : data.workloads()) work[each.label] = each.work;
  CHECK(work["vector add"].intensity() == doctest::Approx(1.0 / 12));
  CHECK(work["vector add"].traffic() == doctest::Approx(work["vector add"].flops * 16));
  CHECK(work["dot"].intensity() == doctest::Approx(2.0 / 8));
  CHECK(work["triad"].intensity() == doctest::Approx(2.0 / 12));
  CHECK(work["axpy"].intensity() == doctest::Approx(2.0 / 12));
  CHECK(work["axpy"].allocated_bytes == 0);
  CHECK(work["GEMV"].intensity() == doctest::Approx(0.5).epsilon(0.01));
  CHECK(work["5-point stencil"].intensity() == doctest::Approx(6.0 / 8).epsilon(0.02));
  CHECK(work["softmax"].intensity() == doctest::Approx(22.0 / 8));
  CHECK(work["layer norm"].intensity() == doctest::Approx(1.0).epsilon(0.01));
  CHECK(work["naive matmul"].intensity() == doctest::Approx(64.0 / 6));
  CHECK(work["naive matmul"].flops == work["blocked matmul"].flops);
}

TEST_CASE("vectors use the memory they are given") {
  const Data data;
  for (const Workload& each : data.workloads()) {
    CAPTURE(each.label);
    if (each.label.ends_with("matmul")) continue;
    const double visits = each.label == "axpy" ? 1.5 : 1;  // half of its memory is both read and written
    CHECK(each.work.bytes <= visits * static_cast<double>(data.buffer.size()));
    CHECK(each.work.bytes > 0.9 * visits * static_cast<double>(data.buffer.size()));
  }
}

TEST_CASE("every workload is right, however often and after whichever other it was called") {
  const Data data;
  const auto workloads = data.workloads();
  for (int round = 0; round < 3; ++round) {
    for (const Workload& each : workloads) {
      CAPTURE(each.label);
      each.call();
      CHECK(each.error_share() <= 1);
    }
  }
}

TEST_CASE("a wrong result is seen") {
  const Data data;
  for (const Workload& each : data.workloads()) {
    CAPTURE(each.label);
    if (each.label == "dot" || each.label == "axpy") continue;  // one keeps its result, one computes it in the check
    each.call();
    std::vector<float> right(data.buffer.as<float>().begin(), data.buffer.as<float>().end());
    for (float& x : data.buffer.as<float>()) x = x * x + 1;
    CHECK(each.error_share() > 1);
    std::copy(right.begin(), right.end(), data.buffer.as<float>().begin());
  }
}

TEST_CASE("too little memory is refused") {
  std::vector<float> memory(4095);
  const KernelSet& set = *kernel_sets(probe_machine()).back();
  CHECK_THROWS_AS(workloads(set, memory, memory, 1), std::invalid_argument);
  std::vector<float> enough(4096);
  CHECK_THROWS_AS(workloads(set, enough, enough, 40), std::invalid_argument);
  REQUIRE(matrices_bytes(30) <= enough.size() * sizeof(float));
  for (const Workload& each : workloads(set, enough, enough, 30)) {
    CAPTURE(each.label);
    each.call();
    CHECK(each.error_share() <= 1);
  }
}

TEST_CASE("arrays begin with a line, a gap apart, and those of even shares fit") {
  alignas(64) static float memory[4096];
  for (const std::size_t count : {1, 2, 3}) {
    const std::size_t floats = floats_each(4096, count);
    CHECK(floats % line_floats == 0);
    CHECK(floats * count > 0.75 * 4096);
    Arrays arrays(memory);
    const float* before = nullptr;
    for (std::size_t i = 0; i < count; ++i) {
      const float* array = arrays.next(floats);
      if (before != nullptr) CHECK(array - before == static_cast<std::ptrdiff_t>(floats + gap_floats));
      before = array;
    }
    CHECK(before + floats <= memory + 4096);
  }
  CHECK(floats_each(3 * gap_floats, 3) == 0);
  Arrays odd(memory);
  odd.next(5);
  CHECK(odd.next(1) == memory + line_floats + gap_floats);
  CHECK_THROWS_AS(odd.next(4096), std::invalid_argument);
}

TEST_CASE("predictions: time of a read at the read's bandwidth, of a copy at the copy's, of a triad between") {
  const Roofs roofs = {.peak_gflops = 100, .read_gbs = 16, .copy_gbs = 12};
  const auto kernel = [](double flops, double read, double written, double allocated) {
    return Workload{"x", {flops, read + written, allocated}, written, {}, {}};
  };
  const auto seconds = [&](const Workload& each) { return roofline_for(each, roofs).seconds(each.work); };
  CHECK(seconds(kernel(1, 16e9, 0, 0)) == doctest::Approx(1));
  CHECK(seconds(kernel(1, 6e9, 6e9, 6e9)) == doctest::Approx(1));
  const double triad = seconds(kernel(1, 8e9, 4e9, 4e9));
  CHECK(triad > 16.0 / 18);  // all of its traffic at the copy's speed
  CHECK(triad < 16.0 / 16);  // and at the read's
  CHECK(seconds(kernel(500e9, 1, 0, 0)) == doctest::Approx(5));
  const auto predictions = predict({kernel(500e9, 1, 0, 0), kernel(1, 16e9, 0, 0)}, roofs);
  CHECK(predictions[0].side == Side::compute);
  CHECK(predictions[0].gflops() == doctest::Approx(100));
  CHECK(predictions[1].side == Side::memory);
}

TEST_CASE("a kernel's share of its roof is that of each round: half as fast under half the roof is as much") {
  const Workload streaming = {"x", {1, 12e9, 4e9}, 4e9, {}, {}};  // 16 GB cross
  const Estimate memory_gbs = estimate({16, 8, 16});
  CHECK(share_of_roof(streaming, estimate({1, 2, 2}), 100, memory_gbs).samples == std::vector<double>{1, 1, 0.5});
  const Workload computing = {"x", {200e9, 12e9, 4e9}, 4e9, {}, {}};
  CHECK(share_of_roof(computing, estimate({2, 4, 4}), 100, memory_gbs).samples == std::vector<double>{1, 0.5, 0.5});
}

TEST_CASE("a prediction errs by a share of the measured time, and misses by a ratio either way up") {
  Outcome outcome = {{"x", {1, 16e9, 0}, 1.0, Side::memory},
                     {.seconds = estimate({1.6, 1.6, 1.6}), .gflops = {}, .gflops_in_cache = {}}};
  CHECK(outcome.error() == doctest::Approx(0.375));
  CHECK(outcome.missed() == doctest::Approx(1.6));
  outcome.predicted.seconds = 2.56;
  CHECK(outcome.missed() == doctest::Approx(1.6));
}

TEST_CASE("a kernel that nearer data makes faster was on the memory side") {
  Measurement measurement;
  measurement.gflops.median = 1;
  measurement.gflops_in_cache.median = 8;
  CHECK(measurement.side() == Side::memory);
  measurement.gflops_in_cache.median = 1.1;
  CHECK(measurement.side() == Side::compute);
}

TEST_CASE("a kernel far below both roofs waits for neither, whichever side was predicted") {
  Outcome outcome = {{"x", {100e9, 1, 0}, 1.0, Side::compute},
                     {.seconds = {}, .gflops = estimate({30}), .gflops_in_cache = estimate({40})}};
  CHECK_FALSE(outcome.waits_for_neither());
  CHECK(outcome.side_is_right());
  outcome.measured = {.seconds = {}, .gflops = estimate({24}), .gflops_in_cache = estimate({30})};
  CHECK(outcome.waits_for_neither());
  CHECK_FALSE(outcome.side_is_right());
}

TEST_CASE("working sets rise from 8 KiB to the largest") {
  for (std::size_t largest : {std::size_t{8} << 20, std::size_t{100} << 20, std::size_t{1920} << 20}) {
    for (bool quick : {true, false}) {
      const auto sizes = working_sets(largest, quick);
      CHECK(sizes.front() == 8192);
      CHECK(sizes.back() == largest);
      for (std::size_t i = 1; i < sizes.size(); ++i) {
        CHECK(sizes[i] > sizes[i - 1]);
        CHECK(sizes[i] <= 3 * sizes[i - 1]);
        CHECK(sizes[i] % 64 == 0);
      }
    }
  }
}

}  // namespace
}  // namespace hf::roofline
