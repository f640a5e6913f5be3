/// \file
/// Every loop that this lab times, once per instruction set; dispatch.hpp finds out which of them this machine supports.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kit/streams/stream_set.hpp"

namespace hf::roofline {

/// A loop of independent multiplications and additions; multiply_add() in peak.hpp says what it computes.
struct PeakLoop {
  const char* label;  ///< its name in figures: "scalar FMA", "AVX-512"
  bool fp64;          ///< or fp32
  int lanes;          ///< numbers per register
  double flops;       ///< per iteration; an FMA is two
  double (*run)(std::int64_t iterations, double factor, double addend);
};

/// The loops of peak.hpp and kernels.hpp and the streams, compiled for one instruction set.
struct KernelSet {
  const char* name;      ///< "SSE", "AVX2", "NEON"…
  const char* required;  ///< machine::isa must contain these, separated by spaces; empty if every such machine has them
  std::size_t lanes;     ///< floats per vector register
  const StreamSet& streams;
  PeakLoop peaks[8];  ///< some may be missing: their `run` is null

  // References, so that a set without one of the kernels does not compile.
  void (&vector_add)(const float* a, const float* b, float* c, std::size_t n);
  void (&scalar_add)(const float* a, const float* b, float* c, std::size_t n);
  void (&stream_triad)(float* a, const float* b, const float* c, float factor, std::size_t n);
  void (&axpy)(float factor, const float* x, float* y, std::size_t n);
  float (&dot)(const float* x, const float* y, std::size_t n);
  void (&gemv)(const float* a, const float* x, float* y, std::size_t rows, std::size_t columns);
  void (&five_point_stencil)(const float* from, float* to, std::size_t rows, std::size_t columns);
  void (&softmax)(const float* x, float* y, std::size_t rows, std::size_t columns);
  void (&layer_norm)(const float* x, const float* gain, const float* bias, float* y, std::size_t rows,
                     std::size_t columns);
  void (&naive_matmul)(const float* a, const float* b, float* c, std::size_t n);
  void (&blocked_matmul)(const float* a, const float* b, float* c, std::size_t n);
};

}  // namespace hf::roofline
