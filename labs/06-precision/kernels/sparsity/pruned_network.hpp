/// \file
/// What pruning costs a network that was trained: the small language model of the folder training, its products' weights
/// pruned matrix by matrix, and then, perhaps, trained a little more with what is left.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "06-precision/kernels/training/word_network.hpp"

namespace hf::precision {

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
