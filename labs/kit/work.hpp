/// \file
/// A kernel's work and the least time that a machine needs for it: the roofline.
#pragma once

namespace hf {

/// The work of one call of a kernel.
///
/// *FLOPs* counts every floating-point addition and multiplication of the algorithm, an FMA as two.
///
/// *Compulsory bytes* must cross from memory even with a perfect cache: each input read once, each output written
/// once. An ordinary store first reads the line it writes to (write-allocate), which the program did not request; those
/// bytes are counted in allocated_bytes, so that a prediction can include them. Non-temporal stores and updates in
/// place leave allocated_bytes at 0.
struct Work {
  double flops = 0;
  double bytes = 0;            ///< compulsory, program bytes
  double allocated_bytes = 0;  ///< reads caused by write-allocate

  /// FLOP per compulsory byte.
  double intensity() const { return flops / bytes; }

  /// Bytes that actually cross: compulsory and write-allocate.
  double traffic() const { return bytes + allocated_bytes; }
};

enum class Side { memory, compute };

/// \return "memory" or "compute"
constexpr const char* name(Side side) { return side == Side::memory ? "memory" : "compute"; }

/// A flat roof for arithmetic and a slanted roof for bandwidth (Williams, Waterman and Patterson, 2009).
struct Roofline {
  double peak_gflops = 0;    ///< GFLOP/s
  double bandwidth_gbs = 0;  ///< GB/s, 10^9 bytes, of traffic()

  /// Intensity where the two roofs meet, FLOP/byte.
  double ridge() const { return peak_gflops / bandwidth_gbs; }

  /// The least time for the work, in seconds: arithmetic or traffic, whichever takes longer.
  double seconds(const Work& work) const;

  /// The side that takes longer.
  Side side(const Work& work) const;
};

}  // namespace hf
