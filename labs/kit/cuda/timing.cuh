/// \file
/// Times a CUDA device: streams, events, and variants for sample_interleaved().
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "harness/measure/sampling.hpp"
#include "kit/cuda/device.cuh"
#include "kit/cuda/state_log.hpp"

namespace hf::cuda {

/// A queue of work for the device, independent of all others.
class Stream {
 public:
  Stream() { HF_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void wait() { HF_CUDA(cudaStreamSynchronize(stream_)); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A point in the device's work, between what was launched before and after.
class Event {
 public:
  Event() { HF_CUDA(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record() { HF_CUDA(cudaEventRecord(event_)); }
  void wait() { HF_CUDA(cudaEventSynchronize(event_)); }
  double seconds_since(const Event& start) {
    HF_CUDA(cudaEventSynchronize(event_));
    float milliseconds = 0;
    HF_CUDA(cudaEventElapsedTime(&milliseconds, start.event_, event_));
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// A variant that launches \p code `calls` times in a row and returns the seconds that the device took. Notes the
/// device's state meanwhile.
template <class Code>
Variant timed_on_device(std::string id, Code code) {
  return {id, [id, code = std::move(code)](std::int64_t calls) mutable {
            Event start, end;
            start.record();
            for (std::int64_t call = 0; call < calls; ++call) code();
            HF_CUDA(cudaGetLastError());
            end.record();
            note_run(id, calls);
            return end.seconds_since(start);
          }};
}

}  // namespace hf::cuda
