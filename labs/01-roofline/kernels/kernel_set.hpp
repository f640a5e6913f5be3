/// \file
/// Every loop this lab times, once per instruction set: the same source, compiled for SSE, AVX, AVX2 and AVX-512 on
/// x86-64 and for NEON on AArch64. Which of them this machine can run is decided when the program runs; see
/// dispatch.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hf::roofline {

/// A loop of independent multiplications and additions; see multiply_add() in peak.hpp for what it computes.
struct PeakLoop {
  const char* label;  ///< as figures name it: "scalar FMA", "AVX-512"
  bool fp64;          ///< or fp32
  int lanes;          ///< numbers per register
  double flops;       ///< per iteration; an FMA is two
  double (*run)(std::int64_t iterations, double factor, double addend);
};

/// The loops of peak.hpp, stream.hpp and kernels.hpp, compiled for one instruction set.
struct KernelSet {
  const char* name;      ///< "SSE", "AVX2", "NEON"…
  const char* required;  ///< what Machine::isa must list, separated by spaces; empty for what every such machine has
  std::size_t lanes;     ///< floats per vector register
  std::size_t stream_block;
  PeakLoop peaks[8];  ///< some may be missing: their `run` is null

  // References, so that a set that lacks a kernel does not compile.
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
