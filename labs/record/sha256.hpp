/// \file
/// The hash of a measurement's inputs.
#pragma once

#include <string>
#include <string_view>

namespace hf {

/// SHA-256 of `bytes` (FIPS 180-4) as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace hf
