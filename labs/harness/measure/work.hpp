/// \file
/// What a kernel does, and the least time that a machine needs for it: the roofline.
#pragma once

namespace hf {

/// What one call of a kernel does.
///
/// *FLOPs* counts every floating-point addition and multiplication of the algorithm, an FMA as two.
///
/// *Compulsory bytes* are what must cross from memory even with a perfect cache: each input read once, each output
/// written once. An ordinary store first reads the line it writes to (write-allocate), which the program never asked
/// for: it is counted in allocated_bytes, so that a prediction can include it. Non-temporal stores leave it at 0, and
/// so does updating in place.
struct Work {
  double flops = 0;
  double bytes = 0;            ///< compulsory, program bytes
  double allocated_bytes = 0;  ///< reads caused by write-allocate

  /// FLOP per compulsory byte.
  double intensity() const { return flops / bytes; }

  /// Bytes that really cross: compulsory and write-allocate.
  double traffic() const { return bytes + allocated_bytes; }
};

enum class Side { memory, compute };

/// \return "memory" or "compute"
constexpr const char* name(Side side) { return side == Side::memory ? "memory" : "compute"; }

/// A flat roof of arithmetic and a slanted roof of bandwidth (Williams, Waterman and Patterson, 2009).
struct Roofline {
  double peak_gflops = 0;    ///< GFLOP/s
  double bandwidth_gbs = 0;  ///< GB/s, 10^9 bytes, of traffic()

  /// Intensity where the two roofs meet, FLOP/byte.
  double ridge() const { return peak_gflops / bandwidth_gbs; }

  /// Least seconds that the work can take: arithmetic or traffic, whichever takes longer.
  double seconds(const Work& work) const;

  /// Which of the two takes longer.
  Side side(const Work& work) const;
};

}  // namespace hf
