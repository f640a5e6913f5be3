#include "07-compilers/attention/steps.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/attention/attention_model.hpp"
#include "07-compilers/attention/flash_attention.hpp"
#include "07-compilers/attention/flash_runs.hpp"
#include "07-compilers/attention/naive_attention.hpp"
#include "07-compilers/attention/online_softmax.hpp"
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

const Axis tokens_axis = {"tokens", "1"}, speed_axis = {"speed", "GFLOP/s"}, memory_axis = {"memory", "B"},
           traffic_axis = {"bytes moved", "B"}, ratio_axis = {"ratio", "1"};

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
  Series naive_traffic = {"naive_traffic", "with the matrix", Kind::modelled, tokens_axis, traffic_axis};
  Series flash_traffic = {"flash_traffic", "without", Kind::modelled, tokens_axis, traffic_axis};
  for (const std::size_t n : tokens) {
    const double naive = naive_work(head_of(n)).traffic(), flash = flash_work(head_of(n)).traffic();
    table.rows.push_back({std::to_string(n), number_text(head_of(n).flops() * 1e-9), number_text(naive * 1e-6),
                          number_text(flash * 1e-6), number_text(naive_bytes(n) / 0x1p20),
                          number_text(flash_bytes(n) / 0x1p20)});
    naive_memory.points.emplace_back(as_double(n), naive_bytes(n));
    flash_memory.points.emplace_back(as_double(n), flash_bytes(n));
    naive_traffic.points.emplace_back(as_double(n), naive);
    flash_traffic.points.emplace_back(as_double(n), flash);
  }
  lab.show(table);
  for (Series* series : {&naive_memory, &flash_memory, &naive_traffic, &flash_traffic}) lab.add(std::move(*series));
  const Head head = head_of(shown_tokens);
  lab.modelled("flash_traffic_4096_bytes", flash_work(head).traffic(), "B");
  lab.modelled("naive_traffic_4096_bytes", naive_work(head).traffic(), "B");
  lab.modelled("flash_instructions_per_score", flash_instructions_per_score());
  lab.modelled("flash_products_per_score", 2 * as_double(head_width));
  lab.modelled("flash_slots_per_score", 2 * as_double(head_width) + flash_instructions_per_score());
  lab.derived("flash_over_peak_predicted");
  lab.modelled("online_new_highs_predicted", expected_new_highs(shown_tokens));
}

/// Memory at 4096 tokens, and how many times that of 1024 it is, where both were measured.
void add_memory_growth(Lab& lab, const Series& series, const std::string& id) {
  double few = 0;
  for (const Point& point : series.points) {
    if (point.x == as_double(shown_tokens / 4)) few = point.y.median;
    if (point.x != as_double(shown_tokens) || few == 0) continue;
    lab.add(Value(id + "_memory_4096_bytes", point.y, "B"));
    lab.derived(id + "_memory_growth", point.y.median / few);
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
  add_memory_growth(lab, flash, "flash");
  add_memory_growth(lab, naive, "naive");
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

void add_ratio_series(Lab& lab, const Heats& heats, On on) {
  const std::string suffix = on == On::all_threads ? "_all" : "";
  const std::string flash = variant_id("flash", on), naive = variant_id("naive", on), peak = variant_id("peak", on),
                    torch = variant_id("torch", on);
  Series over = {"flash_over_naive" + suffix, "over the matrix", Kind::measured, tokens_axis, ratio_axis};
  for (const AttentionHeat& heat : heats) {
    if (heat.has(naive)) over.points.emplace_back(as_double(heat.tokens), heat.speed_ratio(flash, naive));
  }
  if (!over.points.empty()) lab.add(std::move(over));
  Series over_torch = {"flash_over_torch" + suffix, "over PyTorch", Kind::measured, tokens_axis, ratio_axis};
  for (const AttentionHeat& heat : heats) {
    if (heat.has(torch)) over_torch.points.emplace_back(as_double(heat.tokens), heat.speed_ratio(flash, torch));
  }
  if (!over_torch.points.empty()) lab.add(std::move(over_torch));
  add_least_ratio(lab, heats, flash, peak, 1024, "flash" + suffix + "_over_peak_min");
  add_least_ratio(lab, heats, flash, naive, 2048, "flash" + suffix + "_over_naive_min");
  add_least_ratio(lab, heats, flash, torch, 0, "flash" + suffix + "_over_torch_min");
}

/// At 4096 tokens.
void add_shown(Lab& lab, const AttentionHeat& heat, On on) {
  const std::string suffix = on == On::all_threads ? "_all" : "";
  const std::string flash = variant_id("flash", on), naive = variant_id("naive", on), peak = variant_id("peak", on);
  const auto id = [&](const char* first, const char* second) { return first + suffix + second; };
  lab.add(Value(id("flash", "_4096_gflops"), heat.gflops(flash), "GFLOP/s"));
  lab.add(Value(id("attention_peak", "_gflops"), heat.gflops(peak), "GFLOP/s"));
  lab.add(Value(id("flash", "_over_peak_4096"), heat.speed_ratio(flash, peak), "1"));
  if (const std::string torch = variant_id("torch", on); heat.has(torch)) {
    lab.add(Value(id("torch_attention", "_4096_gflops"), heat.gflops(torch), "GFLOP/s"));
    lab.add(Value(id("flash", "_over_torch_4096"), heat.speed_ratio(flash, torch), "1"));
  }
  if (!heat.has(naive)) return;
  lab.add(Value(id("naive", "_4096_gflops"), heat.gflops(naive), "GFLOP/s"));
  lab.add(Value(id("flash", "_over_naive_4096"), heat.speed_ratio(flash, naive), "1"));
  lab.add(Value(id("naive", "_over_peak_4096"), heat.speed_ratio(naive, peak), "1"));
}

void add_attention(Lab& lab, const Heats& heats, double one_gbs, double all_gbs) {
  for (const On on : {On::one_thread, On::all_threads}) {
    const std::string suffix = on == On::all_threads ? "_all" : "";
    add_speed_series(lab, heats, variant_id("flash", on), "flash_speed" + suffix, "without the matrix");
    add_speed_series(lab, heats, variant_id("naive", on), "naive_speed" + suffix, "with the matrix");
    add_speed_series(lab, heats, variant_id("torch", on), "torch_attention_speed" + suffix, "PyTorch");
    add_speed_series(lab, heats, variant_id("peak", on), "attention_peak" + suffix, "peak");
    add_predicted_speeds(lab, heats, on, on == On::all_threads ? all_gbs : one_gbs);
    add_ratio_series(lab, heats, on);
  }
  add_speed_series(lab, heats, "chapter 02", "attention_chapter_02_speed", "chapter 02");
  double flash_error = 0, naive_error = 0;
  for (const AttentionHeat& heat : heats) {
    flash_error = std::max(flash_error, heat.flash_error);
    naive_error = std::max(naive_error, heat.naive_error);
    if (heat.tokens != shown_tokens) continue;
    for (const On on : {On::one_thread, On::all_threads}) add_shown(lab, heat, on);
    if (heat.has("naive softmax")) {
      lab.derived("flash_over_naive_4096_ceiling");
      lab.add(Value("naive_softmax_4096_share", heat.sampling.ratio("naive softmax", "naive"), "1"));
    }
    if (heat.has("chapter 02")) {
      lab.add(Value("flash_over_chapter_02_4096", heat.speed_ratio("flash", "chapter 02"), "1"));
    }
    if (heat.has("flash rising")) {
      lab.derived("flash_rising_rescalings_4096", as_double(heat.rising_counts.rescalings));
      lab.add(Value("flash_rising_over_flash_4096", heat.sampling.ratio("flash rising", "flash"), "1"));
    }
    lab.derived("flash_blocks_4096", as_double(heat.counts.blocks));
    lab.derived("flash_rescalings_4096", as_double(heat.counts.rescalings));
    lab.derived("flash_rescalings_per_block");
  }
  lab.derived("flash_error_share", flash_error);
  if (naive_error > 0) lab.derived("naive_error_share", naive_error);
}

}  // namespace

void measure_attention(Lab& lab) {
  Team one(1), all;
  const double peak = peak_gflops(Precision::fp32, one, lab.plan(50)).median;
  const std::vector<std::size_t> tokens = attention_tokens(lab, peak);
  predict_attention(lab, tokens);
  const Estimate one_gbs = dram_read_gbs(one, lab.memory_plan(20)), all_gbs = dram_read_gbs(all, lab.memory_plan(20));
  lab.add(Value("attention_read_gbs", one_gbs, "GB/s"));
  lab.add(Value("attention_read_all_gbs", all_gbs, "GB/s"));
  lab.add(Value("online_new_highs", new_highs_per_query(shown_tokens), "1"));
  lab.derived("online_new_highs_over_predicted");
  measure_attention_memory(lab, tokens);
  add_attention(lab, race_all(lab, tokens), one_gbs.median, all_gbs.median);
}

}  // namespace hf::compilers
