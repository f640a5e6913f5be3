/// \file
/// What a format should lose of N(0, 1), from the distances between its numbers alone.
#pragma once

#include <cstddef>

#include "06-precision/kernels/formats/formats.hpp"

namespace hf::precision {

/// A number lies anywhere between its two neighbours in the format, so its error is as if drawn from one step, whose mean
/// square is step² / 12 (Bennett, "Spectra of quantized signals", 1948). The step depends on the number, and on the
/// largest one under the same scale; both are averaged over their distributions. dB.
/// \param rows,columns  of the matrix, for the formats whose scale is that of the matrix or of a row
double predicted_sqnr_db(Format format, std::size_t rows, std::size_t columns);

}  // namespace hf::precision
