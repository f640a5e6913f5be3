/// \file
/// A pointer to floats that reports its loads and stores to a simulated cache, so that the timed source itself can be
/// traced.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/measure/vector.hpp"
#include "kit/cache_simulator.hpp"

namespace hf::matmul {
namespace {

/// A float in memory: reading it is a load, assigning to it a store.
class TracedFloat {
 public:
  TracedFloat(float* at, std::uint64_t address, CacheSimulator& caches) : at_(at), address_(address), caches_(caches) {}
  operator float() const {
    caches_.access(address_, sizeof(float), false);
    return *at_;
  }
  TracedFloat& operator=(float value) {
    caches_.access(address_, sizeof(float), true);
    *at_ = value;
    return *this;
  }
  TracedFloat& operator+=(float value) {
    caches_.update(address_, sizeof(float));
    *at_ += value;
    return *this;
  }

 private:
  float* at_;
  std::uint64_t address_;
  CacheSimulator& caches_;
};

/// In the simulated caches an array has its own address, not its real one, so that every run gives the same counts.
class TracedPointer {
 public:
  TracedPointer(float* at, std::uint64_t address, CacheSimulator& caches)
      : at_(at), address_(address), caches_(&caches) {}

  TracedFloat operator[](std::size_t i) const { return {at_ + i, address_ + i * sizeof(float), *caches_}; }
  TracedPointer operator+(std::size_t i) const { return {at_ + i, address_ + i * sizeof(float), *caches_}; }
  TracedPointer& operator+=(std::size_t i) { return *this = *this + i; }

  // [begin: load]
  friend Floats load(TracedPointer from) {
    constexpr bool write = false;
    from.caches_->access(from.address_, sizeof(Floats), write);
    return hf::load(from.at_);
  }
  // [end: load]
  friend void store(TracedPointer to, Floats v) {
    to.caches_->access(to.address_, sizeof(Floats), true);
    hf::store(to.at_, v);
  }
  /// A pointer to other memory, seen by the same caches, at its own addresses.
  template <std::size_t count>
  friend TracedPointer beside(TracedPointer like, float (&memory)[count]) {
    return {memory, like.caches_->place(sizeof memory), *like.caches_};
  }

 private:
  float* at_;
  std::uint64_t address_;
  CacheSimulator* caches_;
};

}  // namespace
}  // namespace hf::matmul
