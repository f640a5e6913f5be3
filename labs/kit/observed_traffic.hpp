/// \file
/// Counts the bytes that observed code moves (observer.hpp).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kit/cache_simulator.hpp"

namespace hf {

/// The bytes that code moves.
struct Observed {
  double compulsory;  ///< bytes of the arrays that had to be read, once each,
                      ///< and that were written, once each
  Traffic traffic;    ///< simulated, of all threads together, until the last
                      ///< result is written back
};

/// Runs code whose accesses are instrumented, and simulates those of all threads. Each thread has a core of its own: caches
/// that no other thread uses. Lines that move from core to core because two threads write to them are not simulated. \param
/// caches  of each core, empty \param arrays  whose compulsory bytes are to be counted
Observed observe(const std::function<void()>& code, const CacheSimulator& caches,
                 const std::vector<std::span<const float>>& arrays = {});

}  // namespace hf
