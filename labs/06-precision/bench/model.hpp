/// \file
/// Times the language model on one token in every format, and llama.cpp, if it is installed, on the same weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/model/format_transformer.hpp"
#include "harness/report/lab.hpp"
#include "kit/peers/llama_peer.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::precision {

/// The language model in one format, with its own cache.
struct Decoder {
  FormatTransformer model;
  workload::KvCache cache;

  Decoder(const ModelView& from, Format format) : model(from, format), cache(from.shape, 1, decode_context + 1) {}

  /// Bytes that a token after decode_context others reads.
  double bytes() const { return static_cast<double>(model.bytes_per_token(decode_context)); }

  /// Decodes that token. \return logits (V)
  std::span<const float> step(Products products = Products::run) {
    return model.decode(1, decode_context, cache, products);
  }

  /// Runs tokens one after the other, starting at position 0. \return logits (V) after the last
  std::span<const float> logits(std::span<const int> tokens);
};
using Decoders = std::map<Format, Decoder>;

/// Encodes the weights of a model, which must outlive the decoders. Leaves out formats for which memory is
/// insufficient, and adds a note about them. \throws std::runtime_error with one line if logits are wrong
Decoders decoders_of(Lab& lab, const ModelView& model, const std::vector<Format>& formats);

/// The record's ids for tokens a second by format: ours, predicted, llama.cpp's, and ours divided by each of the last
/// two; empty for what no page shows.
struct SpeedIds {
  const char *tokens, *predicted, *over_predicted, *llamacpp, *over_llamacpp;
};
/// The same for the tokens of a prompt.
struct PromptIds {
  const char *tokens, *llamacpp, *over_llamacpp;
};
struct RaceIds {
  SpeedIds all, one;  ///< for all threads, and for one
  PromptIds prompt_all, prompt_one;
};
inline constexpr RaceIds small_ids = {
    {"decode_tokens", "decode_tokens_predicted", "decode_over_predicted", "decode_tokens_llamacpp",
     "decode_over_llamacpp"},
    {"decode_tokens_one", "decode_tokens_one_predicted", "", "decode_tokens_llamacpp_one", ""},
    {"prompt_tokens", "prompt_tokens_llamacpp", "prompt_over_llamacpp"},
    {"prompt_tokens_one", "prompt_tokens_llamacpp_one", "prompt_one_over_llamacpp"}};
inline constexpr RaceIds large_ids = {
    {"large_tokens", "large_tokens_predicted", "", "large_tokens_llamacpp", "large_over_llamacpp"},
    {"large_tokens_one", "large_tokens_one_predicted", "", "large_tokens_llamacpp_one", "large_one_over_llamacpp"},
    {"large_prompt_tokens", "large_prompt_tokens_llamacpp", "large_prompt_over_llamacpp"},
    {"large_prompt_tokens_one", "large_prompt_tokens_llamacpp_one", "large_prompt_one_over_llamacpp"}};

/// Tokens of the prompts that are timed, read all at once.
constexpr std::size_t prompt_length = 128;

/// Races llama.cpp against our decoders.
class LlamaRace {
 public:
  /// Loads the model into llama.cpp in the formats that both support. Notes what is missing and leaves it out.
  LlamaRace(Lab& lab, const ModelView& model, const Decoders& ours);

  /// Variants "llama q4_0" and "llama q4_0 one": one token after decode_context others. This object must outlive them.
  /// After the peer has failed, they return infinite times.
  std::vector<Variant> variants(Format format, Threads threads);

  /// Variants "llama q4_0" and "llama q4_0 one" that read a prompt of prompt_length tokens; call add_results() before.
  std::vector<Variant> prompt_variants(const ModelView& model, Format format);

  /// Why the peer has ended; empty while it runs.
  const std::string& failure() const { return failure_; }

  /// Adds llama.cpp's version, its tokens a second and our speed relative to it. Adds a note if the peer has failed, and
  /// leaves out formats in which its logits are not ours.
  void add_results(Lab& lab, Decoders& decoders, const Sampling& sampling, const RaceIds& ids);

 private:
  struct Entry {
    Format format;
    int model;
    std::vector<int> text;
    std::vector<float> logits;  // of the text's last token

    std::string variant(Threads threads) const;
  };
  void enter(Lab& lab, const ModelView& model, Format format);
  double seconds(double (LlamaPeer::*task)(int, int, std::int64_t), int model, Threads threads, std::int64_t times);
  void add_speeds(Lab& lab, const Sampling& sampling, Threads threads, const SpeedIds& ids) const;

  std::unique_ptr<LlamaPeer> peer_;
  std::vector<Entry> entries_;
  std::string failure_;
};

}  // namespace hf::precision
