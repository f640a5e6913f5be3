/// \file
/// What a compiler wrote: the instructions of a function, read from its assembly.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hf::compilers {

/// A function in assembly, without labels and directives.
struct AssemblyFunction {
  std::vector<std::string> instructions;
  std::size_t loop_count =
      0;  ///< of its loops that hold no other: of the one with most multiplications, or the longest; 0
          ///< where there is none
};

/// \param assembly  as GCC and Clang write it with -S, for any processor
/// \param name  of the function; nothing where it is not there
AssemblyFunction read_assembly(std::string_view assembly, std::string_view name);

}  // namespace hf::compilers
