/// \file
/// The positions of a kernel's arrays in its memory.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>

#include "kit/streams/stream_runs.hpp"

namespace hf::roofline {

constexpr std::size_t line_floats = 64 / sizeof(float), gap_floats = array_gap_bytes / sizeof(float);

constexpr std::size_t whole_lines(std::size_t floats) { return floats / line_floats * line_floats; }

/// Floats in each of `arrays` arrays that share the memory evenly; 0 if the memory is too small.
constexpr std::size_t floats_each(std::size_t memory_floats, std::size_t arrays) {
  const std::size_t share = memory_floats / arrays;
  return share > gap_floats ? whole_lines(share - gap_floats) : 0;
}

/// Places the arrays in memory, one after the other. Each starts on a cache line, after a gap: arrays a multiple of 4
/// KiB apart compete for the same places of a cache, and a core that compares only the last bits of addresses mistakes
/// a load from one array for a load of the number just stored to another.
class Arrays {
 public:
  explicit Arrays(std::span<float> memory) : memory_(memory) {}

  /// \throws std::invalid_argument if too little is left
  float* next(std::size_t floats) {
    if (at_ + floats > memory_.size()) throw std::invalid_argument("Arrays: they do not fit into the memory");
    float* array = memory_.data() + at_;
    at_ += whole_lines(floats + line_floats - 1) + gap_floats;
    return array;
  }

 private:
  std::span<float> memory_;
  std::size_t at_ = 0;
};

}  // namespace hf::roofline
