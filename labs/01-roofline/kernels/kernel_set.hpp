/// \file
/// Every loop that this lab times, once per instruction set: the same source, compiled for SSE, AVX, AVX2 and AVX-512
/// on x86-64 and for NEON on AArch64. The program finds out at run time which of them this machine supports; see
/// dispatch.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hf::roofline {

/// A loop of independent multiplications and additions; multiply_add() in peak.hpp says what it computes.
struct PeakLoop {
  const char* label;  ///< its name in figures: "scalar FMA", "AVX-512"
  bool fp64;          ///< or fp32
  int lanes;          ///< numbers per register
  double flops;       ///< per iteration; an FMA is two
  double (*run)(std::int64_t iterations, double factor, double addend);
};

/// The loops of peak.hpp, stream.hpp and kernels.hpp, compiled for one instruction set.
struct KernelSet {
  const char* name;      ///< "SSE", "AVX2", "NEON"…
  const char* required;  ///< machine::isa must contain these, separated by spaces; empty if every such machine has them
  std::size_t lanes;     ///< floats per vector register
  std::size_t stream_block;
  PeakLoop peaks[8];  ///< some may be missing: their `run` is null

  // References, so that a set without one of the kernels does not compile.
  void (&read)(const float* a, std::size_t n, std::int64_t passes);
  void (&copy)(float* to, const float* from, std::size_t n, std::int64_t passes);
  void (&copy_nontemporal)(float* to, const float* from, std::size_t n, std::int64_t passes);
  void (&triad)(float* to, const float* a, const float* b, float factor, std::size_t n, std::int64_t passes);
  void (&triad_nontemporal)(float* to, const float* a, const float* b, float factor, std::size_t n,
                            std::int64_t passes);

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
