/// \file
/// Counts the bytes that a kernel moves.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/machine/machine.hpp"
#include "kit/cache_simulator.hpp"
#include "yours/trial.hpp"

namespace hf::yours {

/// The bytes that a kernel moves.
struct Counted {
  double compulsory;  ///< bytes of the arrays that had to be read, once each, and that were written, once each
  Traffic traffic;    ///< simulated, of all threads together
};

/// Runs `kernel_call` from a library whose accesses are instrumented, and simulates those of all threads. Each thread has a
/// core of its own: caches that no other thread uses. Lines that move from core to core because two threads write to them
/// are not simulated.
/// \param arrays  whose compulsory bytes are to be counted
Counted count(const std::function<void()>& kernel_call, const Machine& machine,
              const std::vector<std::span<const float>>& arrays = {});

/// Counts what one call moves. \tparam Call  derived from Arrays
template <class Call>
Counted count_call(Call& call, void* kernel) {
  call.renew();
  trying(call.text());
  const auto run = [&] {
    call.run(reinterpret_cast<typename Call::Kernel*>(kernel));
    call.settle();
  };
  return count(run, probe_machine(), call.all_numbers());
}

/// What crossed a level, as bytes per `unit`. \param others  the same of other kernels, by label
Count bytes_per(const std::string& unit, Level level, const std::string& but, const Traffic& traffic, double units,
                std::vector<std::pair<std::string, double>> others);

}  // namespace hf::yours
