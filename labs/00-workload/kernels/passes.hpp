/// \file
/// The five passes that the chapter compares, each run with its accounts: an MLP, a CNN, and a transformer that reads a
/// prompt, writes, and learns.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "00-workload/kernels/account.hpp"
#include "00-workload/kernels/mlp.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "00-workload/kernels/sizes.hpp"
#include "00-workload/kernels/training.hpp"
#include "00-workload/kernels/transformer.hpp"

namespace hf::workload {

/// One of them. Every call of run() is accounted for.
class PassRunner {
 public:
  /// \param parts  how many equal things a pass does that are spoken of one by one: tokens decoded; else 1
  PassRunner(std::string id, std::string label, std::size_t parts, std::function<void(Ledger&)> body)
      : id_(std::move(id)), label_(std::move(label)), parts_(parts), body_(std::move(body)) {}

  void run() {
    ledger_.begin_pass();
    body_(ledger_);
    passes_.push_back(ledger_.end_pass());
  }

  const std::string& id() const { return id_; }
  const std::string& label() const { return label_; }
  double parts() const { return static_cast<double>(parts_); }
  const std::vector<Pass>& passes() const { return passes_; }
  void forget_passes() { passes_.clear(); }

 private:
  std::string id_, label_;
  std::size_t parts_;
  std::function<void(Ledger&)> body_;
  Ledger ledger_;
  std::vector<Pass> passes_;
};

/// The networks and what they work on.
class Networks {
 public:
  /// \throws OutOfMemory
  explicit Networks(const Sizes& sizes);

  /// "mlp", "cnn", "prefill", "decode", "training", in this order. Decode goes on where prefill ends.
  std::vector<PassRunner> runners();

  /// Gives back what only training needs.
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
