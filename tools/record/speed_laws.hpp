#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "record/law.hpp"
#include "record/record.hpp"

namespace hf {

/// True if a busy host can change a number of that `kind` and `unit`: it is measured, and is a time, a rate, a power,
/// or a ratio of them, which has the unit 1 or %. A whole number without a unit is a count, which no host changes.
bool depends_on_host(std::string_view kind, const std::string& unit, double number);

/// True if a busy host may be the reason that the number at `pointer` in `record` breaks `law`. The law must be a speed
/// law: it limits the number (<=) or orders it (never falls, never rises), and the number depends on the host.
/// Definitions (=) and units never depend on speed, nor do modelled, simulated and quoted numbers.
bool is_speed_law(const Law& law, const Json& record, const std::string& pointer);

/// Where `record` (of the right shape) breaks a speed law: one that it contains, or one of its lab's below `labs`.
std::vector<Problem> broken_speed_laws(const Json& record, const std::filesystem::path& labs);

}  // namespace hf
