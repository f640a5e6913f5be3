/// \file
/// The lab's steps, in the order of the chapter; lab.cpp describes each.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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

/// Number of random starts from which each small network is trained, because single runs differ much.
inline std::uint64_t training_seeds(const Lab& lab) { return lab.quick() ? 2 : 5; }

/// Adds a value with one sample for each seed or text, none of them a time.
inline void simulated_of(Lab& lab, const std::string& id, std::vector<double> samples, const char* unit = "1",
                         Place place = Place::here()) {
  Value value(id, estimate(std::move(samples)), unit);
  value.kind = Kind::simulated;
  lab.add(std::move(value), place);
}

/// Returns the x at which a curve, linear between its points, first reaches \p level from below; 0 if its first point
/// is already above, 1 if it never reaches the level. \pre the curve's x ascend
double first_density(const Series& curve, double level);

}  // namespace hf::precision
