/// \file
/// What a CUDA device draws while it works.
#pragma once

#include <algorithm>
#include <functional>

#include "common/cuda/power.hpp"
#include "common/cuda/timing.cuh"

namespace hf::cuda {

/// While \p run is called without a pause: the device always has a batch of calls to work on.
/// \param call_seconds  that one call takes, about
/// \param seconds  to average over, at least
inline Draw average_draw(const PowerMeter& meter, const std::function<void()>& run, double call_seconds,
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
  const Draw draw = draw_while(meter, keep_busy, seconds);
  HF_CUDA(cudaDeviceSynchronize());
  return draw;
}

}  // namespace hf::cuda
