/// \file
/// Checks that this process still has the cores it started with.
#pragma once

#include <string>

namespace hf {

/// Empty while the calling thread runs where it was pinned (Pinned, Team) and this process may still use all of
/// usable_cores(). Otherwise describes the change: "from 0, 1 to 0".
std::string change_of_cores();

}  // namespace hf
