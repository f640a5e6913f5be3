/// \file
/// The arrays of a call of a reader's kernel, and how a chapter's trial checks, counts and times such calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/measure/memory.hpp"
#include "harness/measure/sampling.hpp"
#include "yours/guarded.hpp"
#include "yours/race.hpp"
#include "yours/trial.hpp"

namespace hf::yours {

enum class Role {
  input,    ///< random, and must not be written
  updated,  ///< random before the call
  output    ///< NaN before the call
};

struct Array {
  std::string name;  ///< what the kernel's signature calls it
  std::size_t count;
  Role role;
  std::size_t element_bytes = sizeof(float);
};

enum class Place {
  guarded,  ///< between forbidden pages, to be checked
  huge      ///< in huge pages, as the labs have them, to be timed
};

/// A chapter derives a class from this: with a type Kernel, text(), run(Kernel*) and check(), which throws Wrong.
class Arrays {
 public:
  Arrays(Place place, const std::vector<Array>& arrays);
  virtual ~Arrays() = default;
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  /// Numbers that no call has ever seen.
  void renew();

  /// Called after a kernel: further writes end the process, and a thread that it left behind gets time to make one.
  /// \throws Wrong if it wrote before the start of an array
  void settle() const;

  std::byte* bytes(std::size_t i) const { return arrays_[i].bytes; }
  float* data(std::size_t i) const { return reinterpret_cast<float*>(bytes(i)); }
  std::span<float> numbers(std::size_t i) const;
  std::vector<std::span<const float>> all_numbers() const;

 protected:
  bool guarded() const { return arrays_.front().guarded != nullptr; }
  /// From here on, the kernel must not write to this array.
  void close(std::size_t i) const;
  /// The sequence of random numbers with which array i was filled.
  std::uint64_t sequence(std::size_t i) const { return sequence_ + i; }
  /// Fills an input, or an array that is updated.
  virtual void fill(std::size_t i);

 private:
  struct Held {
    Array array;
    std::unique_ptr<GuardedArray> guarded;  ///< or
    Buffer buffer;
    std::byte* bytes;
  };
  std::vector<Held> arrays_;
  std::uint64_t sequence_ = 0;
};

/// Calls a kernel once, with new numbers. \throws Wrong if it is
template <class Call>
void try_once(Call& call, typename Call::Kernel* kernel) {
  trying(call.text());
  call.renew();
  call.run(kernel);
  call.settle();
  call.check();
}

/// Checks the kernel with each shape. \throws Wrong
template <class Call, class Shape>
void check_shapes(const std::vector<Shape>& shapes, void* kernel) {
  std::deque<Call> recent;  // so that a late write finds its array
  for (const Shape& shape : shapes) {
    if (recent.size() == 2) recent.pop_front();
    Call& call = recent.emplace_back(shape, Place::guarded);
    for (int time = 0; time < 2; ++time)  // a kernel that remembers its first result is wrong the second time
      try_once(call, reinterpret_cast<typename Call::Kernel*>(kernel));
  }
}

/// The reader's kernel as a contestant, each time with new numbers. The variant throws Wrong if a result is wrong.
template <class Call>
Variant readers(Call& call, void* kernel) {
  return fresh(
      "yours", [&call] { call.renew(); },
      [&call, kernel] { call.run(reinterpret_cast<typename Call::Kernel*>(kernel)); }, [&call] { call.check(); });
}

}  // namespace hf::yours
