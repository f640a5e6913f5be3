/// \file
/// Shared variables of kernels that are in a library.
#pragma once

namespace hf::emulator {

/// From here on, shared variables are those of the library, or the program, that contains this code. They may take 1 MiB.
void use_variables_beside(const void* code);

}  // namespace hf::emulator
