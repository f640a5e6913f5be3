/// \file
/// The loops of stream.hpp, once per instruction set: the same source, compiled for SSE, AVX, AVX2 and AVX-512 on
/// x86-64 and for NEON on AArch64. The program finds out at run time which of them this machine supports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/machine/machine.hpp"

namespace hf::roofline {

struct StreamSet {
  const char* required;  ///< machine::isa must contain these, separated by spaces; empty if every such machine has them
  std::size_t block;     ///< stream_block

  // References, so that a set without one of the loops does not compile.
  void (&read)(const float* a, std::size_t n, std::int64_t passes);
  void (&copy)(float* to, const float* from, std::size_t n, std::int64_t passes);
  void (&copy_nontemporal)(float* to, const float* from, std::size_t n, std::int64_t passes);
  void (&triad)(float* to, const float* a, const float* b, float factor, std::size_t n, std::int64_t passes);
  void (&triad_nontemporal)(float* to, const float* a, const float* b, float factor, std::size_t n,
                            std::int64_t passes);
};

/// The sets that this machine can run, narrowest first. There is always at least one.
std::vector<const StreamSet*> stream_sets(const Machine& machine);

/// Of what was compiled for several instruction sets, what this machine can run, in the same order.
template <class Compiled>
std::vector<const Compiled*> runnable(std::vector<const Compiled*> all, const Machine& machine) {
  std::erase_if(all, [&](const Compiled* each) { return !machine.has_all(each->required); });
  return all;
}

}  // namespace hf::roofline
