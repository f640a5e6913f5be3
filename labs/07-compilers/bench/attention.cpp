#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/bench/flash_runs.hpp"
#include "07-compilers/bench/steps.hpp"
#include "07-compilers/kernels/attention/attention_model.hpp"
#include "07-compilers/kernels/attention/flash_attention.hpp"
#include "07-compilers/kernels/attention/naive_attention.hpp"
#include "07-compilers/kernels/attention/online_softmax.hpp"
#include "harness/as_double.hpp"
#include "harness/lab.hpp"
#include "harness/peaks.hpp"
#include "harness/results.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"
#include "harness/threads.hpp"
#include "harness/work.hpp"

namespace hf::compilers {
namespace {

using Heats = std::vector<AttentionHeat>;

const Axis tokens_axis = {"tokens", "1"}, speed_axis = {"speed", "GFLOP/s"}, memory_axis = {"memory", "B"};

constexpr std::size_t shown_tokens = 4096;  // where the chapter looks closer

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
  const std::string suffix = on == On::all_threads ? "_all" : "";
  Series flash = {"flash_speed" + suffix + "_predicted", "without, predicted", Kind::modelled, tokens_axis, speed_axis};
  Series naive = {"naive_speed" + suffix + "_predicted", "with the matrix, predicted", Kind::modelled, tokens_axis,
                  speed_axis};
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
    const std::string suffix = on == On::all_threads ? "_all" : "";
    add_speed_series(lab, heats, variant_id("flash", on), "flash_speed" + suffix, "without the matrix");
    add_speed_series(lab, heats, variant_id("naive", on), "naive_speed" + suffix, "with the matrix");
    add_speed_series(lab, heats, variant_id("torch", on), "torch_attention_speed" + suffix, "PyTorch");
    add_speed_series(lab, heats, variant_id("peak", on), "attention_peak" + suffix, "peak");
    add_predicted_speeds(lab, heats, on, on == On::all_threads ? all_gbs : one_gbs);
    add_least_ratio(lab, heats, variant_id("flash", on), variant_id("torch", on), 0,
                    "flash" + suffix + "_over_torch_min");
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
