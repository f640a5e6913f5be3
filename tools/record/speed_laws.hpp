#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "record/check.hpp"
#include "record/law.hpp"
#include "record/record.hpp"

namespace hf {

/// Whether a busy host changes a number of that `kind` and `unit`: it is measured, and a time, a rate or a power, or
/// else a ratio of them, which has the unit 1 or %. A whole number without a unit is a count, which no host changes.
bool depends_on_host(std::string_view kind, const std::string& unit, double number);

/// Whether a busy host may be the reason that the number at `pointer` in `record` breaks `law`. The law is then a speed
/// law: it limits the number (<=) or orders it (never falls, never rises), and the number depends on the host. Definitions (=)
/// and units are never a matter of speed, nor are modelled, simulated and quoted numbers.
bool is_speed_law(const Law& law, const Json& record, const std::string& pointer);

/// Where `record` (of the right shape) breaks a speed law: one that it carries, or one of its lab's below `labs`.
std::vector<Problem> broken_speed_laws(const Json& record, const std::filesystem::path& labs);

}  // namespace hf
