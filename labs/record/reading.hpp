/// \file
/// A record as readers see it: with the numbers computed from those it contains.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "law.hpp"

namespace hf {

/// With fewer samples than this, a number's interval is from its smallest to its largest sample: a 5th percentile of
/// three samples would leave out two of them.
constexpr std::size_t kFewSamples = 20;

/// `record` (of the right shape) as it is read:
///
/// - A number with few samples (kFewSamples) gets its smallest and largest sample as "low" and "high", and is marked as
///   "few" (one sample has no interval). With more samples they stay the 5th and the 95th percentile, as recorded.
/// - A value that has a definition is computed from the others, with the definition's right side as "definition". Its
///   interval is that of a product of independent numbers: relative deviations add as the root of the sum of squares. A
///   recorded value that has samples is kept: they may have been taken in pairs, and then vary less than their parts.
///   One without samples, which the record derives in another way and today's definition can't, is left out. A
///   definition of rows, "over_peer[*] = …", only checks recorded numbers.
nlohmann::json as_read(nlohmann::json record, const std::vector<Law>& definitions);

/// The same, with the definitions of the record's lab below `labs`. Throws FileError.
nlohmann::json as_read(nlohmann::json record, const std::filesystem::path& labs);

}  // namespace hf
