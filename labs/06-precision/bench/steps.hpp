/// \file
/// The lab's steps, in the order of the chapter; lab.cpp says what each asks.
#pragma once

#include "harness/report/lab.hpp"

namespace hf::precision {

void measure_formats(Lab& lab);
void measure_gemv(Lab& lab);
void measure_decode(Lab& lab);
void measure_large_decode(Lab& lab);
void measure_units(Lab& lab);
void measure_accuracy(Lab& lab);
void measure_sums(Lab& lab);
void measure_training(Lab& lab);
void measure_sparsity(Lab& lab);

/// Where a curve, straight between its points, first reaches \p level from below: its x; 0 where it is above from the
/// first point on, 1 where it never gets there. \pre its x ascend
double first_density(const Series& curve, double level);

}  // namespace hf::precision
