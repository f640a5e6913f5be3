/// \file
/// The lab's steps, in the order of the chapter; lab.cpp says what each asks.
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

/// From so many beginnings each small network is trained: one run says little of the next.
inline std::uint64_t training_seeds(const Lab& lab) { return lab.quick() ? 2 : 5; }

/// Adds a value of which each seed, or each text, gave a sample, and that no clock took.
inline void simulated_of(Lab& lab, const std::string& id, std::vector<double> samples, const char* unit = "1",
                         Place place = Place::here()) {
  Value value(id, estimate(std::move(samples)), unit);
  value.kind = Kind::simulated;
  lab.add(std::move(value), place);
}

/// Where a curve, straight between its points, first reaches \p level from below: its x; 0 where it is above from the
/// first point on, 1 where it never gets there. \pre its x ascend
double first_density(const Series& curve, double level);

}  // namespace hf::precision
