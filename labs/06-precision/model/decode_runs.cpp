#include "06-precision/model/decode_runs.hpp"

#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "00-workload/checks.hpp"
#include "00-workload/loop_team.hpp"
#include "00-workload/transformer.hpp"
#include "06-precision/formats/formats.hpp"
#include "06-precision/model/format_transformer.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/shared_array.hpp"
#include "harness/statistics.hpp"

namespace hf::precision {
std::string variant_id(const std::string& what, Cores cores) { return cores == Cores::all ? what : what + " one"; }

std::string decode_id(Format format, Cores cores) {
  return std::string("decode_") + id(format) + (cores == Cores::all ? "" : "_one");
}

double relative_distance(std::span<const float> a, std::span<const float> b) {
  double difference = 0, all = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += static_cast<double>(a[i] - b[i]) * static_cast<double>(a[i] - b[i]);
    all += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return std::sqrt(difference / all);
}

std::vector<Format> decode_formats(const Lab& lab) {
  if (lab.quick()) return {Format::fp32, Format::bf16, Format::q8_0, Format::q4_0};
  return {all_formats.begin(), all_formats.end()};
}

Decoders::Decoder::Decoder(const workload::Transformer& from, Format format)
    : model(from, format), cache(from.shape(), 1, decode_context + 1) {}

Decoders::Decoders(Lab& lab, const workload::Transformer& model, const std::vector<Format>& formats) {
  const std::size_t most = 2 * sizeof(float) * model.shape().parameters();  // while a matrix is encoded
  std::vector<float> exact;
  for (Format format : formats) {
    lab.tick();
    if (available_memory_bytes() < most) {
      lab.incomplete(std::string("too little memory for the language model in ") + label(format));
      continue;
    }
    const std::span<const float> logits = decoders_.emplace_back(model, format).step();
    if (exact.empty()) exact.assign(logits.begin(), logits.end());
    constexpr double allowed = 0.5;  // four bits lose some tenths; a kernel that is wrong gives other logits altogether
    workload::demand(relative_distance(logits, exact) / allowed, std::string("a token in ") + label(format));
  }
}

std::vector<Variant> Decoders::variants() {
  std::vector<Variant> variants;
  for (Decoder& decoder : decoders_) {
    const std::string what = id(decoder.model.format());
    variants.push_back(timed(variant_id(what, Cores::all), [&decoder] { decoder.step(); }));
    variants.push_back(timed(variant_id(what, Cores::one), [&decoder] {
      const workload::OneCore alone;
      decoder.step();
    }));
  }
  return variants;
}

std::vector<Format> Decoders::formats() const {
  std::vector<Format> formats;
  for (const Decoder& decoder : decoders_) formats.push_back(decoder.model.format());
  return formats;
}

std::vector<float> Decoders::logits(Format format, std::span<const int> tokens) {
  std::span<const float> last;
  for (Decoder& decoder : decoders_) {
    if (decoder.model.format() != format) continue;
    for (std::size_t i = 0; i < tokens.size(); ++i) last = decoder.model.decode(tokens[i], i, decoder.cache);
  }
  return {last.begin(), last.end()};
}

double Decoders::bytes(Format format) const {
  for (const Decoder& decoder : decoders_) {
    if (decoder.model.format() == format) return static_cast<double>(decoder.model.bytes_per_token(decode_context));
  }
  return 0;
}

std::vector<Variant> ReadRuns::variants() {
  return {timed(variant_id("read", Cores::all), all_, [this](int thread) { read_words(all_array_.part(thread)); }),
          timed(variant_id("read", Cores::one), one_, [this](int thread) { read_words(one_array_.part(thread)); })};
}

Estimate ReadRuns::gbs(const Sampling& sampling, Cores cores) const {
  const double bytes = cores == Cores::all ? all_array_.bytes(all_) : one_array_.bytes(one_);
  return transform(sampling.of(variant_id("read", cores)), [bytes](double s) { return bytes / s * 1e-9; });
}

Sampling time_decoding(const Lab& lab, const std::vector<Variant>& variants) {
  Plan plan = lab.memory_plan();
  plan.sample_seconds = 5e-3;
  plan.warm_seconds = 1e-3;  // a text is one token after the other: what a cache keeps from one to the next is theirs
  plan.budget_seconds = lab.seconds_left();
  return sample_interleaved(variants, plan);
}

}  // namespace hf::precision
