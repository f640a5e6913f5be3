/// \file
/// What one step of a language model's server takes: predicted from a roofline with nothing fitted, and from six rates
/// that are fitted to measured steps. Both say it for steps that were never measured.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "00-workload/kernels/transformer.hpp"
#include "harness/work.hpp"

namespace hf::scaling {

/// What a step is asked to do: some prompts, or chunks of them, are read, and some answers get a token each.
struct StepLoad {
  double prompt_tokens = 0;  ///< read
  double chunks = 0;         ///< prompts that they belong to
  double prompt_pairs = 0;   ///< of each chunk its tokens times the positions up to its end, summed
  double decodes = 0;        ///< answers that get a token
  double cached = 0;         ///< tokens before those, in all, that attention looks back on

  double rows() const { return prompt_tokens + decodes; }  ///< that pass through the layers
  double outputs() const { return chunks + decodes; }      ///< that pass through the last product, to the vocabulary
};

/// Up to so many rows, chapter 00's products stream the weights; from there on, a library packs them first.
constexpr double streamed_rows = 32;

/// Seconds of a step, as a sum: nothing that reads memory is assumed to hide behind arithmetic.
class StepModel {
 public:
  static constexpr std::size_t rates = 6;
  using Rates = std::array<double, rates>;

  /// \param rates  seconds for a weight, and for a weight and a row, while weights are streamed; the same where they are
  ///               packed; for a FLOP of the attention in prompts; for a byte of the KV cache
  StepModel(const workload::TransformerShape& shape, const Rates& rates) : shape_(shape), rates_(rates) {}

  double seconds(const StepLoad& load) const;
  const Rates& fitted() const { return rates_; }

  /// How often a step does what each rate stands for: seconds() is the product of these and the rates.
  static Rates counts(const workload::TransformerShape& shape, const StepLoad& load);

 private:
  workload::TransformerShape shape_;
  Rates rates_;
};

/// A step and how long it took.
struct MeasuredStep {
  StepLoad load;
  double seconds;  ///< more than 0
};

/// Finds the rates, none below 0, by least squares of the relative error.
/// \throws std::invalid_argument with fewer steps than rates
StepModel fit_steps(const workload::TransformerShape& shape, std::span<const MeasuredStep> steps);

/// FLOPs and bytes of a step, each weight and each key and value read once: for the prediction that needs no measured step.
/// Layers, last product, attention of prompts and attention of answers one after the other, each at its roof.
double roofline_seconds(const workload::TransformerShape& shape, const StepLoad& load, const Roofline& roofs);

}  // namespace hf::scaling
