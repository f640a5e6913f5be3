#include "03-gpu/bench/ports.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "03-gpu/bench/steps.hpp"
#include "03-gpu/data/sgemm_ports_json.hpp"
#include "harness/measure/results.hpp"
#include "harness/report/lab.hpp"
#include "harness/report/terminal.hpp"

namespace hf::gpu {

std::vector<PortCounts> port_counts() {
  const auto data = nlohmann::ordered_json::parse(sgemm_ports_json);
  std::vector<PortCounts> all;
  for (const auto& [id, counts] : data.at("kernels").items()) {
    const auto number = [&counts = counts](const char* name) { return counts.at(name).template get<double>(); };
    all.push_back({id, number("conflicts"), number("ticks"), number("ticks_at_once")});
  }
  return all;
}

PortCounts port_counts(const std::string& id) {
  const std::vector<PortCounts> all = port_counts();
  const auto found = std::ranges::find(all, id, &PortCounts::id);
  if (found == all.end()) throw std::out_of_range("03-gpu/data/sgemm_ports.json has no kernel " + id);
  return *found;
}

void count_ports(Lab& lab) {
  const Axis rung = {"rung", "1"};
  Series ticks = {"rung_port_ticks", "ticks for registers", Kind::simulated, rung, {"per FMA", "1"}};
  Series conflicts = {"rung_bank_conflicts", "reads from one bank", Kind::simulated, rung, {"of the FMAs", "%"}};
  Table table = {"The ladder's machine code for an H100, for each FMA of a warp",
                 {"rung", "two reads from one bank, %", "ticks for registers", "on a stricter machine"},
                 {}};
  double x = 0;
  for (const PortCounts& each : port_counts()) {
    std::string label = each.id;
    std::ranges::replace(label, '_', ' ');
    ticks.points.emplace_back(++x, each.ticks, label);
    conflicts.points.emplace_back(x, 100 * each.conflicts, label);
    table.rows.push_back(
        {label, number_text(100 * each.conflicts), number_text(each.ticks), number_text(each.ticks_at_once)});
  }
  lab.show(table);
  lab.add(std::move(ticks));
  lab.add(std::move(conflicts));
}

}  // namespace hf::gpu
