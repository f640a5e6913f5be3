/// \file
/// What a CUDA device draws while it works.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "common/cuda/power.hpp"
#include "common/cuda/timing.cuh"
#include "harness/clock.hpp"

namespace hf::cuda {

/// Average power while \p run is called without a pause, W. The counter steps now and then: time is taken from step to
/// step, and between two readings the device always has a batch of calls to work on.
/// \param call_seconds  that one call takes, about
/// \param seconds  to average over, at least
inline double average_watts(const PowerMeter& meter, const std::function<void()>& run, double call_seconds,
                            double seconds) {
  const int batch = std::max(1, static_cast<int>(5e-3 / call_seconds));
  Event done[2];
  int turn = 0;
  const auto keep_busy = [&] {
    for (int call = 0; call < batch; ++call) run();
    HF_CUDA(cudaGetLastError());
    done[turn].record();
    turn = 1 - turn;
    done[turn].wait();  // of the batch before; an event never recorded is done
  };
  const auto next_step = [&](double not_before) {
    const std::int64_t start = now_ns();
    const auto elapsed = [&] { return static_cast<double>(now_ns() - start) * 1e-9; };
    while (elapsed() < not_before) keep_busy();
    const double before = meter.joules().value_or(0);
    double now = before;
    while (now == before && elapsed() < not_before + 5) {
      keep_busy();
      now = meter.joules().value_or(0);
    }
    return std::pair(static_cast<double>(now_ns()) * 1e-9, now);
  };
  const auto [start, before] = next_step(seconds / 2);  // until power has settled
  const auto [end, after] = next_step(seconds);
  HF_CUDA(cudaDeviceSynchronize());
  return (after - before) / (end - start);
}

}  // namespace hf::cuda
