/// \file
/// Whether the cores are still those that this process began with.
#pragma once

#include <string>

namespace hf {

/// Empty as long as the calling thread runs where it was put (Pinned, Team), and could run on all of usable_cores() if it were
/// not pinned. Otherwise what became of them: "from 0, 1 to 0".
std::string change_of_cores();

}  // namespace hf
