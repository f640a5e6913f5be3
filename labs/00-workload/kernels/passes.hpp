/// \file
/// The five passes that the chapter compares, each with its ledger: an MLP, a CNN, and a transformer that reads a
/// prompt, writes, and learns.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "00-workload/kernels/mlp.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "00-workload/kernels/sizes.hpp"
#include "00-workload/kernels/training.hpp"
#include "kit/transformer/account.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::workload {

/// One of the five passes. Every call of run() is recorded in the ledger.
struct PassRunner {
  std::string id, label;
  double parts;  ///< the number of equal parts in a pass if they are reported separately: tokens decoded; else 1
  std::function<void(Ledger&)> body;
  Ledger ledger = {};
  std::vector<Pass> passes = {};

  void run() {
    ledger.begin_pass();
    body(ledger);
    passes.push_back(ledger.end_pass());
  }
};

/// The networks and their data.
class Networks {
 public:
  /// \throws OutOfMemory
  explicit Networks(const Sizes& sizes);

  /// "mlp", "cnn", "prefill", "decode", "training", in this order. Decode continues where prefill ends.
  std::vector<PassRunner> runners();

  /// Frees the memory that only training needs.
  void forget_training() { training_.reset(); }

  const Sizes& sizes() const { return sizes_; }
  const Mlp& mlp() const { return mlp_; }
  const Resnet& resnet() const { return resnet_; }
  Transformer& transformer() { return transformer_; }
  std::span<const int> text() const { return text_; }

 private:
  void decode(Ledger& ledger);

  Sizes sizes_;
  Mlp mlp_;
  Resnet resnet_;
  Transformer transformer_;
  KvCache cache_;
  Activations prefill_, decode_;
  std::unique_ptr<Training> training_;
  std::vector<float> digits_, photograph_;
  std::vector<int> text_;
};

}  // namespace hf::workload
