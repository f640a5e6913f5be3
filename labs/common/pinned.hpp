/// \file
/// What runs on all cores, timed on one.
#pragma once

#include <cstdint>
#include <utility>

#include "common/loop_team.hpp"
#include "harness/measure/sampling.hpp"

namespace hf {

/// The same variant by one thread, pinned to one core, where whatever it calls stays too.
inline Variant pinned(Variant variant) {
  return {variant.id, [seconds = std::move(variant.seconds)](std::int64_t calls) {
            const Pinned pinned;
            const OneCore one;
            return seconds(calls);
          }};
}

}  // namespace hf
