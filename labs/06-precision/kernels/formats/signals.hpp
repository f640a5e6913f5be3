/// \file
/// Numbers to encode, and how much of them is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hf::precision {

/// N(0, 1), by the transform of Box and Muller (1958) from two sequences of random words.
/// \param sequence  as random_word() has them; the next one is used too
std::vector<double> normal_numbers(std::size_t count, std::uint64_t sequence);

/// Signal over quantisation noise: 10 log10(Σ x² / Σ (x − y)²), dB. Infinite where nothing is lost.
/// \pre as many numbers in both
double sqnr_db(std::span<const double> signal, std::span<const double> decoded);
double sqnr_db(std::span<const double> signal, std::span<const float> decoded);

/// What a plain quantiser makes of x: the middle of one of 2^bits equal steps that fill [−range, range].
double quantise_uniformly(double x, int bits, double range);

}  // namespace hf::precision
