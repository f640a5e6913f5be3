/// \file
/// Numbers to encode, how much of them is left, and how much should be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"

namespace hf::precision {

/// N(0, 1), by the transform of Box and Muller (1958) from two sequences of random words.
/// \param sequence  as random_word() has them; the next one is used too
std::vector<double> normal_numbers(std::size_t count, std::uint64_t sequence);

/// Numbers of Student's t distribution with 5 degrees of freedom, scaled to a variance of 1, by Bailey's polar method
/// ("Polar generation of random variates with the t-distribution", 1994). The weights of trained language models are
/// distributed so (Dotzel et al., "Learning from students", ICML 2024): most are smaller than a normal distribution's, a
/// few much larger.
/// \param sequence  as random_word() has them; the next one is used too
std::vector<float> student_numbers(std::size_t count, std::uint64_t sequence);

/// Signal over quantisation noise: 10 log10(Σ x² / Σ (x − y)²), dB. Infinite where nothing is lost.
/// \pre as many numbers in both
double sqnr_db(std::span<const double> signal, std::span<const double> decoded);
double sqnr_db(std::span<const double> signal, std::span<const float> decoded);

/// What a plain quantiser makes of x: the middle of one of 2^bits equal steps that fill [−range, range].
double quantise_uniformly(double x, int bits, double range);

/// A number lies anywhere between its two neighbours in the format, so its error is as if drawn from one step, whose mean
/// square is step² / 12 (Bennett, "Spectra of quantized signals", 1948). The step depends on the number, and on the
/// largest one under the same scale; both are averaged over their distributions. dB.
/// \param rows,columns  of the matrix, for the formats whose scale is that of the matrix or of a row
double predicted_sqnr_db(Format format, std::size_t rows, std::size_t columns);

}  // namespace hf::precision
