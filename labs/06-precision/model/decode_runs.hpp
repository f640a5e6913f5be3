/// \file
/// The language model writes a token in every format, timed among what it is held against.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "00-workload/transformer.hpp"
#include "06-precision/formats/formats.hpp"
#include "06-precision/model/format_transformer.hpp"
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

/// As variants are named: "q4_0" on all cores, "q4_0 one" on one; so "read" and "read one".
std::string variant_id(const std::string& what, Cores cores);

/// As results are named: "decode_q4_0" on all cores, "decode_q4_0_one" on one.
std::string decode_id(Format format, Cores cores);

/// The root of the mean square of a − b, over that of b.
double relative_distance(std::span<const float> a, std::span<const float> b);

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

  /// Decodes these tokens, one after the other, into an empty cache. \return the logits of the last
  std::vector<float> logits(Format format, std::span<const int> tokens);

  /// What a token reads in that format.
  double bytes(Format format) const;

 private:
  struct Decoder {
    FormatTransformer model;
    workload::KvCache cache;

    Decoder(const workload::Transformer& from, Format format);
    std::span<const float> step() { return model.decode(1, decode_context, cache); }
  };
  std::deque<Decoder> decoders_;  // variants keep their places
};

/// Reading memory with all cores and with one, as variants "read" and "read one": what predictions are made from.
class ReadRuns {
 public:
  /// \param bytes  of the array: more than caches hold \throws OutOfMemory
  explicit ReadRuns(std::size_t bytes) : all_array_(all_, bytes), one_array_(one_, bytes) {}

  /// It must outlive them.
  std::vector<Variant> variants();

  Estimate gbs(const Sampling& sampling, Cores cores) const;

 private:
  Team all_, one_{1};
  SharedArray all_array_, one_array_;
};

/// Interleaved, in the present step: the seconds of a token.
Sampling time_decoding(const Lab& lab, const std::vector<Variant>& variants);

}  // namespace hf::precision
