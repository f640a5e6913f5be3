/// \file
/// A transformer whose random weights are distributed as a trained network's are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "00-workload/kernels/transformer.hpp"

namespace hf::precision {

/// GPT-2's depth with a third of its width, so that its fp64 is affordable; widths are powers of two, which a rotation
/// wants.
constexpr workload::TransformerShape small_gpt2 = {12, 256, 4, 8192, 64};

/// The spread of the logits: with 8192 of them, about 3 nats remain open, as in GPT-2 on text.
constexpr double logit_spread = 3.5;

/// Numbers of Student's t distribution with 5 degrees of freedom, scaled to a variance of 1, by Bailey's polar method
/// ("Polar generation of random variates with the t-distribution", 1994). The weights of trained language models are
/// distributed so (Dotzel et al., "Learning from students", ICML 2024): most are smaller than a normal distribution's, a
/// few much larger.
/// \param sequence  as random_word() has them; the next one is used too
std::vector<float> student_numbers(std::size_t count, std::uint64_t sequence);

/// Fills the weights of a model: matrices with Student's t, so that numbers of spread 1 stay so, and a gain of the last norm
/// under which the next token is as uncertain as in a trained network.
void fill_as_trained(workload::Transformer& model);

/// Writes the same network in other numbers: of the output of each norm within the layers, some channels become so many
/// times as large, and the weights that read them are divided by as much. In exact arithmetic nothing changes.
void enlarge_channels(workload::Transformer& model, std::span<const std::size_t> channels, float factor);

}  // namespace hf::precision
