// Times a language model in every format, interleaved with its references: reading the same number of bytes, the work
// between its products, and llama.cpp. It writes a token, or reads a prompt.
#include "06-precision/bench/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "06-precision/bench/gguf.hpp"
#include "06-precision/bench/steps.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/model/format_transformer.hpp"
#include "06-precision/kernels/model/prompt_reader.hpp"
#include "harness/machine/cores.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/scratch_file.hpp"
#include "harness/measure/shared_array.hpp"
#include "harness/measure/side_by_side.hpp"
#include "harness/report/lab.hpp"
#include "kit/loop_team.hpp"
#include "kit/peers/llama_peer.hpp"
#include "kit/relative_distance.hpp"
#include "kit/transformer/transformer.hpp"
#include "kit/verify.hpp"

namespace hf::precision {

namespace {

const Axis speed_axis = {"speed", "tokens/s"}, ratio_axis = {"ratio", "1"};

/// Names a variant: "q4_0" on all cores, "q4_0 one" on one; likewise "read q4_0" and "read q4_0 one".
std::string variant_id(const std::string& what, Threads threads) {
  return threads == Threads::all ? what : what + " one";
}

std::string name_of(Threads threads) { return threads == Threads::all ? "all threads" : "one thread"; }

/// Returns a series with one point for each format: rows in a page's table. A page refers to a point as
/// "decode_tokens[q4_0]".
Series series_by_format(const char* id, const std::string& label, const Axis& axis, Kind kind = Kind::measured) {
  return {id, label, kind, {"format", "1"}, axis};
}

/// Adds the series that have an id.
void add_named(Lab& lab, std::initializer_list<Series*> all) {
  for (Series* series : all) {
    if (!series->id.empty()) lab.add(std::move(*series));
  }
}

Estimate tokens_per_s(const Estimate& seconds) {
  return transform(seconds, [](double s) { return 1 / s; });
}

}  // namespace

// ---- Our decoders ----

std::span<const float> Decoder::logits(std::span<const int> tokens) {
  std::span<const float> logits;
  for (std::size_t t = 0; t < tokens.size(); ++t) logits = model.decode(tokens[t], t, cache);
  return logits;
}

Decoders decoders_of(Lab& lab, const ModelView& model, const std::vector<Format>& formats) {
  const std::size_t most = 2 * sizeof(float) * model.weights.all().size();  // while a matrix is encoded
  Decoders decoders;
  std::vector<float> exact;
  for (Format format : formats) {
    lab.tick();
    if (available_memory_bytes() < most) {
      lab.incomplete(std::string("too little memory for the language model in ") + label(format));
      continue;
    }
    const std::span<const float> logits = decoders.try_emplace(format, model, format).first->second.step();
    if (exact.empty()) exact.assign(logits.begin(), logits.end());
    constexpr double allowed = 0.5;  // four bits lose some tenths; a wrong kernel gives unrelated logits
    verify(relative_distance(logits, exact) / allowed, std::string("a token in ") + label(format));
  }
  return decoders;
}

// ---- The race against llama.cpp ----

namespace {

constexpr std::size_t logit_context = 16;

/// Returns a text as token numbers.
std::vector<int> text(std::size_t length, const workload::TransformerShape& shape) {
  std::vector<int> tokens;
  for (std::size_t i = 0; i < length; ++i) tokens.push_back(static_cast<int>((7919 * i + 1) % shape.vocabulary));
  return tokens;
}

/// True for formats in which llama.cpp decodes fast.
bool is_raced(Format format) {
  return format == Format::fp32 || format == Format::bf16 || format == Format::q8_0 || format == Format::q4_0;
}

}  // namespace

LlamaRace::LlamaRace(Lab& lab, const ModelView& model, const Decoders& ours) {
  try {
    peer_ = std::make_unique<LlamaPeer>();
    for (const auto& [format, decoder] : ours) {
      lab.tick();
      if (is_raced(format)) enter(lab, model, format);
    }
  } catch (const PeerFailed& failed) {
    lab.note(std::string("not raced: ") + failed.what());
    entries_.clear();
  }
}

void LlamaRace::enter(Lab& lab, const ModelView& model, Format format) {
  const ScratchFile file;
  try {
    if (available_memory_bytes() < 2 * gguf_bytes(model, format)) throw std::runtime_error("too little memory");
    write_gguf(model, format, file.path());
  } catch (const std::runtime_error& error) {
    return lab.note(std::string("llama.cpp is not raced in ") + label(format) + ": " + error.what());
  }
  Entry entry = {format, peer_->load(file.path()), text(logit_context, model.shape), {}};
  peer_->prime(entry.model, entry.text);
  entry.logits = peer_->logits(entry.model);
  peer_->prime(entry.model, text(decode_context, model.shape));
  entries_.push_back(std::move(entry));
}

std::string LlamaRace::Entry::variant(Threads threads) const {
  return variant_id(std::string("llama ") + id(format), threads);
}

double LlamaRace::seconds(double (LlamaPeer::*task)(int, int, std::int64_t), int model, Threads threads,
                          std::int64_t times) {
  if (failure_.empty()) {
    try {
      return (*peer_.*task)(model, threads == Threads::all ? static_cast<int>(usable_cores().size()) : 1, times);
    } catch (const PeerFailed& error) {
      failure_ = error.what();
    }
  }
  return std::numeric_limits<double>::infinity();
}

std::vector<Variant> LlamaRace::variants(Format format, Threads threads) {
  std::vector<Variant> variants;
  for (const Entry& entry : entries_) {
    if (entry.format != format) continue;
    const auto run = [this, model = entry.model, threads](std::int64_t times) {
      return seconds(&LlamaPeer::step_seconds, model, threads, times);
    };
    variants.push_back({entry.variant(threads), run});
  }
  return variants;
}

std::vector<Variant> LlamaRace::prompt_variants(const ModelView& model, Format format) {
  std::vector<Variant> variants;
  for (const Entry& entry : entries_) {
    if (entry.format != format || !failure_.empty()) continue;
    try {
      peer_->prime(entry.model, text(prompt_length, model.shape));
    } catch (const PeerFailed& error) {
      failure_ = error.what();
    }
    for (const Threads threads : {Threads::all, Threads::one}) {
      const auto run = [this, index = entry.model, threads](std::int64_t times) {
        return seconds(&LlamaPeer::prompt_seconds, index, threads, times);
      };
      variants.push_back({entry.variant(threads), run});
    }
  }
  return variants;
}

void LlamaRace::add_results(Lab& lab, Decoders& decoders, const Sampling& sampling, const RaceIds& ids) {
  if (!failure_.empty()) return lab.note("not raced: " + failure_);
  constexpr double allowed = 0.1;  // four bits lose some tenths, but here both have the same weights
  std::erase_if(entries_, [&](const Entry& entry) {
    if (relative_distance(decoders.at(entry.format).logits(entry.text), entry.logits) <= allowed) return false;
    lab.note(std::string("llama.cpp gives a different result in ") + label(entry.format) + " and is left out");
    return true;
  });
  if (entries_.empty()) return;
  if (!lab.has("llamacpp_raced"))
    lab.add(Value("llamacpp_raced", static_cast<double>(entries_.size()), "1", Kind::measured,
                  "llama-cpp-python " + peer_->version()));
  add_speeds(lab, sampling, Threads::all, ids.all);
  add_speeds(lab, sampling, Threads::one, ids.one);
}

void LlamaRace::add_speeds(Lab& lab, const Sampling& sampling, Threads threads, const SpeedIds& ids) const {
  Series speeds = series_by_format(ids.llamacpp, "llama.cpp", speed_axis);
  Series ours_over = series_by_format(ids.over_llamacpp, name_of(threads), ratio_axis);
  for (const Entry& entry : entries_) {
    const std::string ours = variant_id(id(entry.format), threads), theirs = entry.variant(threads);
    const double x = static_cast<double>(entry.format);
    speeds.points.emplace_back(x, tokens_per_s(sampling.of(theirs)), label(entry.format));
    ours_over.points.emplace_back(x, sampling.ratio(theirs, ours), label(entry.format));
  }
  add_named(lab, {&speeds, &ours_over});
  lab.show("Writing", {ids.tokens, ids.llamacpp});
}

namespace {

// ---- References for both ----

/// Reads memory on all cores and on one, as many bytes as a token in each format reads. Predictions use these times.
/// The numbers of bytes must match because a shared cache retains a larger share of a small array between runs.
class TokenReads {
 public:
  /// \throws OutOfMemory
  explicit TokenReads(const Decoders& decoders) : array_(all_, most_bytes(decoders)) {}

  /// Returns a variant that reads this many bytes, such as "read q4_0". This object must outlive it.
  Variant variant(const std::string& id, double bytes, Threads threads) {
    if (threads == Threads::all)
      return timed("read " + id, all_, [this, bytes](int thread) { read_words(part(thread, bytes)); });
    return timed("read " + id, one_, [this, bytes](int) {
      for (int thread = 0; thread < all_.size(); ++thread) read_words(part(thread, bytes));
    });
  }

 private:
  static std::size_t most_bytes(const Decoders& decoders) {
    double most = 0;
    for (const auto& [format, decoder] : decoders) most = std::max(most, decoder.bytes());
    return static_cast<std::size_t>(most);
  }

  /// The part of the array that a thread reads when all threads read `bytes` bytes.
  std::span<const std::uint64_t> part(int thread, double bytes) const {
    const double share = bytes / sizeof(std::uint64_t) / all_.size();
    const std::span<const std::uint64_t> whole = array_.part(thread);
    return whole.first(std::min(whole.size(), static_cast<std::size_t>(share)));
  }

  Team all_, one_{1};
  SharedArray array_;
};

/// A variant that decodes a token, or only does the work between its products, from the caches. The decoder must
/// outlive it.
Variant decoder_variant(const std::string& id, Decoder& decoder, Threads threads, Products products = Products::run) {
  return timed(id, [&decoder, threads, products] {
    std::optional<OneCore> alone;
    if (threads == Threads::one) alone.emplace();
    decoder.step(products);
  });
}

/// Adds each token's predicted time to a sampling, as "predicted q4_0": in each round, the time to read its bytes plus
/// the time of the work between its products.
void add_predicted(Sampling& sampling, const Decoders& decoders) {
  for (const auto& [format, decoder] : decoders) {
    for (const Threads threads : {Threads::all, Threads::one}) {
      const std::string variant = variant_id(id(format), threads);
      std::vector<double> seconds = sampling.of("read " + variant).samples;
      const std::vector<double>& between = sampling.of(variant_id("between", threads)).samples;
      std::ranges::transform(seconds, between, seconds.begin(), std::plus());
      sampling.ids.push_back("predicted " + variant);
      sampling.seconds.push_back(estimate(std::move(seconds)));
    }
  }
}

/// Samples the seconds of a token and of its references, interleaved, in the current step. "q4_0", "read q4_0" and
/// "llama q4_0" immediately follow each other.
Sampling time_decoding(const Lab& lab, Decoders& decoders, TokenReads& reads, LlamaRace& race) {
  std::vector<std::vector<Variant>> groups;
  for (auto& [format, decoder] : decoders) {
    for (const Threads threads : {Threads::all, Threads::one}) {
      const std::string variant = variant_id(id(format), threads);
      std::vector<Variant>& group = groups.emplace_back(race.variants(format, threads));
      group.push_back(reads.variant(variant, decoder.bytes(), threads));
      group.push_back(decoder_variant(variant, decoder, threads));
    }
  }
  for (const Threads threads : {Threads::all, Threads::one}) {
    Decoder& any = decoders.begin()->second;  // the same work in all formats
    groups.push_back({decoder_variant(variant_id("between", threads), any, threads, Products::leave_out)});
  }
  Plan plan = lab.memory_plan();
  plan.sample_seconds = 3e-3;
  plan.budget_seconds = 0.7 * lab.seconds_left();  // the rest is for prompts
  Sampling sampling = sample_side_by_side(groups, plan);
  add_predicted(sampling, decoders);
  return sampling;
}

// ---- Prompts ----

/// Times reading a prompt in some formats, on all threads and on one, and llama.cpp's reading of the same one.
class PromptRace {
 public:
  PromptRace(const ModelView& model, LlamaRace& race, const RaceIds& ids)
      : model_(model), race_(race), all_(Threads::all, ids.prompt_all), one_(Threads::one, ids.prompt_one) {}

  /// \param seconds  how long to sample
  void run(Lab& lab, Format format, Decoder& decoder, double seconds) {
    if (available_memory_bytes() < 2 * 2 * model_.shape.parameters())
      return lab.note(std::string("too little memory for reading prompts in ") + label(format));
    PromptReader reader(decoder.model);
    workload::KvCache cache(model_.shape, 1, prompt_length);
    const std::vector<int> few = text(logit_context, model_.shape), prompt = text(prompt_length, model_.shape);
    constexpr double allowed = 0.1;  // both round activations, to 8 bits or to bf16, but not always to the same
    const std::span<const float> logits = reader.read(few, cache);
    verify(relative_distance(logits, decoder.logits(few)) / allowed, std::string("a prompt in ") + label(format));
    const bool was_well = race_.failure().empty();
    std::vector<Variant> variants = race_.prompt_variants(model_, format);
    for (const Threads threads : {Threads::all, Threads::one}) {
      variants.push_back(timed(variant_id(id(format), threads), [&, threads] {
        std::optional<OneCore> alone;
        if (threads == Threads::one) alone.emplace();
        reader.read(prompt, cache);
      }));
    }
    Plan plan = lab.plan();
    plan.budget_seconds = seconds;
    plan.warm_seconds = 0;  // a prompt takes longer than refilling the caches
    const Sampling sampling = sample_interleaved(variants, plan);
    if (was_well && !race_.failure().empty()) lab.note("prompts are not raced: " + race_.failure());
    all_.add(format, sampling);
    one_.add(format, sampling);
  }

  void add_to(Lab& lab) {
    all_.add_to(lab);
    one_.add_to(lab);
  }

 private:
  struct Speeds {
    Speeds(Threads threads, const PromptIds& ids)
        : of(threads),
          ours(series_by_format(ids.tokens, name_of(threads), speed_axis)),
          theirs(series_by_format(ids.llamacpp, "llama.cpp", speed_axis)),
          over(series_by_format(ids.over_llamacpp, name_of(threads), ratio_axis)) {}

    void add(Format format, const Sampling& sampling) {
      const auto speed = [](const Estimate& seconds) { return times(tokens_per_s(seconds), prompt_length); };
      const std::string mine = variant_id(id(format), of), peer = "llama " + mine;
      const double x = static_cast<double>(format);
      ours.points.emplace_back(x, speed(sampling.of(mine)), label(format));
      if (std::ranges::find(sampling.ids, peer) == sampling.ids.end()) return;
      if (!std::isfinite(sampling.of(peer).median)) return;  // it has failed
      theirs.points.emplace_back(x, speed(sampling.of(peer)), label(format));
      over.points.emplace_back(x, sampling.ratio(peer, mine), label(format));
    }
    void add_to(Lab& lab) {
      std::vector<std::string> added;
      for (Series* series : {&ours, &theirs, &over}) {
        if (series->points.empty()) continue;
        added.push_back(series->id);
        lab.add(std::move(*series));
      }
      if (!added.empty()) lab.show("Reading a prompt of " + std::to_string(prompt_length) + " tokens", added);
    }

    Threads of;
    Series ours, theirs, over;
  };

  const ModelView& model_;
  LlamaRace& race_;
  Speeds all_, one_;
};

/// Races prompts in the formats that both sides multiply as short numbers.
void race_prompts(Lab& lab, const ModelView& model, Decoders& decoders, LlamaRace& race, const RaceIds& ids) {
  std::vector<Format> formats = {Format::bf16, Format::q8_0, Format::q4_0};
  std::erase_if(formats, [&](Format format) { return !decoders.contains(format); });
  PromptRace prompts(model, race, ids);
  for (std::size_t i = 0; i < formats.size(); ++i) {
    lab.tick();
    const double seconds = lab.seconds_left() / static_cast<double>(formats.size() - i);
    prompts.run(lab, formats[i], decoders.at(formats[i]), seconds);
  }
  prompts.add_to(lab);
}

// ---- Predicted, and measured ----

/// If only products count, a token takes as long as reading its bytes.
void predict_tokens(Lab& lab, const Decoders& decoders) {
  const auto fp32 = decoders.find(Format::fp32), q4_0 = decoders.find(Format::q4_0);
  if (fp32 == decoders.end()) return;
  lab.modelled("decode_fp32_bytes", fp32->second.bytes(), "B");
  if (q4_0 == decoders.end()) return;
  lab.modelled("decode_q4_0_bytes", q4_0->second.bytes(), "B");
  lab.modelled("decode_q4_0_speedup_predicted", fp32->second.bytes() / q4_0->second.bytes());
}

/// Adds measured and predicted tokens a second for each format.
void add_speeds(Lab& lab, const Decoders& decoders, const Sampling& sampling, Threads threads, const SpeedIds& ids) {
  Series measured = series_by_format(ids.tokens, name_of(threads), speed_axis);
  Series predicted = series_by_format(ids.predicted, name_of(threads) + ", predicted", speed_axis, Kind::modelled);
  Series over = series_by_format(ids.over_predicted, name_of(threads), ratio_axis);
  for (const auto& [format, decoder] : decoders) {
    const std::string variant = variant_id(id(format), threads), from_bytes = "predicted " + variant;
    const double x = static_cast<double>(format);
    measured.points.emplace_back(x, tokens_per_s(sampling.of(variant)), label(format));
    predicted.points.emplace_back(x, tokens_per_s(sampling.of(from_bytes)).median, label(format));
    over.points.emplace_back(x, sampling.ratio(from_bytes, variant), label(format));
  }
  add_named(lab, {&measured, &predicted, &over});
}

/// Times the decoders against their predictions and llama.cpp.
Sampling race(Lab& lab, const ModelView& model, Decoders& decoders, const RaceIds& ids) {
  TokenReads reads(decoders);
  LlamaRace race(lab, model, decoders);
  Sampling sampling = time_decoding(lab, decoders, reads, race);
  add_speeds(lab, decoders, sampling, Threads::all, ids.all);
  add_speeds(lab, decoders, sampling, Threads::one, ids.one);
  race.add_results(lab, decoders, sampling, ids);
  race_prompts(lab, model, decoders, race, ids);
  return sampling;
}

}  // namespace

void measure_decode(Lab& lab) {
  const workload::Transformer model(workload::gpt2_small);
  std::vector<Format> formats(all_formats.begin(), all_formats.end());
  if (lab.quick()) formats = {Format::fp32, Format::bf16, Format::q8_0, Format::q4_0};
  Decoders decoders = decoders_of(lab, model, formats);
  if (decoders.empty()) return;
  predict_tokens(lab, decoders);
  const Sampling sampling = race(lab, model, decoders, small_ids);
  lab.add(Value("decode_between_us", times(sampling.of("between"), 1e6), "us"));
  if (lab.has("decode_q4_0_bytes")) lab.add(Value("decode_q4_0_speedup", sampling.ratio("fp32", "q4_0"), "1"));
}

/// All layers have the same weights, but each encodes its own copy, so a token reads as many bytes as with distinct
/// weights.
void measure_large_decode(Lab& lab) {
  constexpr workload::TransformerShape shape = {20, 2048, 16, 32768, 256}, one_layer = {1, 2048, 16, 32768, 256};
  const std::size_t bytes = 6 * shape.parameters();  // both models in both formats, a file, and TokenReads
  if (lab.quick()) return lab.note("a language model of a billion weights is raced only with the full budget");
  if (available_memory_bytes() < 2 * bytes)
    return lab.note("too little memory for a language model of a billion weights");
  workload::TransformerTensors weights(one_layer);
  weights.randomise();
  weights.layers.resize(shape.layers, weights.layers.front());
  const ModelView model(shape, weights);
  Decoders decoders = decoders_of(lab, model, {Format::q8_0, Format::q4_0});
  race(lab, model, decoders, large_ids);
}

}  // namespace hf::precision
