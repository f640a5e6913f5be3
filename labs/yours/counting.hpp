/// \file
/// Counts the bytes that a kernel moves.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/machine/machine.hpp"
#include "kit/cache_simulator.hpp"
#include "kit/observed_traffic.hpp"
#include "yours/trial.hpp"

namespace hf::yours {

/// Counts what one call moves. \tparam Call  derived from Arrays
template <class Call>
Observed count_call(Call& call, void* kernel) {
  call.renew();
  trying(call.text());
  const auto run = [&] {
    call.run(reinterpret_cast<typename Call::Kernel*>(kernel));
    call.settle();
  };
  const Machine machine = probe_machine();
  return observe(run, {detect_geometry(machine, 1), detect_geometry(machine, 2)}, call.all_numbers());
}

/// What crossed a level, as bytes per `unit`. \param others  the same of other kernels, by label
Count bytes_per(const std::string& unit, Level level, const std::string& but, const Traffic& traffic, double units,
                std::vector<std::pair<std::string, double>> others);

}  // namespace hf::yours
