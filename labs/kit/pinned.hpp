/// \file
/// Times on one core code that usually runs on all.
#pragma once

#include <cstdint>
#include <utility>

#include "harness/measure/sampling.hpp"
#include "kit/loop_team.hpp"

namespace hf {

/// The same variant on one thread, pinned to one core; loops that it calls also stay on that core.
inline Variant pinned(Variant variant) {
  return {variant.id, [seconds = std::move(variant.seconds)](std::int64_t calls) {
            const Pinned pinned;
            const OneCore one;
            return seconds(calls);
          }};
}

}  // namespace hf
