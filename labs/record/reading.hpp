/// \file
/// A record as its readers see it: with the numbers that follow from those that it has.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "law.hpp"

namespace hf {

/// With fewer samples than these, the interval of a number is from the least of them to the greatest: a 5th percentile of three
/// samples would leave out two of them.
constexpr std::size_t kFewSamples = 20;

/// `record` (of the right shape) as it is read:
///
/// - "low" and "high" of a number with few samples (kFewSamples) are the least and the greatest of them, and it is marked as
///   "few" (one sample has no interval); of one with more they stay the 5th and the 95th percentile, as recorded;
/// - a value that a definition makes of others is made of them, with the definition's right side as "definition", and with the
///   interval of a product of independent numbers: its ends are off by the root of the sum of squares of what theirs are off. A recorded value that has samples stays as it is: they may have been taken in
///   pairs, and are then steadier than their parts. A definition of rows, "over_peer[*] = …", only checks what is recorded.
nlohmann::json as_read(nlohmann::json record, const std::vector<Law>& definitions);

/// The same with the definitions that the record's lab has below `labs`. Throws FileError.
nlohmann::json as_read(nlohmann::json record, const std::filesystem::path& labs);

}  // namespace hf
