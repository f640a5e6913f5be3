/// \file
/// The matrix unit of this machine: how fast its instructions for narrow numbers are, and what a matrix product gets of
/// that.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "04-tpu/kernels/int8_gemm.hpp"
#include "harness/lab.hpp"

namespace hf::tpu {

/// 10^9 operations per second of one thread, from registers, interleaved.
struct UnitPeaks {
  Estimate fp32, int8;
  std::optional<Estimate> bf16;   ///< where there is an instruction for it
  std::optional<Estimate> tiles;  ///< int8 on tiles, where the machine has them
  Estimate int8_over_fp32;        ///< in pairs
};
UnitPeaks measure_unit_peaks(const Lab& lab, const Int8Kernel& kernel, const Plan& plan);

/// A bar for each precision that was measured.
Series peak_series(const std::string& id, const UnitPeaks& peaks);

/// The same square product in fp32, by the best kernel of lab 02, and in int8, both with their packing.
/// Operations per second as above.
struct GemmPair {
  std::size_t n;
  Estimate fp32, int8;
  Estimate int8_over_fp32;  ///< in pairs
};

/// Products of several sizes, the largest last, each pair interleaved; in the present step of the lab, of which they leave
/// a part to others.
std::vector<GemmPair> measure_gemms(const Lab& lab, const Int8Kernel& kernel);

/// One precision of them over the size.
Series gemm_series(const std::string& id, const std::string& label, const std::vector<GemmPair>& pairs,
                   Estimate GemmPair::*speed);

/// Holds the kernel against three plain loops on a product of several blocks.
/// \throws std::runtime_error, one line, where it is wrong
void check_int8(const Int8Kernel& kernel);

}  // namespace hf::tpu
