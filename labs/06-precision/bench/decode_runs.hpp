/// \file
/// The language model writes a token in every format, timed among what it is held against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "00-workload/kernels/transformer.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/model/format_transformer.hpp"
#include "harness/lab.hpp"
#include "harness/sampling.hpp"
#include "harness/shared_array.hpp"
#include "harness/statistics.hpp"
#include "harness/threads.hpp"

namespace hf::precision {

/// Tokens in the KV cache before the one that is timed.
constexpr std::size_t decode_context = 100;

/// How many threads work on a token.
enum class Cores { all, one };

/// As variants are named: "q4_0" on all cores, "q4_0 one" on one; so "read q4_0" and "read q4_0 one".
std::string variant_id(const std::string& what, Cores cores);

/// As results are named: "decode_q4_0" on all cores, "decode_q4_0_one" on one.
std::string decode_id(Format format, Cores cores);

/// Formats that the present budget has time for.
std::vector<Format> decode_formats(const Lab& lab);

/// One model for each format, each with a cache of its own.
class Decoders {
 public:
  /// Encodes the weights of a model, which must outlive this. Formats for which there is no memory are noted and left out.
  /// \throws std::runtime_error, one line, where logits are not what they should be
  Decoders(Lab& lab, const workload::Transformer& model, const std::vector<Format>& formats);

  /// A token after decode_context others, in each format, on all cores and on one. This must outlive them.
  std::vector<Variant> variants();

  std::vector<Format> formats() const;

  /// What a token reads. \pre the format is one of formats()
  double bytes(Format format) const { return static_cast<double>(of(format).model.bytes_per_token(decode_context)); }

  /// Runs tokens one after the other from position 0 on. \return logits (V) after the last
  /// \pre the format is one of formats(); at least one token, at most decode_context
  std::vector<float> logits(Format format, std::span<const int> tokens);

 private:
  struct Decoder {
    FormatTransformer model;
    workload::KvCache cache;

    Decoder(const workload::Transformer& from, Format format);
    std::span<const float> step() { return model.decode(1, decode_context, cache); }
  };
  Decoder& of(Format format) const;

  std::vector<std::unique_ptr<Decoder>> decoders_;
};

/// Reading memory with all cores and with one, as many bytes as a token in each format reads: what predictions are made
/// from. A shared cache keeps a larger part of little than of much from one time to the next.
class ReadRuns {
 public:
  /// \throws OutOfMemory
  explicit ReadRuns(const Decoders& decoders);

  /// "read q4_0", "read q4_0 one". It must outlive them.
  std::vector<Variant> variants();

  Estimate gbs(const Sampling& sampling, Format format, Cores cores) const;

 private:
  /// Of so many bytes in all, what lies in a thread's part of the array.
  std::span<const std::uint64_t> part(int thread, double bytes) const;

  const Decoders& decoders_;
  Team all_, one_{1};
  SharedArray array_;
};

/// Interleaved, in the present step: seconds of a token, and of what is held against it. "q4_0", "read q4_0" and
/// "llama q4_0" follow each other at once.
Sampling time_decoding(const Lab& lab, std::vector<Variant> variants);

}  // namespace hf::precision
