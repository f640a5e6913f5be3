// Why do some operations take longer than predicted? Each program in why/ changes one thing at a time.
#include <string>
#include <vector>

#include "08-your-model/bench/steps.hpp"
#include "08-your-model/peers/model_tool.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"

namespace hf::your_model {

void measure_products(Lab& lab, Shared& shared) {
  if (!shared.tool) return;
  constexpr double weights = 512 * 2048, rows = 16, bytes = weights * sizeof(float);  // as in why/products.py
  const auto seconds = shared.tool->seconds("why/products.py", 1);
  const auto us = [&](const char* name) { return times(estimate(seconds.at(name)), 1e6); };
  lab.modelled("few_rows_predicted_us", 2 * rows * weights / shared.roofs.front().fp32_gflops.median / 1e3, "us");
  lab.add(Value("few_rows_near_us", us("near"), "us"));
  lab.add(Value("few_rows_far_us", us("far"), "us"));
  const double extra_s = estimate(seconds.at("far")).median - estimate(seconds.at("near")).median;
  lab.derived("few_rows_delivery_gbs", bytes / extra_s / 1e9, "GB/s");
  lab.add(Value("one_row_gbs", rate(bytes, estimate(seconds.at("one_row"))), "GB/s"));
  lab.add(Value("sum_gbs", rate(bytes, estimate(seconds.at("sum"))), "GB/s"));
}

void measure_pooling(Lab& lab, Shared& shared) {
  if (!shared.tool) return;
  // For four numbers that are read, one number and its place, an integer of 8 bytes, are written. A copy moves as much.
  constexpr double bytes = 4 + (4 + 8) / 4.0;
  const double bytes_ns = bytes / shared.roofs.front().memory.copy_gbs.back().median;
  lab.modelled("pool_bytes_ns", bytes_ns, "ns");
  const auto seconds = shared.tool->seconds("why/pooling.py", 1);
  const auto ns = [](const std::vector<double>& samples) { return times(estimate(samples), 1e9); };
  for (const std::string id : {"far", "near", "near_rising", "channels_last"}) {
    lab.add(Value("pool_" + id + "_ns", ns(seconds.at(id)), "ns"));
  }
  // The same with PyTorch's loops for processors without AVX.
  const auto plain = shared.tool->seconds("why/pooling.py", 1, "ATEN_CPU_CAPABILITY=default");
  lab.add(Value("pool_channels_last_plain_ns", ns(plain.at("channels_last")), "ns"));
  const auto loss = [&](const char* id) { return ns(seconds.at(id)).median - bytes_ns; };
  lab.derived("pool_loss_near_share", loss("near") / loss("far"));
}

void measure_activations(Lab& lab, Shared& shared) {
  if (!shared.tool) return;
  const auto seconds = shared.tool->seconds("why/activations.py", 1);
  for (const std::string id : {"erf_short", "tanh_short", "erf_long", "tanh_long"}) {
    lab.add(Value("gelu_" + id + "_us", times(estimate(seconds.at(id)), 1e6), "us"));
  }
}

}  // namespace hf::your_model
