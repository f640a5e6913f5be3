#include "06-precision/bench/llama_race.hpp"

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
#include "06-precision/bench/decode_runs.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/model/gguf.hpp"
#include "common/peers/llama_peer.hpp"
#include "common/relative_distance.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/scratch_file.hpp"
#include "harness/statistics.hpp"
#include "harness/threads.hpp"

namespace hf::precision {
namespace {

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

}  // namespace

bool is_raced(Format format) {
  return format == Format::fp32 || format == Format::bf16 || format == Format::q8_0 || format == Format::q4_0;
}

bool is_told_of_llama(Format format, Cores cores) {
  return format == Format::q8_0 || (format == Format::bf16 && cores == Cores::one);
}

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
  for (const Entry& entry : entries_) {
    if (entry.logits.empty()) continue;
    const std::vector<float> ours = decoders.logits(entry.format, entry.text);
    lab.derived(std::string("logits_") + id(entry.format) + "_difference", relative_distance(ours, entry.logits));
  }
  for (Cores cores : {Cores::all, Cores::one}) add_speeds(lab, sampling, cores);
}

void LlamaRace::add_speeds(Lab& lab, const Sampling& sampling, Cores cores) const {
  const std::string one = cores == Cores::all ? "" : "_one";
  Series speeds = {"decode_tokens_llamacpp" + one, "llama.cpp", Kind::measured, {"format", "1"}, {"speed", "tokens/s"}};
  for (const Entry& entry : entries_) {
    const Format format = entry.format;
    const std::string variant = llama(format, entry.padded, cores), padded = entry.padded ? "_padded" : "";
    const Estimate speed = transform(sampling.of(variant), [](double s) { return 1 / s; });
    const std::string name = std::string("llamacpp_") + id(format) + padded + one;
    lab.add(Value(name + "_tokens_per_s", speed, "tokens/s"));
    lab.add(Value(decode_id(format, cores) + "_over_llamacpp" + padded,
                  sampling.ratio(variant, variant_id(id(format), cores)), "1"));
    if (entry.padded) continue;
    if (is_told_of_llama(format, cores)) lab.derived(name + "_over_predicted");
    speeds.points.emplace_back(static_cast<double>(format), speed, label(format));
  }
  if (!entries_.empty()) lab.add(std::move(speeds));
}

}  // namespace hf::precision
