/// \file
/// Many tensors in one piece of memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/measure/memory.hpp"

namespace hf::workload {

struct Tensor {
  std::string name;
  std::size_t offset = 0, size = 0;  ///< in floats
};

/// First collects the sizes of all tensors, then allocates them one after the other, in huge pages if there are any.
class Tensors {
 public:
  /// \return the number to pass to at()
  std::size_t add(std::string name, std::size_t size) {
    tensors_.push_back({std::move(name), floats_, size});
    floats_ += size;
    return tensors_.size() - 1;
  }

  /// Allocates the memory and touches it, so that no pass has to wait for page faults. \throws OutOfMemory
  void allocate() {
    memory_ = Buffer((floats_ + 1) * sizeof(float), Pages::huge);
    for (std::size_t i = 0; i < floats_; i += 1024) all()[i] = 0;
  }

  float* at(std::size_t tensor) const { return memory_.as<float>().data() + tensors_[tensor].offset; }
  std::span<float> span(std::size_t tensor) const { return {at(tensor), tensors_[tensor].size}; }
  std::span<float> all() const { return memory_.as<float>().first(floats_); }
  const std::vector<Tensor>& list() const { return tensors_; }

 private:
  std::vector<Tensor> tensors_;
  std::size_t floats_ = 0;
  Buffer memory_;
};

}  // namespace hf::workload
