/// \file
/// Which weights go, those of least magnitude, and what that costs a network that was trained: the small language model of
/// the folder training, pruned matrix by matrix, and then, perhaps, trained a little more with what is left.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "06-precision/kernels/training/word_network.hpp"

namespace hf::precision {

/// The weights with all but the largest set to zero. Of equal magnitudes at the border, the first stay.
/// \param density  the share that stays, 0 to 1; rounded to a whole number of weights
std::vector<float> pruned(std::span<const float> weights, double density);

/// Of every four weights in a row, the two largest stay, as sparse tensor cores want it (Mishra and others, Accelerating
/// sparse deep neural networks, 2021). \pre the number of weights is a multiple of 4
std::vector<float> pruned_2_4(std::span<const float> weights);

/// The share of weights that are not zero.
double density(std::span<const float> weights);

/// The network after so many steps in fp32.
WordTensors trained_network(int steps);

/// Each matrix of the network pruned by `prune`, a function of its weights; the table of words, which no product reads,
/// stays.
WordTensors pruned_network(const WordTensors& weights,
                           const std::function<std::vector<float>(std::span<const float>)>& prune);

/// The network after so many more steps, in which weights that are zero stay so.
WordTensors retrained_network(WordTensors weights, int steps);

/// Of the weights that can be pruned: what was taken away, as noise over signal, in power.
double noise_of(const WordTensors& exact, const WordTensors& changed);

}  // namespace hf::precision
