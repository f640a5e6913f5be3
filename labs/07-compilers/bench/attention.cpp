// Attention without its matrix.
#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "01-roofline/kernels/dispatch.hpp"
#include "02-matmul/kernels/attention.hpp"
#include "02-matmul/kernels/convolution.hpp"
#include "02-matmul/kernels/gemm.hpp"
#include "07-compilers/bench/steps.hpp"
#include "07-compilers/bench/torch_race.hpp"
#include "07-compilers/check/attention_arrays.hpp"
#include "07-compilers/kernels/attention/attention_model.hpp"
#include "07-compilers/kernels/attention/flash_attention.hpp"
#include "07-compilers/kernels/attention/naive_attention.hpp"
#include "07-compilers/kernels/attention/online_softmax.hpp"
#include "common/loop_team.hpp"
#include "common/pinned.hpp"
#include "harness/as_double.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/peaks.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"
#include "harness/threads.hpp"
#include "harness/work.hpp"

namespace hf::compilers {
namespace {

/// Bytes of this process's pages that are in memory, exactly: the counters of /proc/self/status lag behind.
std::optional<std::size_t> resident_bytes() {
  std::ifstream pages("/proc/self/smaps_rollup");
  for (std::string word; pages >> word;) {
    std::size_t kib = 0;
    if (word == "Rss:" && pages >> kib) return kib * 1024;
  }
  return {};
}

}  // namespace

std::optional<std::size_t> resident_growth(const std::function<void()>& work) {
  std::optional<std::size_t> before, after;
  std::exception_ptr error;
  std::thread([&] {
    before = resident_bytes();
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
    after = resident_bytes();
  }).join();
  if (error) std::rethrow_exception(error);
  if (!before || !after) return {};
  return *after > *before ? *after - *before : 0;
}

namespace {

/// Where the code runs: the variants of all threads end in " all".
enum class On { one_thread, all_threads };

/// "flash all" for all threads.
std::string variant_id(const std::string& id, On on) { return on == On::all_threads ? id + " all" : id; }

constexpr double torch_bound = 1e-5;        // of the distance between PyTorch's result and ours
constexpr std::size_t shown_tokens = 4096;  // where the chapter looks closer, rising scores and chapter 02 among it

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

/// What one number of tokens showed. The variants are "flash", "naive" and "peak", each on one thread and on all; at 4096
/// tokens, on one thread, "chapter 02" (its gemm_attention()) and "flash rising", whose scores grow from key to key, so that
/// every block of keys is rescaled; where there is PyTorch, "torch".
struct AttentionHeat {
  std::size_t tokens;
  Sampling sampling;
  double flops;                          ///< of one attention
  double peak_flops, all_peak_flops;     ///< of one call of "peak"
  FlashCounts counts = {};               ///< of flash_attention() on one thread
  FlashCounts rising_counts = {};        ///< and of "flash rising", where that was timed
  std::vector<std::string> absent = {};  ///< variants that were not there to the end

  bool has(const std::string& id) const {
    const auto among = [&id](const std::vector<std::string>& ids) {
      return std::find(ids.begin(), ids.end(), id) != ids.end();
    };
    return among(sampling.ids) && !among(absent);
  }
  Estimate gflops(const std::string& id) const {
    const double work = id == "peak" ? peak_flops : id == "peak all" ? all_peak_flops : flops;
    return rate(work, sampling.of(id));
  }
  /// How many times the speed of another a variant has. \pre both are there
  Estimate speed_ratio(const std::string& id, const std::string& other) const {
    return ratio(gflops(id).samples, gflops(other).samples);
  }
};

/// Numbers of tokens; what a machine with such a peak would take too long for is left out, with a note.
std::vector<std::size_t> attention_tokens(Lab& lab, double peak_gflops) {
  constexpr double runs = 20, share_of_peak = 0.4;
  std::vector<std::size_t> tokens;
  for (const std::size_t n : {512, 1024, 2048, 4096, 8192, 16384}) {
    if (lab.quick() && n > shown_tokens) break;
    const double seconds = runs * Head{n, n, head_width}.flops() / (share_of_peak * peak_gflops * 1e9);
    if (!tokens.empty() && seconds > 2 * lab.step_seconds()) {
      lab.note("too slow for attention over " + std::to_string(n) + " tokens and more");
      break;
    }
    tokens.push_back(n);
  }
  return tokens;
}

/// Checks each way, then times them within so many seconds. What does not fit into memory is left out, with a note.
/// \throws std::runtime_error for a wrong result
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
  if (tokens == shown_tokens) {
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
  if (const std::size_t bytes = shape.scratch() * sizeof(float); tokens == shown_tokens && fits_into_memory(bytes)) {
    scratch.emplace(bytes, Pages::huge);
    const matmul::Gemm gemm = [](std::size_t m, std::size_t n, std::size_t p, const float* a, const float* b,
                                 float* c) { matmul::gemm(m, n, p, a, b, c); };
    entrants.enter(
        "chapter 02", On::one_thread,
        [=, softmax = roofline::kernel_sets(lab.machine()).back()->softmax, to = scratch->as<float>().data()] {
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

/// How often, for a query among so many tokens, a score is higher than all before it: each sample is the mean of some queries.
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

/// Bytes that attention makes resident, its operands among them, for so many tokens on one thread: measured several
/// times. Nothing where the system does not tell, or there is too little memory.
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

using Heats = std::vector<AttentionHeat>;

const Axis tokens_axis = {"tokens", "1"}, speed_axis = {"speed", "GFLOP/s"}, memory_axis = {"memory", "B"};

Head head_of(std::size_t tokens) { return {tokens, tokens, head_width}; }

double operand_bytes(std::size_t tokens) { return 4 * sizeof(float) * as_double(tokens * head_width); }

double flash_bytes(std::size_t tokens) { return operand_bytes(tokens) + as_double(flash_scratch_bytes(head_width)); }
double naive_bytes(std::size_t tokens) {
  return operand_bytes(tokens) + as_double(NaiveAttention::scratch_bytes(head_of(tokens)));
}

/// Work, bytes moved and memory, before anything is timed.
void predict_attention(Lab& lab, const std::vector<std::size_t>& tokens) {
  Table table = {"Predicted: attention with its matrix and without",
                 {"tokens", "GFLOP", "MB moved", "without", "MiB of memory", "without"},
                 {}};
  Series naive_memory = {"naive_memory_predicted", "with the matrix", Kind::modelled, tokens_axis, memory_axis};
  Series flash_memory = {"flash_memory_predicted", "without", Kind::modelled, tokens_axis, memory_axis};
  for (const std::size_t n : tokens) {
    const Head head = head_of(n);
    table.rows.push_back({std::to_string(n), number_text(head.flops() * 1e-9),
                          number_text(naive_work(head).traffic() * 1e-6),
                          number_text(flash_work(head).traffic() * 1e-6), number_text(naive_bytes(n) / 0x1p20),
                          number_text(flash_bytes(n) / 0x1p20)});
    naive_memory.points.emplace_back(as_double(n), naive_bytes(n));
    flash_memory.points.emplace_back(as_double(n), flash_bytes(n));
  }
  lab.show(table);
  lab.add(std::move(naive_memory));
  lab.add(std::move(flash_memory));
  lab.modelled("flash_products_per_score", 2 * as_double(head_width));
  lab.modelled("flash_slots_per_score", 2 * as_double(head_width) + flash_instructions_per_score());
  lab.derived("flash_over_peak_predicted");
  lab.modelled("online_new_highs_predicted", expected_new_highs(shown_tokens));
}

/// How many times as much memory 4096 tokens take as 1024, where both were measured.
void add_memory_growth(Lab& lab, const Series& flash) {
  double few = 0;
  for (const Point& point : flash.points) {
    if (point.x == as_double(shown_tokens / 4)) few = point.y.median;
    if (point.x == as_double(shown_tokens) && few > 0) lab.derived("flash_memory_growth", point.y.median / few);
  }
}

/// What attention makes resident, beside what was counted.
void measure_attention_memory(Lab& lab, const std::vector<std::size_t>& tokens) {
  Series naive = {"naive_memory", "with the matrix", Kind::measured, tokens_axis, memory_axis};
  Series flash = {"flash_memory", "without", Kind::measured, tokens_axis, memory_axis};
  for (const std::size_t n : tokens) {
    lab.tick();
    if (const auto bytes = flash_resident_bytes(n)) flash.points.emplace_back(as_double(n), *bytes);
    if (n > shown_tokens) continue;  // the square is plain by then, and takes its time
    if (const auto bytes = naive_resident_bytes(n)) naive.points.emplace_back(as_double(n), *bytes);
  }
  if (flash.points.empty()) return lab.note("no /proc/self/smaps_rollup: the memory of attention was not measured");
  add_memory_growth(lab, flash);
  lab.add(std::move(flash));
  if (!naive.points.empty()) lab.add(std::move(naive));
}

Heats race_all(Lab& lab, const std::vector<std::size_t>& tokens) {
  const auto weight = [](std::size_t n) { return head_of(n).flops() + 1e10; };  // enough for the short ones
  double total = 0;
  for (const std::size_t n : tokens) total += weight(n);
  const double seconds = lab.seconds_left();
  Heats heats;
  for (const std::size_t n : tokens) heats.push_back(race_attention(lab, n, seconds * weight(n) / total));
  return heats;
}

/// Speeds of one variant over tokens.
void add_speed_series(Lab& lab, const Heats& heats, const std::string& variant, const std::string& id,
                      const std::string& label) {
  Series series = {id, label, Kind::measured, tokens_axis, speed_axis};
  for (const AttentionHeat& heat : heats) {
    if (heat.has(variant)) series.points.emplace_back(as_double(heat.tokens), heat.gflops(variant));
  }
  if (!series.points.empty()) lab.add(std::move(series));
}

/// What counting and the roofs of the same rounds say of the speeds.
void add_predicted_speeds(Lab& lab, const Heats& heats, On on, double bandwidth_gbs) {
  const bool all = on == On::all_threads;
  Series flash = {all ? "flash_speed_all_predicted" : "flash_speed_predicted", "without, predicted", Kind::modelled,
                  tokens_axis, speed_axis};
  Series naive = {all ? "naive_speed_all_predicted" : "naive_speed_predicted", "with the matrix, predicted",
                  Kind::modelled, tokens_axis, speed_axis};
  for (const AttentionHeat& heat : heats) {
    const Head head = head_of(heat.tokens);
    const double scores = 4 * head.weights();
    const bool in_cache = scores < as_double(lab.machine().last_level_cache_bytes());
    const double peak = heat.gflops(variant_id("peak", on)).median;
    const Roofline roof = {peak, in_cache ? std::numeric_limits<double>::infinity() : bandwidth_gbs};
    flash.points.emplace_back(as_double(heat.tokens), heat.flops / roof.seconds(flash_work(head)) * 1e-9);
    naive.points.emplace_back(as_double(heat.tokens), heat.flops / predicted_seconds(roof, naive_work(head)) * 1e-9);
  }
  lab.add(std::move(flash));
  lab.add(std::move(naive));
}

/// Adds the least ratio of the speeds of two variants, from so many tokens on, where both are there.
void add_least_ratio(Lab& lab, const Heats& heats, const std::string& id, const std::string& other, std::size_t from,
                     const std::string& value) {
  std::vector<double> ratios;
  for (const AttentionHeat& heat : heats) {
    if (heat.tokens >= from && heat.has(id) && heat.has(other)) ratios.push_back(heat.speed_ratio(id, other).median);
  }
  if (!ratios.empty()) lab.derived(value, *std::min_element(ratios.begin(), ratios.end()));
}

/// At 4096 tokens, on one thread.
void add_shown(Lab& lab, const AttentionHeat& heat) {
  lab.add(Value("flash_over_peak_4096", heat.speed_ratio("flash", "peak"), "1"));
  if (heat.has("naive")) {
    lab.add(Value("flash_over_naive_4096", heat.speed_ratio("flash", "naive"), "1"));
    lab.add(Value("naive_over_peak_4096", heat.speed_ratio("naive", "peak"), "1"));
    lab.derived("flash_over_naive_4096_ceiling");
  }
  if (heat.has("chapter 02")) {
    lab.add(Value("flash_over_chapter_02_4096", heat.speed_ratio("flash", "chapter 02"), "1"));
  }
  lab.derived("flash_rising_rescalings_4096", as_double(heat.rising_counts.rescalings));
  lab.add(Value("flash_rising_over_flash_4096", heat.sampling.ratio("flash rising", "flash"), "1"));
  lab.derived("flash_blocks_4096", as_double(heat.counts.blocks));
  lab.derived("flash_rescalings_4096", as_double(heat.counts.rescalings));
}

void add_attention(Lab& lab, const Heats& heats, double one_gbs, double all_gbs) {
  for (const On on : {On::one_thread, On::all_threads}) {
    const bool all = on == On::all_threads;
    const auto add = [&](const char* variant, const char* one_id, const char* all_id, const char* label) {
      add_speed_series(lab, heats, variant_id(variant, on), all ? all_id : one_id, label);
    };
    add("flash", "flash_speed", "flash_speed_all", "without the matrix");
    add("naive", "naive_speed", "naive_speed_all", "with the matrix");
    add("torch", "torch_attention_speed", "torch_attention_speed_all", "PyTorch");
    add("peak", "attention_peak", "attention_peak_all", "peak");
    add_predicted_speeds(lab, heats, on, all ? all_gbs : one_gbs);
    add_least_ratio(lab, heats, variant_id("flash", on), variant_id("torch", on), 0,
                    all ? "flash_all_over_torch_min" : "flash_over_torch_min");
  }
  add_least_ratio(lab, heats, "flash", "peak", 1024, "flash_over_peak_min");
  for (const AttentionHeat& heat : heats) {
    if (heat.tokens == shown_tokens) add_shown(lab, heat);
  }
}

}  // namespace

void measure_attention(Lab& lab) {
  Team one(1), all;
  const double peak = peak_gflops(Precision::fp32, one, lab.plan(50)).median;
  const std::vector<std::size_t> tokens = attention_tokens(lab, peak);
  predict_attention(lab, tokens);
  const double one_gbs = dram_read_gbs(one, lab.memory_plan(20)).median,
               all_gbs = dram_read_gbs(all, lab.memory_plan(20)).median;
  lab.add(Value("online_new_highs", new_highs_per_query(shown_tokens), "1"));
  measure_attention_memory(lab, tokens);
  add_attention(lab, race_all(lab, tokens), one_gbs, all_gbs);
}

}  // namespace hf::compilers
