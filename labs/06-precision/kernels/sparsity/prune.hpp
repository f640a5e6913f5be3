/// \file
/// Which weights go: those of least magnitude.
#pragma once

#include <span>
#include <vector>

namespace hf::precision {

/// The weights with all but the largest set to zero. Of equal magnitudes at the border, the first stay.
/// \param density  the share that stays, 0 to 1; rounded to a whole number of weights
std::vector<float> pruned(std::span<const float> weights, double density);

/// Of every four weights in a row, the two largest stay, as sparse tensor cores want it (Mishra and others, Accelerating
/// sparse deep neural networks, 2021). \pre the number of weights is a multiple of 4
std::vector<float> pruned_2_4(std::span<const float> weights);

/// The share of weights that are not zero.
double density(std::span<const float> weights);

}  // namespace hf::precision
