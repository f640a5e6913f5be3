/// \file
/// Loop nests that nobody chose: what the dependence test says of them, and what happens when they run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "07-compilers/kernels/legality/loop_nest.hpp"

namespace hf::compilers {

/// One to three short loops around one write and one or two reads, of arrays with one or two dimensions. In every other
/// nest all accesses have the same factors, as in a stencil.
LoopNest random_nest(std::uint64_t sequence);

/// Orders of all their loops other than the one written down, over many random nests.
struct Verdicts {
  std::size_t harmless = 0;         ///< those that turn no dependence round, by enumeration
  std::size_t harmful = 0;          ///< those that do
  std::size_t allowed = 0;          ///< of the harmless ones, by the test
  std::size_t allowed_wrongly = 0;  ///< of the harmful ones
};

Verdicts judge_random_nests(std::size_t count);

}  // namespace hf::compilers
