// The race against llama.cpp.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "00-workload/kernels/transformer.hpp"
#include "06-precision/bench/model.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/model/gguf.hpp"
#include "common/peers/llama_peer.hpp"
#include "common/relative_distance.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/scratch_file.hpp"
#include "harness/statistics.hpp"
#include "harness/threads.hpp"

namespace hf::precision {
namespace {

const Axis ratio_axis = {"ratio", "1"};

constexpr std::size_t logit_context = 16;

/// A text in numbers.
std::vector<int> text(std::size_t length, const workload::TransformerShape& shape) {
  std::vector<int> tokens;
  for (std::size_t i = 0; i < length; ++i) tokens.push_back(static_cast<int>((7919 * i + 1) % shape.vocabulary));
  return tokens;
}

/// Tokens that fill a vocabulary up to a multiple of 64.
std::size_t tokens_to_fill(const workload::TransformerShape& shape) { return (64 - shape.vocabulary % 64) % 64; }

std::string llama(Format format, bool padded, Cores cores) {
  return variant_id(std::string(padded ? "llama padded " : "llama ") + id(format), cores);
}

/// Formats that llama.cpp has, and in which it decodes fast.
bool is_raced(Format format) {
  return format == Format::fp32 || format == Format::bf16 || format == Format::q8_0 || format == Format::q4_0;
}

}  // namespace

LlamaRace::LlamaRace(Lab& lab, const workload::Transformer& model, const std::vector<Format>& formats) {
  try {
    peer_ = std::make_unique<LlamaPeer>();
    for (Format format : formats) {
      lab.tick();
      if (is_raced(format)) enter(lab, model, format, 0);
      const std::size_t empty_tokens = tokens_to_fill(model.shape());
      if (format == Format::q4_0 && empty_tokens > 0) enter(lab, model, format, empty_tokens);
    }
  } catch (const PeerFailed& failed) {
    lab.note(std::string("not raced: ") + failed.what());
    entries_.clear();
  }
}

void LlamaRace::enter(Lab& lab, const workload::Transformer& model, Format format, std::size_t empty_tokens) {
  const ScratchFile file;
  try {
    if (available_memory_bytes() < 2 * gguf_bytes(model, format, empty_tokens))
      throw std::runtime_error("too little memory");
    write_gguf(model, format, file.path(), empty_tokens);
  } catch (const std::runtime_error& error) {
    return lab.note(std::string("llama.cpp is not raced in ") + label(format) + ": " + error.what());
  }
  Entry entry = {format, empty_tokens > 0, peer_->load(file.path()), text(logit_context, model.shape()), {}};
  if (!entry.padded && format != Format::bf16) {  // of those the chapter makes claims
    peer_->prime(entry.model, entry.text);
    entry.logits = peer_->logits(entry.model);
  }
  peer_->prime(entry.model, text(decode_context, model.shape()));
  entries_.push_back(std::move(entry));
}

double LlamaRace::seconds(int model, Cores cores, std::int64_t times) {
  if (failure_.empty()) {
    try {
      return peer_->step_seconds(model, cores == Cores::all ? static_cast<int>(usable_cores().size()) : 1, times);
    } catch (const PeerFailed& error) {
      failure_ = error.what();
    }
  }
  return std::numeric_limits<double>::infinity();
}

std::vector<Variant> LlamaRace::variants() {
  std::vector<Variant> variants;
  for (const Entry& entry : entries_) {
    for (Cores cores : {Cores::all, Cores::one}) {
      variants.push_back(
          {llama(entry.format, entry.padded, cores),
           [this, model = entry.model, cores](std::int64_t times) { return seconds(model, cores, times); }});
    }
  }
  return variants;
}

void LlamaRace::add_results(Lab& lab, Decoders& decoders, const Sampling& sampling) const {
  if (!failure_.empty()) return lab.note("not raced: " + failure_);
  if (entries_.empty()) return;
  Series differences = series_by_format("logits_difference", "ours and llama.cpp's", ratio_axis);
  for (const Entry& entry : entries_) {
    if (entry.logits.empty()) continue;
    const double difference = relative_distance(decoders.logits(entry.format, entry.text), entry.logits);
    differences.points.emplace_back(static_cast<double>(entry.format), estimate({difference}), label(entry.format));
  }
  lab.add(std::move(differences));
  for (Cores cores : {Cores::all, Cores::one}) add_speeds(lab, sampling, cores);
}

void LlamaRace::add_speeds(Lab& lab, const Sampling& sampling, Cores cores) const {
  const bool all = cores == Cores::all;
  const std::string threads = all ? "all threads" : "one thread";
  Series speeds = series_by_format(all ? "decode_tokens_llamacpp" : "decode_tokens_llamacpp_one", "llama.cpp",
                                   {"speed", "tokens/s"});
  Series over_predicted =
      series_by_format(all ? "llamacpp_over_predicted" : "llamacpp_one_over_predicted", threads, ratio_axis);
  Series ours_over = series_by_format(all ? "decode_over_llamacpp" : "decode_one_over_llamacpp", threads, ratio_axis);
  for (const Entry& entry : entries_) {
    const std::string ours = variant_id(id(entry.format), cores), theirs = llama(entry.format, entry.padded, cores);
    const Estimate speed = transform(sampling.of(theirs), [](double s) { return 1 / s; });
    const Estimate over = sampling.ratio(theirs, ours);
    if (entry.padded) {
      lab.add(Value(all ? "llamacpp_q4_0_padded_tokens_per_s" : "llamacpp_q4_0_padded_one_tokens_per_s", speed,
                    "tokens/s"));
      lab.add(Value(all ? "decode_q4_0_over_llamacpp_padded" : "decode_q4_0_one_over_llamacpp_padded", over, "1"));
      continue;
    }
    const double x = static_cast<double>(entry.format), allowed = 1 / sampling.of("read " + ours).median;
    speeds.points.emplace_back(x, speed, label(entry.format));
    over_predicted.points.emplace_back(x, estimate({speed.median / allowed}), label(entry.format));
    ours_over.points.emplace_back(x, over, label(entry.format));
  }
  for (Series* series : {&speeds, &over_predicted, &ours_over}) lab.add(std::move(*series));
}

}  // namespace hf::precision
