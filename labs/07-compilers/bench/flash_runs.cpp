#include "07-compilers/bench/flash_runs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "02-matmul/bench/layer_runs.hpp"
#include "02-matmul/check/layers_reference.hpp"
#include "02-matmul/kernels/attention.hpp"
#include "02-matmul/kernels/convolution.hpp"
#include "02-matmul/kernels/gemm.hpp"
#include "07-compilers/bench/resident_memory.hpp"
#include "07-compilers/bench/torch_race.hpp"
#include "07-compilers/kernels/attention/flash_attention.hpp"
#include "07-compilers/kernels/attention/naive_attention.hpp"
#include "07-compilers/kernels/attention/online_softmax.hpp"
#include "common/loop_team.hpp"
#include "common/pinned.hpp"
#include "common/random.hpp"
#include "common/reference.hpp"
#include "harness/as_double.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/peaks.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"
#include "harness/threads.hpp"

namespace hf::compilers {
namespace {

constexpr double torch_bound = 1e-5;       // of the distance between PyTorch's result and ours
constexpr std::size_t looked_into = 4096;  // where rising scores and chapter 02 are timed as well

/// Random queries, keys and values, whose scores have a variance of about 1, and room for the result.
class AttentionArrays {
 public:
  explicit AttentionArrays(std::size_t tokens)
      : head_{tokens, tokens, head_width}, memory_(4 * numbers() * sizeof(float), Pages::base) {
    fill_random({q(), 3 * numbers()}, 1, 1.7f);
  }

  const Head& head() const { return head_; }
  float* q() const { return memory_.as<float>().data(); }
  float* keys() const { return q() + numbers(); }
  const float* k() const { return keys(); }
  const float* v() const { return k() + numbers(); }
  float* out() const { return q() + 3 * numbers(); }

  std::span<const float> result() const { return {out(), numbers()}; }

  void poison() const { std::fill_n(out(), numbers(), std::numeric_limits<float>::quiet_NaN()); }

  /// The largest error of some rows.
  double error_share() const {
    const std::size_t n = head_.queries, d = head_.d;
    std::vector<Reference> row(d);
    double worst = 0;
    for (const std::size_t i : {std::size_t{0}, n / 3, n / 2 + 1, n - 1}) {
      matmul::reference_attention({n, d}, q(), k(), v(), i, row);
      worst = std::max(worst, worst_error_share({out() + i * d, d}, row));
    }
    return worst;
  }

 private:
  std::size_t numbers() const { return head_.queries * head_.d; }

  Head head_;
  Buffer memory_;
};

/// Keys that all point the way that the queries do, each eight longer than those before by so much that its exponential, and
/// with it the reference that all are held to, has grown by more than what is let pass.
void let_scores_rise(const AttentionArrays& arrays) {
  constexpr std::size_t keys_at_a_time = 8;
  constexpr float by = 7;  // in a score: e^7 is more than 2^8
  const Head& head = arrays.head();
  std::fill_n(arrays.q(), head.queries * head.d, 1.0f);
  const float step = by * std::sqrt(static_cast<float>(head.d)) / static_cast<float>(keys_at_a_time * head.d);
  for (std::size_t j = 0; j < head.keys; ++j) {
    std::fill_n(arrays.keys() + j * head.d, head.d, step * static_cast<float>(j));
  }
}

/// What takes part, each checked before it does.
class Entrants {
 public:
  explicit Entrants(const AttentionArrays& arrays) : arrays_(arrays) {}

  void enter(const std::string& id, On on, const std::function<void()>& run) {
    Variant variant = timed(variant_id(id, on), run);
    if (on == On::one_thread) variant = pinned(std::move(variant));
    arrays_.poison();
    variant.seconds(1);
    const double error = arrays_.error_share();
    if (!(error <= 1)) {
      throw std::runtime_error("attention, " + variant.id + ", is wrong at " + std::to_string(arrays_.head().queries) +
                               " tokens: its error is " + number_text(error) +
                               " times what rounding allows; it was not timed");
    }
    variants_.push_back(std::move(variant));
  }

  void enter_unchecked(Variant variant) { variants_.push_back(std::move(variant)); }

  const std::vector<Variant>& variants() const { return variants_; }

 private:
  const AttentionArrays& arrays_;
  std::vector<Variant> variants_;
};

const std::string torch_name = "attention";

/// "torch" and "torch all".
std::vector<Variant> named_as_ours(std::vector<Variant> variants) {
  for (Variant& variant : variants) {
    const bool one = variant.id == torch_id(TorchMode::eager, torch_name, TorchThreads::one);
    variant.id = variant_id("torch", one ? On::one_thread : On::all_threads);
  }
  return variants;
}

bool fits_into_memory(std::size_t bytes) { return as_double(bytes) < 0.5 * as_double(available_memory_bytes()); }

/// As many rounds as fit, samples as long as a large head takes.
Plan plan_for(const Lab& lab, double flops, double seconds) {
  Plan plan = lab.plan();
  plan.budget_seconds = seconds;
  plan.minimum_rounds = 3;
  plan.sample_seconds = std::clamp(flops / 2e11, 2e-3, 50e-3);  // of the peak too: some machines are faster in bursts
  if (flops > 1e9) plan.warm_seconds = 0;                       // longer than what it evicts
  return plan;
}

}  // namespace

bool AttentionHeat::has(const std::string& id) const {
  const auto among = [&id](const std::vector<std::string>& ids) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  return among(sampling.ids) && !among(absent);
}

Estimate AttentionHeat::gflops(const std::string& id) const {
  const double work = id == "peak" ? peak_flops : id == "peak all" ? all_peak_flops : flops;
  return rate(work, sampling.of(id));
}

Estimate AttentionHeat::speed_ratio(const std::string& id, const std::string& other) const {
  return ratio(gflops(id).samples, gflops(other).samples);
}

std::string variant_id(const std::string& id, On on) { return on == On::all_threads ? id + " all" : id; }

std::vector<std::size_t> attention_tokens(Lab& lab, double peak_gflops) {
  constexpr double runs = 20, share_of_peak = 0.4;
  std::vector<std::size_t> tokens;
  for (const std::size_t n : {512, 1024, 2048, 4096, 8192, 16384}) {
    if (lab.quick() && n > looked_into) break;
    const double seconds = runs * Head{n, n, head_width}.flops() / (share_of_peak * peak_gflops * 1e9);
    if (!tokens.empty() && seconds > 2 * lab.step_seconds()) {
      lab.note("too slow for attention over " + std::to_string(n) + " tokens and more");
      break;
    }
    tokens.push_back(n);
  }
  return tokens;
}

AttentionHeat race_attention(Lab& lab, std::size_t tokens, double seconds) {
  const AttentionArrays arrays(tokens);
  const Head head = arrays.head();
  const float *q = arrays.q(), *k = arrays.k(), *v = arrays.v();
  float* const out = arrays.out();
  Team one(1), all;
  const PeakVariant peak = peak_variant(Precision::fp32, one), all_peak = peak_variant(Precision::fp32, all);

  AttentionHeat heat = {.tokens = tokens,
                        .sampling = {},
                        .flops = head.flops(),
                        .peak_flops = peak.flops,
                        .all_peak_flops = all_peak.flops};
  Entrants entrants(arrays);
  entrants.enter_unchecked(peak.variant);
  entrants.enter_unchecked({"peak all", all_peak.variant.seconds});
  for (const On on : {On::all_threads, On::one_thread}) {
    const auto flash = [=, &heat] { heat.counts = flash_attention(head, q, k, v, out); };
    entrants.enter("flash", on, flash);
  }
  const FlashCounts counts = heat.counts;
  std::optional<NaiveAttention> naive;
  if (fits_into_memory(NaiveAttention::scratch_bytes(head))) {
    naive.emplace(head);
    for (const On on : {On::one_thread, On::all_threads}) {
      entrants.enter("naive", on, [=, &naive] { naive->run(q, k, v, out); });
    }
  } else {
    lab.note("too little memory for the scores of " + std::to_string(tokens) + " tokens");
  }
  std::optional<AttentionArrays> rising;
  if (tokens == looked_into) {
    rising.emplace(tokens);
    let_scores_rise(*rising);
    const OneCore one_core;
    heat.rising_counts = flash_attention(head, rising->q(), rising->k(), rising->v(), rising->out());
    if (!(rising->error_share() <= 1))
      throw std::runtime_error("attention is wrong where scores rise; it was not timed");
    entrants.enter_unchecked(pinned(timed("flash rising", [&rising, head] {
      flash_attention(head, rising->q(), rising->k(), rising->v(), rising->out());
    })));
  }
  std::optional<Buffer> scratch;
  const matmul::AttentionShape shape = {tokens, head.d};
  if (const std::size_t bytes = shape.scratch() * sizeof(float); tokens == looked_into && fits_into_memory(bytes)) {
    scratch.emplace(bytes, Pages::huge);
    const matmul::Gemm gemm = [](std::size_t m, std::size_t n, std::size_t p, const float* a, const float* b,
                                 float* c) { matmul::gemm(m, n, p, a, b, c); };
    entrants.enter("chapter 02", On::one_thread,
                   [=, softmax = matmul::widest_softmax(lab.machine()), to = scratch->as<float>().data()] {
                     matmul::gemm_attention(shape, q, k, v, out, to, softmax, gemm);
                   });
  }
  TorchRace torch(lab);
  torch.enter_attention(torch_name, 1, tokens, head.d, std::array{q, k, v}, arrays.result(), torch_bound,
                        {TorchThreads::one, TorchThreads::all});
  for (Variant& variant : named_as_ours(torch.variants())) entrants.enter_unchecked(std::move(variant));
  heat.sampling = sample_interleaved(entrants.variants(), plan_for(lab, head.flops(), seconds));
  heat.counts = counts;
  for (const TorchThreads threads : {TorchThreads::one, TorchThreads::all}) {
    const On on = threads == TorchThreads::one ? On::one_thread : On::all_threads;
    if (!torch.is_there(torch_id(TorchMode::eager, torch_name, threads)))
      heat.absent.push_back(variant_id("torch", on));
  }
  return heat;
}

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

namespace {

/// Bytes that become resident while attention of so many tokens is prepared and run.
template <class Attend>
std::optional<Estimate> resident_bytes(std::size_t tokens, std::size_t scratch, const Attend& attend) {
  constexpr int times = 2;
  if (!fits_into_memory(scratch)) return {};
  std::vector<double> samples;
  for (int i = 0; i < times; ++i) {
    const std::optional<std::size_t> bytes = resident_growth([&] {
      const Pinned pinned;
      const OneCore one;
      static thread_local std::optional<AttentionArrays> arrays;  // until the thread has ended
      attend(arrays.emplace(tokens));
    });
    if (!bytes) return {};
    samples.push_back(as_double(*bytes));
  }
  return estimate(samples);
}

}  // namespace

std::optional<Estimate> flash_resident_bytes(std::size_t tokens) {
  return resident_bytes(
      tokens, 0, [](const AttentionArrays& of) { flash_attention(of.head(), of.q(), of.k(), of.v(), of.out()); });
}

std::optional<Estimate> naive_resident_bytes(std::size_t tokens) {
  const Head head = {tokens, tokens, head_width};
  return resident_bytes(tokens, NaiveAttention::scratch_bytes(head), [](const AttentionArrays& of) {
    static thread_local std::optional<NaiveAttention> naive;
    naive.emplace(of.head()).run(of.q(), of.k(), of.v(), of.out());
  });
}

}  // namespace hf::compilers
