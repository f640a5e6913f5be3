#include "04-tpu/kernels/energy.hpp"

#include <cstdint>

#include "04-tpu/kernels/systolic.hpp"

namespace hf::tpu {

Energy energy(const ArrayRun& run) {
  const double macs = static_cast<double>(run.useful_macs);
  const auto per_mac = [&](std::int64_t accesses, double cost) {  // in macs
    return cost * static_cast<double>(accesses) / macs;
  };
  const Accesses& words = run.accesses;
  Energy spent;
  spent.mac = mac_cost;
  spent.registers = per_mac(words.registers, register_cost);
  spent.hops = per_mac(words.hops, hop_cost);
  spent.sram = per_mac(words.sram_operands, sram_cost);
  spent.sram += per_mac(words.sram_sums + words.sram_writes, sram_cost);
  spent.dram = per_mac(words.dram, dram_cost);
  return spent;
}

Energy energy_without_reuse(const ArrayRun& run) { return {mac_cost, 0, 0, 4 * sram_cost, energy(run).dram}; }

}  // namespace hf::tpu
