/// \file
/// The lab's steps, in the order of the chapter.
#pragma once

#include <vector>

#include "harness/lab.hpp"

namespace hf::precision {

/// What does a number lose in so few bits?
void measure_formats(Lab& lab);

/// A product of a matrix and a vector takes as long as its bytes.
void measure_gemv(Lab& lab);

/// A language model writes, in every format, and against llama.cpp.
void measure_decode(Lab& lab);

/// Accuracy against speed, from the values of this step and of the one that measures accuracy: nothing where one of them
/// was left out.
void add_pareto(Lab& lab);

/// Int8 and bf16 on the units made for them.
void measure_units(Lab& lab);

/// What does the language model lose?
void measure_accuracy(Lab& lab);

/// Many small numbers, one sum.
void measure_sums(Lab& lab);

/// A network learns in 32, 16 and 8 bits.
void measure_training(Lab& lab);

/// Numbers that are not there at all.
void measure_sparsity(Lab& lab);

/// Where a curve, straight between its points, first reaches \p level from below: its x; 0 where it is above from the
/// first point on, 1 where it never gets there. \pre x ascends
double first_density(const std::vector<double>& x, const std::vector<double>& y, double level);

}  // namespace hf::precision
