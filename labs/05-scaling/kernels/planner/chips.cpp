#include "05-scaling/kernels/planner/chips.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "05-scaling/data/planner_json.hpp"
#include "05-scaling/kernels/planner/planner_data.hpp"

namespace hf::scaling {

const nlohmann::json& planner_data() {
  static const nlohmann::json data = nlohmann::json::parse(planner_json);
  return data;
}

void take(const nlohmann::json& from, Chip& chip) {
  take(from, "name", chip.name), take(from, "source", chip.source);
  take(from, "peak", chip.peak), take(from, "matmul", chip.matmul), take(from, "matmul8", chip.matmul8);
  take(from, "units", chip.units), take(from, "capacity", chip.capacity), take(from, "bandwidth", chip.bandwidth);
  take(from, "together", chip.together), take(from, "torusAxes", chip.torus_axes);
  take(from, "link", chip.link), take(from, "linkLatency", chip.link_latency);
  take(from, "network", chip.network), take(from, "networkLatency", chip.network_latency);
}

const std::vector<Chip>& chips() {
  static const std::vector<Chip> all = taken_all<Chip>(planner_data().at("chips"));
  return all;
}

const Chip& chip(const std::string& name) {
  std::string names;
  for (const Chip& one : chips()) {
    if (one.name == name) return one;
    names += (names.empty() ? "" : ", ") + one.name;
  }
  throw std::runtime_error("--chip " + name + ": unknown; the chips are " + names);
}

Wire wire_between(const Chip& chip, int stride, int size, int axes) {
  if (chip.torus_axes > 0) {
    if (stride * size <= chip.together) return {2 * chip.link * axes, chip.link_latency, false};
    return {chip.network, chip.network_latency, true};
  }
  const int in_node = std::clamp(chip.together / stride, 1, size);
  if (in_node == size) return {chip.link, chip.link_latency, false};
  const double nodes = std::ceil(static_cast<double>(size) / in_node);  // a ring leaves each of them once
  const double latency = ((size - nodes) * chip.link_latency + (nodes - 1) * chip.network_latency) / (size - 1);
  return {std::min(chip.link, in_node * chip.network), latency, true};
}

double ring_seconds(const Wire& wire, int n, double bytes) {
  return n <= 1 ? 0 : (n - 1) * (wire.latency + bytes / n / wire.bandwidth);
}

}  // namespace hf::scaling
