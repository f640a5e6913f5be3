#include "00-workload/kernels/passes.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "00-workload/kernels/sizes.hpp"
#include "00-workload/kernels/training.hpp"
#include "kit/random.hpp"
#include "kit/transformer/account.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::workload {

Networks::Networks(const Sizes& sizes)
    : sizes_(sizes),
      mlp_(sizes.mlp, sizes.mlp_batch),
      resnet_(sizes.resnet),
      transformer_(sizes.transformer),
      cache_(sizes.transformer, 1, sizes.prompt + sizes.decoded),
      prefill_(sizes.transformer, 1, sizes.prompt, sizes.prompt, Activations::Keep::latest_layer),
      decode_(sizes.transformer, 1, 1, sizes.prompt + sizes.decoded, Activations::Keep::latest_layer),
      training_(std::make_unique<Training>(sizes.transformer, 1, sizes.training_tokens)),
      digits_(sizes.mlp_batch * sizes.mlp.inputs),
      photograph_(3 * sizes.resnet.side * sizes.resnet.side),
      text_(sizes.transformer.context + 1) {
  fill_random(digits_, 1, 1);
  fill_random(photograph_, 2, 1);
  fill_random(text_, 3, static_cast<int>(sizes.transformer.vocabulary));
}

std::vector<PassRunner> Networks::runners() {
  const std::span<const int> text = text_;
  const auto count = [](std::size_t n) { return std::to_string(n); };
  return {
      {"mlp", "MLP, " + count(sizes_.mlp_batch) + " digits", 1,
       [this](Ledger& ledger) { mlp_.forward(digits_.data(), ledger); }},
      {"cnn", "CNN, one photograph", 1,
       [this](Ledger& ledger) { resnet_.forward(photograph_.data(), sizes_.resnet.side, ledger); }},
      {"prefill", "prefill, " + count(sizes_.prompt) + " tokens", 1,
       [this, text](Ledger& ledger) {
         transformer_.forward({text.first(sizes_.prompt), 1, 0}, cache_, prefill_, ledger);
       }},
      {"decode", "decode, one token", static_cast<double>(sizes_.decoded), [this](Ledger& ledger) { decode(ledger); }},
      {"training", "training step, " + count(sizes_.training_tokens) + " tokens", 1, [this, text](Ledger& ledger) {
         const std::size_t tokens = sizes_.training_tokens;
         training_->step(transformer_, text.first(tokens), text.subspan(1, tokens), 1e-3f, ledger);
       }}};
}

// [begin: decode]
void Networks::decode(Ledger& ledger) {
  int token = text_[sizes_.prompt];
  for (std::size_t i = 0; i < sizes_.decoded; ++i) {
    const Batch batch = {{&token, 1}, 1, sizes_.prompt + i};
    const auto logits = transformer_.forward(batch, cache_, decode_, ledger);
    token = Operators(ledger).index_of_highest(logits.data(), logits.size());
  }
}
// [end: decode]

}  // namespace hf::workload
