/// \file
/// Random numbers to encode, and the signal-to-noise ratio that encoding leaves: measured and predicted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"

namespace hf::precision {

/// Numbers from N(0, 1), by the transform of Box and Muller (1958) from two sequences of random words.
/// \param sequence  of random_word(); sequence + 1 is used too
std::vector<double> normal_numbers(std::size_t count, std::uint64_t sequence);

/// Numbers from Student's t distribution with 5 degrees of freedom, scaled to a variance of 1, by Bailey's polar method
/// ("Polar generation of random variates with the t-distribution", 1994). The weights of trained language models follow
/// this distribution (Dotzel et al., "Learning from students", ICML 2024): most are smaller than a normal
/// distribution's, and a few are much larger.
/// \param sequence  of random_word(); sequence + 1 is used too
std::vector<float> student_numbers(std::size_t count, std::uint64_t sequence);

/// Signal-to-quantisation-noise ratio: 10 log10(Σ x² / Σ (x − y)²), dB. Infinite if all numbers are equal.
/// \pre both have the same size
double sqnr_db(std::span<const double> signal, std::span<const double> decoded);
double sqnr_db(std::span<const double> signal, std::span<const float> decoded);

/// Predicts the ratio, in dB. A number can lie anywhere between its two neighbours in the format, so its error is
/// uniform over one step and has a mean square of step² / 12 (Bennett, "Spectra of quantized signals", 1948). The step
/// depends on the number and on the largest number under the same scale; the prediction averages over the distributions
/// of both.
/// \param rows,columns  of the matrix, for formats with one scale for each matrix or row
double predicted_sqnr_db(Format format, std::size_t rows, std::size_t columns);

}  // namespace hf::precision
