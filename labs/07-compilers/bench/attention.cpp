// Times attention without its matrix.
#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <functional>
#include <future>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/bench/fusion.hpp"
#include "07-compilers/bench/steps.hpp"
#include "07-compilers/bench/torch_race.hpp"
#include "07-compilers/kernels/attention/attention.hpp"
#include "harness/measure/shared_array.hpp"
#include "kit/loop_team.hpp"
#include "kit/product.hpp"
#include "kit/reference.hpp"

namespace hf::compilers {
namespace {

const Axis tokens_axis = {"tokens", "1"}, speed_axis = {"speed", "GFLOP/s"}, memory_axis = {"memory", "B"};

constexpr std::size_t shown_tokens = 4096;  // for the closer look
constexpr std::size_t head_width = 64;      // d of the timed heads

Head head_of(std::size_t tokens) { return {tokens, tokens, head_width}; }

// ---- Operands ----

/// Random queries, keys and values, whose scores have a variance of about 1, and memory for the result.
class AttentionArrays {
 public:
  explicit AttentionArrays(std::size_t tokens)
      : head_(head_of(tokens)), memory_(4 * numbers() * sizeof(float), Pages::base) {
    fill_random({q(), 3 * numbers()}, 1, 1.7f);
  }

  const Head& head() const { return head_; }
  float* q() const { return memory_.as<float>().data(); }
  float* k() const { return q() + numbers(); }
  const float* v() const { return k() + numbers(); }
  float* out() const { return q() + 3 * numbers(); }

  std::span<const float> result() const { return {out(), numbers()}; }

  void poison() const { std::fill_n(out(), numbers(), std::numeric_limits<float>::quiet_NaN()); }

  /// The largest error in some rows.
  double error_share() const {
    const std::size_t n = head_.queries, d = head_.d;
    std::vector<Reference> row(d);
    double worst = 0;
    for (const std::size_t i : {std::size_t{0}, n / 3, n / 2 + 1, n - 1}) {
      reference_attention(n, d, q(), k(), v(), i, row);
      worst = std::max(worst, worst_error_share({out() + i * d, d}, row));
    }
    return worst;
  }

 private:
  std::size_t numbers() const { return head_.queries * head_.d; }

  Head head_;
  Buffer memory_;
};

bool fits_into_memory(std::size_t bytes) { return as_double(bytes) < 0.5 * as_double(available_memory_bytes()); }

// ---- Memory ----

/// Exact number of resident bytes of this process; the counters in /proc/self/status lag behind.
std::optional<std::size_t> resident_bytes() {
  std::ifstream pages("/proc/self/smaps_rollup");
  for (std::string word; pages >> word;) {
    std::size_t kib = 0;
    if (word == "Rss:" && pages >> kib) return kib * 1024;
  }
  return {};
}

/// Bytes, operands included, that become resident while attention over `tokens` tokens is prepared and run on one
/// thread, measured several times. nullopt if the system does not report them, or if memory is too small.
std::optional<Estimate> resident_bytes(std::size_t tokens, std::size_t scratch,
                                       const std::function<void(const AttentionArrays& of)>& attend) {
  constexpr int times = 2;
  if (!fits_into_memory(scratch)) return {};
  std::vector<double> samples;
  for (int i = 0; i < times; ++i) {
    const std::optional<std::size_t> bytes = resident_growth([&] {
      const Pinned pinned;
      const OneCore one;
      static thread_local std::optional<AttentionArrays> arrays;  // held until the thread ends
      attend(arrays.emplace(tokens));
    });
    if (!bytes) return {};
    samples.push_back(as_double(*bytes));
  }
  return estimate(samples);
}

void flash(const AttentionArrays& of) { flash_attention(of.head(), of.q(), of.k(), of.v(), of.out()); }

void attend_with_matrix(const AttentionArrays& of) {
  static thread_local std::optional<NaiveAttention> naive;
  naive.emplace(of.head()).run(of.q(), of.k(), of.v(), of.out());
}

void measure_attention_memory(Lab& lab, const std::vector<std::size_t>& tokens) {
  Series naive = {"naive_memory", "with the matrix", Kind::measured, tokens_axis, memory_axis};
  Series without = {"flash_memory", "without", Kind::measured, tokens_axis, memory_axis};
  for (const std::size_t n : tokens) {
    lab.tick();
    if (const auto bytes = resident_bytes(n, 0, flash)) without.points.emplace_back(as_double(n), *bytes);
    if (n > shown_tokens) continue;  // the square is evident by then, and takes long
    const std::size_t scratch = NaiveAttention::scratch_bytes(head_of(n));
    if (const auto bytes = resident_bytes(n, scratch, attend_with_matrix))
      naive.points.emplace_back(as_double(n), *bytes);
  }
  if (without.points.empty())
    return lab.note("the memory of attention was not measured: there is no /proc/self/smaps_rollup");
  const auto at = [&](std::size_t n) { return std::ranges::find(without.points, as_double(n), &Point::x); };
  const auto few = at(shown_tokens / 4), many = at(shown_tokens), none = without.points.end();
  if (few != none && many != none) lab.derived("flash_memory_growth", many->y.median / few->y.median);
  lab.add(std::move(without));
  if (!naive.points.empty()) lab.add(std::move(naive));
}

// ---- Predictions ----

/// Numbers of tokens. Leaves out, with a note, those that take too long on a machine with this peak.
std::vector<std::size_t> attention_tokens(Lab& lab, double peak_gflops) {
  constexpr double runs = 20, share_of_peak = 0.4;
  std::vector<std::size_t> tokens;
  for (const std::size_t n : {512, 1024, 2048, 4096, 8192, 16384}) {
    if (lab.quick() && n > shown_tokens) break;
    const double seconds = runs * head_of(n).flops() / (share_of_peak * peak_gflops * 1e9);
    if (!tokens.empty() && seconds > 2 * lab.step_seconds()) {
      lab.note("attention over " + std::to_string(n) + " tokens or more was not measured: it takes too long");
      break;
    }
    tokens.push_back(n);
  }
  return tokens;
}

void predict_attention(Lab& lab, const std::vector<std::size_t>& tokens) {
  Series naive_memory = {"naive_memory_predicted", "with the matrix", Kind::modelled, tokens_axis, memory_axis};
  Series flash_memory = {"flash_memory_predicted", "without", Kind::modelled, tokens_axis, memory_axis};
  for (const std::size_t n : tokens) {
    const std::size_t operands = 4 * sizeof(float) * n * head_width;
    naive_memory.points.emplace_back(as_double(n), as_double(operands + NaiveAttention::scratch_bytes(head_of(n))));
    flash_memory.points.emplace_back(as_double(n), as_double(operands + flash_scratch_bytes(head_width)));
  }
  for (Series* series : {&naive_memory, &flash_memory}) lab.add(std::move(*series));
  lab.show("Predicted: memory of attention", {"naive_memory_predicted", "flash_memory_predicted"});
  lab.modelled("flash_products_per_score", 2 * as_double(head_width));
  lab.modelled("flash_slots_per_score", 2 * as_double(head_width) + flash_instructions_per_score());
  lab.modelled("online_new_highs_predicted", expected_new_highs(shown_tokens));
}

/// How often a query's score is higher than all before it. Each sample is the mean of some queries.
Estimate new_highs_per_query(std::size_t tokens) {
  constexpr std::size_t samples = 8, queries = 32;
  const AttentionArrays arrays(tokens);
  std::vector<double> out(head_width), means;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    double sum = 0;
    for (std::size_t query = 0; query < queries; ++query) {
      const std::size_t i = (sample * queries + query) * tokens / (samples * queries);
      sum += as_double(online_attention(arrays.head(), arrays.q(), arrays.k(), arrays.v(), i, out));
    }
    means.push_back(sum / queries);
  }
  return estimate(means);
}

// ---- The race ----

/// "flash all" for all threads.
std::string variant_id(Threads threads, const std::string& id) { return threads == Threads::all ? id + " all" : id; }

std::string torch_attention(Threads threads) { return torch_id(TorchMode::eager, "attention", threads); }

/// Results for one number of tokens. The variants are "flash", "naive" and "peak", each on one thread and on all; and
/// torch_attention(), if PyTorch is installed.
struct AttentionHeat {
  std::size_t tokens;
  double flops;                                 ///< in one attention
  std::map<std::string, Estimate> gflops = {};  ///< by variant; PyTorch's only if it ran to the end
  double one_gbs = 0, all_gbs = 0;              ///< memory traffic of copies

  /// Speed of one variant relative to another. \pre both were sampled
  Estimate speed_ratio(const std::string& id, const std::string& other) const {
    return ratio(gflops.at(id).samples, gflops.at(other).samples);
  }
};

/// Races every attention variant that fits in memory at one sequence length; checks each first.
class AttentionRace {
 public:
  /// Leaves out variants that don't fit in memory, with a note.
  /// \throws std::runtime_error for a wrong result
  AttentionRace(Lab& lab, Roofs& roofs, std::size_t tokens)
      : lab_(lab),
        roofs_(roofs),
        arrays_(tokens),
        peak_(peak_variant(Precision::fp32, one_)),
        all_peak_(peak_variant(Precision::fp32, all_)),
        torch_(lab),
        heat_{.tokens = tokens, .flops = arrays_.head().flops()} {
    variants_ = {peak_.variant, {"peak all", all_peak_.variant.seconds}};
    for (const Threads threads : {Threads::all, Threads::one}) variants_.push_back(roofs.copies(threads).front());
    for (const Threads threads : {Threads::all, Threads::one}) enter("flash", threads, [this] { flash(arrays_); });
    enter_naive();
    constexpr double torch_bound = 1e-5;  // for the distance between PyTorch's result and ours
    torch_.enter("attention",
                 TorchProgram{"def graph(q, k, v):\n    return F.scaled_dot_product_attention(q, k, v)\n",
                              std::vector(3, std::vector<std::size_t>{1, 1, tokens, head_width})},
                 std::array<const float*, 3>{arrays_.q(), arrays_.k(), arrays_.v()}, arrays_.result(), torch_bound,
                 {.modes = {TorchMode::eager}, .threads = {Threads::one, Threads::all}});
    for (Variant& variant : torch_.variants()) variants_.push_back(std::move(variant));
  }
  AttentionRace(const AttentionRace&) = delete;
  AttentionRace& operator=(const AttentionRace&) = delete;

  /// Runs as many rounds as fit, with samples as long as a large head takes.
  AttentionHeat run(double seconds) {
    Plan plan = lab_.plan();
    plan.budget_seconds = seconds;
    plan.minimum_rounds = 3;
    plan.sample_seconds =
        std::clamp(heat_.flops / 2e11, 2e-3, 50e-3);  // for the peak too: some machines are faster in bursts
    if (heat_.flops > 1e9) plan.warm_seconds = 0;     // a sample takes longer than refilling the caches
    const Sampling sampling = sample_interleaved(variants_, plan);
    for (const std::string& id : sampling.ids) {
      if (id.starts_with("torch") && !torch_.is_there(id)) continue;
      const double flops = id == "peak" ? peak_.flops : id == "peak all" ? all_peak_.flops : heat_.flops;
      heat_.gflops.emplace(id, rate(flops, sampling.of(id)));
    }
    heat_.one_gbs = roofs_.traffic_gbs(sampling, roofline::Stream::copy, Threads::one).median;
    heat_.all_gbs = roofs_.traffic_gbs(sampling, roofline::Stream::copy, Threads::all).median;
    return heat_;
  }

 private:
  void enter(const std::string& id, Threads threads, const std::function<void()>& run) {
    Variant variant = timed(variant_id(threads, id), run);
    if (threads == Threads::one) variant = pinned(std::move(variant));
    arrays_.poison();
    variant.seconds(1);
    verify(arrays_.error_share(),
           "attention, " + variant.id + ", of " + std::to_string(arrays_.head().queries) + " tokens");
    variants_.push_back(std::move(variant));
  }

  void enter_naive() {
    if (!fits_into_memory(NaiveAttention::scratch_bytes(arrays_.head()))) {
      return lab_.note("there is too little memory for the scores of " + std::to_string(heat_.tokens) + " tokens");
    }
    naive_.emplace(arrays_.head());
    for (const Threads threads : {Threads::one, Threads::all}) {
      enter("naive", threads, [this] { naive_->run(arrays_.q(), arrays_.k(), arrays_.v(), arrays_.out()); });
    }
  }

  Lab& lab_;
  Roofs& roofs_;
  AttentionArrays arrays_;
  Team one_{1}, all_;
  PeakVariant peak_, all_peak_;
  TorchRace torch_;
  AttentionHeat heat_;
  std::optional<NaiveAttention> naive_;
  std::vector<Variant> variants_;
};

using Heats = std::vector<AttentionHeat>;

Heats race_all(Lab& lab, const std::vector<std::size_t>& tokens) {
  Roofs roofs(default_dram_bytes());
  const auto weight = [](std::size_t n) { return head_of(n).flops() + 1e10; };  // enough for the short ones
  double total = 0;
  for (const std::size_t n : tokens) total += weight(n);
  const double seconds = lab.seconds_left();
  Heats heats;
  for (const std::size_t n : tokens) heats.push_back(AttentionRace(lab, roofs, n).run(seconds * weight(n) / total));
  return heats;
}

// ---- Results ----

/// Adds the speeds predicted from counts and from the roofs of the same rounds. Scores move like copies: each is
/// written, after its line was read, and the softmax reads and writes it.
void add_predicted_speeds(Lab& lab, const Heats& heats, Threads threads) {
  const bool all = threads == Threads::all;
  const std::string id = all ? "_speed_all_predicted" : "_speed_predicted";
  Series flash = {"flash" + id, "without, predicted", Kind::modelled, tokens_axis, speed_axis};
  Series naive = {"naive" + id, "with the matrix, predicted", Kind::modelled, tokens_axis, speed_axis};
  for (const AttentionHeat& heat : heats) {
    const Head head = head_of(heat.tokens);
    const bool in_cache = 4 * head.weights() < as_double(lab.machine().last_level_cache_bytes());
    const double peak = heat.gflops.at(variant_id(threads, "peak")).median;
    const double gbs = all ? heat.all_gbs : heat.one_gbs;
    const Roofline roof = {peak, in_cache ? std::numeric_limits<double>::infinity() : gbs};
    flash.points.emplace_back(as_double(heat.tokens), heat.flops / roof.seconds(flash_work(head)) * 1e-9);
    naive.points.emplace_back(as_double(heat.tokens), heat.flops / predicted_seconds(roof, naive_work(head)) * 1e-9);
  }
  for (Series* series : {&flash, &naive}) lab.add(std::move(*series));
}

/// Adds the lowest share of the peak, over all numbers of tokens from 1024 on.
void add_least_over_peak(Lab& lab, const Heats& heats) {
  std::vector<double> shares;
  for (const AttentionHeat& heat : heats) {
    if (heat.tokens >= 1024) shares.push_back(heat.speed_ratio("flash", "peak").median);
  }
  if (!shares.empty()) lab.derived("flash_over_peak_min", std::ranges::min(shares));
}

/// Adds results at 4096 tokens on one thread.
void add_shown(Lab& lab, const AttentionHeat& heat) {
  const auto add_ratio = [&](const char* value, const char* id, const char* other) {
    if (heat.gflops.contains(id) && heat.gflops.contains(other)) {
      lab.add(Value(value, heat.speed_ratio(id, other), "1"));
    }
  };
  add_ratio("flash_over_peak_4096", "flash", "peak");
  add_ratio("flash_over_naive_4096", "flash", "naive");
  add_ratio("naive_over_peak_4096", "naive", "peak");
}

void add_attention(Lab& lab, const Heats& heats) {
  for (const Threads threads : {Threads::one, Threads::all}) {
    const std::string end = threads == Threads::all ? "_all" : "";
    const auto add = [&](const std::string& variant, const std::string& id, const char* label) {
      Series series = {id + end, label, Kind::measured, tokens_axis, speed_axis};
      for (const AttentionHeat& heat : heats) {
        const auto found = heat.gflops.find(variant);
        if (found != heat.gflops.end()) series.points.emplace_back(as_double(heat.tokens), found->second);
      }
      if (!series.points.empty()) lab.add(std::move(series));
    };
    add(variant_id(threads, "flash"), "flash_speed", "without the matrix");
    add(variant_id(threads, "naive"), "naive_speed", "with the matrix");
    add(torch_attention(threads), "torch_attention_speed", "PyTorch");
    add(variant_id(threads, "peak"), "attention_peak", "peak");
    add_predicted_speeds(lab, heats, threads);
  }
  add_least_over_peak(lab, heats);
  for (const AttentionHeat& heat : heats) {
    if (heat.tokens == shown_tokens) add_shown(lab, heat);
  }
}

}  // namespace

std::optional<std::size_t> resident_growth(const std::function<void()>& work) {
  const auto growth = [&]() -> std::optional<std::size_t> {
    const std::optional<std::size_t> before = resident_bytes();
    work();
    const std::optional<std::size_t> after = resident_bytes();
    if (!before || !after) return {};
    return *after > *before ? *after - *before : 0;
  };
  return std::async(std::launch::async, growth).get();
}

void measure_attention(Lab& lab) {
  Team one(1);
  const double peak = peak_gflops(Precision::fp32, one, lab.plan(50)).median;
  const std::vector<std::size_t> tokens = attention_tokens(lab, peak);
  predict_attention(lab, tokens);
  lab.add(Value("online_new_highs", new_highs_per_query(shown_tokens), "1"));
  measure_attention_memory(lab, tokens);
  add_attention(lab, race_all(lab, tokens));
}

}  // namespace hf::compilers
