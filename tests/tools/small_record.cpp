#include "small_record.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/measure/samples.hpp"
#include "record/inputs.hpp"

namespace hf {
namespace {

using Json = nlohmann::json;

Json axis(const char* name, const char* unit) { return {{"name", name}, {"unit", unit}}; }

Json series(const char* id, const char* kind, const Json& x, const Json& y, const Json& points) {
  return {{"id", id}, {"label", id}, {"kind", kind}, {"x", x}, {"y", y}, {"points", points}};
}

Json labelled(Json point, const char* label) {
  point["label"] = label;
  return point;
}

Json all_series() {
  const Json size = axis("working set", "B");
  const Json intensity = axis("arithmetic intensity", "FLOP/byte");
  const Json speed = axis("speed", "GFLOP/s");
  Json quoted = series("canonical_roof", "quoted", intensity, axis("speed", "TFLOP/s"),
                       {{{"x", 0.01}, {"median", 0.01}}, {{"x", 100}, {"median", 100}}});
  quoted["source"] = "canonical";
  return {series("latency", "measured", size, axis("latency", "ns"),
                 {point(4096, {1.6, 1.7, 1.8}), point(65536, {5.2, 5.4, 5.6}), point(1e9, {130, 140, 160})}),
          series("plateaus_bandwidth", "measured", size, axis("bandwidth", "GB/s"),
                 {labelled(point(40000, {370, 380, 390}), "L1"), labelled(point(1e9, {16, 16.5, 17}), "DRAM")}),
          series("kernels", "measured", intensity, speed,
                 {labelled(point(170, {2, 2.1, 2.2}), "naive matmul"),
                  labelled(point(170, {59, 60, 61}), "blocked matmul")}),
          series("kernels_predicted", "modelled", intensity, speed,
                 {{{"x", 170}, {"median", 170}, {"label", "naive matmul"}},
                  {{"x", 170}, {"median", 170}, {"label", "blocked matmul"}}}),
          quoted};
}

}  // namespace

Json point(double x, const std::vector<double>& samples) {
  return {{"x", x},
          {"median", quantile(samples, 0.5)},
          {"low", quantile(samples, 0.05)},
          {"high", quantile(samples, 0.95)},
          {"samples", samples}};
}

Json value(const std::string& id, const std::string& unit, const std::vector<double>& samples) {
  return {{"id", id},
          {"value", quantile(samples, 0.5)},
          {"low", quantile(samples, 0.05)},
          {"high", quantile(samples, 0.95)},
          {"samples", samples},
          {"unit", unit},
          {"kind", "measured"}};
}

void renew_key(Json& record) { record["lab"]["key"] = input_key(record["lab"]["inputs"].get<Inputs>()); }

Json small_record() {
  Json record = Json::parse(R"({
    "schema": 4,
    "lab": {"id": "01-roofline", "title": "The roofline", "key": "", "inputs": {
      "compiler": "GNU 12.2.0", "flags": "-O3 -DNDEBUG", "machine": "a processor; 2 cores", "schema": "4",
      "source:labs/01-roofline/lab.cpp": "00"}},
    "run": {"started": "2026-02-28T23:59:59Z", "seconds": 71.2, "budget": "full", "complete": true, "quiet": true,
      "pressure": {"before": 0, "after": 0.01}, "steal": {"before": null, "after": null},
      "clock_resolution_ns": 21, "noise_floor": 0.001, "notes": ["no GPU on this machine"]},
    "machine": {"slug": "a-processor-2-cores", "cpu": "A Processor @ 2.10GHz", "architecture": "x86_64",
      "isa": ["avx2"],
      "cores": 2, "caches": [{"level": 1, "kind": "data", "bytes": 49152, "shared_by": 1}], "numa_nodes": 1,
      "memory_bytes": 25000000000, "gpus": [], "virtualised": false, "os": "Debian GNU/Linux 12, Linux 6.1"},
    "toolchain": {"compiler": "GNU 12.2.0", "flags": "-O3 -DNDEBUG", "libraries": {"cuBLAS": "12.4.5.8"},
      "commit": "unknown", "dirty": false},
    "series": [], "values": []})");
  record["series"] = all_series();
  record["values"] = {value("peak_fp32_gflops", "GFLOP/s", {173, 175, 177}),
                      value("bandwidth_l1_gbs", "GB/s", {370, 380, 390}),
                      value("bandwidth_dram_gbs", "GB/s", {16, 16.5, 17}),
                      value("latency_l1_ns", "ns", {1.6, 1.7, 1.8}),
                      value("latency_dram_ns", "ns", {130, 140, 160}),
                      value("ridge_flop_per_byte", "FLOP/byte", {10.5, 10.6, 10.7})};
  record["laws"] = {"ridge_flop_per_byte = peak_fp32_gflops / bandwidth_dram_gbs",
                    "flops_per_float_loaded = 4 * peak_fp32_gflops / bandwidth_dram_gbs",
                    "flops_per_dram_miss = peak_fp32_gflops * latency_dram_ns",
                    "latency_dram_over_l1 = latency_dram_ns / latency_l1_ns",
                    "any GFLOP/s <= highest peak_*_gflops",
                    "kernels* <= peak_fp32_gflops",
                    "bandwidth_dram_gbs <= bandwidth_l1_gbs",
                    "latency_l1_ns <= latency_dram_ns",
                    "latency never falls",
                    "plateaus_bandwidth never rises",
                    "latency in ns or us or cycles",
                    "plateaus_bandwidth in GB/s or TB/s"};
  renew_key(record);
  return record;
}

}  // namespace hf
