#include "06-precision/bench/decode_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "00-workload/kernels/transformer.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/model/format_transformer.hpp"
#include "common/loop_team.hpp"
#include "common/relative_distance.hpp"
#include "common/verify.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/shared_array.hpp"
#include "harness/side_by_side.hpp"
#include "harness/statistics.hpp"

namespace hf::precision {

std::string variant_id(const std::string& what, Cores cores) { return cores == Cores::all ? what : what + " one"; }

std::string decode_id(Format format, Cores cores) {
  return std::string("decode_") + id(format) + (cores == Cores::all ? "" : "_one");
}

namespace {

/// "read q4_0"
std::string read_id(Format format, Cores cores) { return variant_id(std::string("read ") + id(format), cores); }

/// What stands beside what: "q4_0 one" of "read q4_0 one".
std::string group_of(const std::string& variant) {
  for (const std::string prefix : {"read ", "llama padded ", "llama "}) {
    if (variant.starts_with(prefix)) return variant.substr(prefix.size());
  }
  return variant;
}

std::size_t most_bytes(const Decoders& decoders) {
  double most = 0;
  for (Format format : decoders.formats()) most = std::max(most, decoders.bytes(format));
  return static_cast<std::size_t>(most);
}

}  // namespace

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
    decoders_.push_back(std::make_unique<Decoder>(model, format));
    const std::span<const float> logits = decoders_.back()->step();
    if (exact.empty()) exact.assign(logits.begin(), logits.end());
    constexpr double allowed = 0.5;  // four bits lose some tenths; a kernel that is wrong gives other logits altogether
    verify(relative_distance(logits, exact) / allowed, std::string("a token in ") + label(format));
  }
}

std::vector<Variant> Decoders::variants() {
  std::vector<Variant> variants;
  for (const auto& each : decoders_) {
    Decoder& decoder = *each;
    const std::string what = id(decoder.model.format());
    variants.push_back(timed(variant_id(what, Cores::all), [&decoder] { decoder.step(); }));
    variants.push_back(timed(variant_id(what, Cores::one), [&decoder] {
      const OneCore alone;
      decoder.step();
    }));
  }
  return variants;
}

std::vector<Format> Decoders::formats() const {
  std::vector<Format> formats;
  for (const auto& decoder : decoders_) formats.push_back(decoder->model.format());
  return formats;
}

Decoders::Decoder& Decoders::of(Format format) const {
  const auto is_it = [format](const auto& decoder) { return decoder->model.format() == format; };
  return **std::find_if(decoders_.begin(), decoders_.end(), is_it);
}

std::vector<float> Decoders::logits(Format format, std::span<const int> tokens) {
  Decoder& decoder = of(format);
  std::span<const float> logits;
  for (std::size_t t = 0; t < tokens.size(); ++t) logits = decoder.model.decode(tokens[t], t, decoder.cache);
  return {logits.begin(), logits.end()};
}

ReadRuns::ReadRuns(const Decoders& decoders) : decoders_(decoders), array_(all_, most_bytes(decoders)) {}

std::vector<Variant> ReadRuns::variants() {
  std::vector<Variant> variants;
  for (Format format : decoders_.formats()) {
    const double bytes = decoders_.bytes(format);
    variants.push_back(
        timed(read_id(format, Cores::all), all_, [this, bytes](int thread) { read_words(part(thread, bytes)); }));
    variants.push_back(timed(read_id(format, Cores::one), one_, [this, bytes](int) {
      for (int thread = 0; thread < all_.size(); ++thread) read_words(part(thread, bytes));
    }));
  }
  return variants;
}

std::span<const std::uint64_t> ReadRuns::part(int thread, double bytes) const {
  const double share = bytes / sizeof(std::uint64_t) / all_.size();
  const std::span<const std::uint64_t> whole = array_.part(thread);
  return whole.first(std::min(whole.size(), static_cast<std::size_t>(share)));
}

Estimate ReadRuns::gbs(const Sampling& sampling, Format format, Cores cores) const {
  const double bytes = decoders_.bytes(format);
  return rate(bytes, sampling.of(read_id(format, cores)));
}

Sampling time_decoding(const Lab& lab, std::vector<Variant> variants) {
  std::map<std::string, std::vector<Variant>> by_name;
  for (Variant& variant : variants) by_name[group_of(variant.id)].push_back(std::move(variant));
  std::vector<std::vector<Variant>> groups;
  for (auto& [name, group] : by_name) groups.push_back(std::move(group));
  Plan plan = lab.memory_plan();
  plan.sample_seconds = 3e-3;
  plan.budget_seconds = lab.seconds_left();
  return sample_side_by_side(groups, plan);
}

}  // namespace hf::precision
