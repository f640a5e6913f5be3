// Faults of kernels are found, with their line; kernels without faults pass.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "03-gpu/kernels/emulator/emulator.hpp"
#include "faulty.hpp"

namespace hf::emulator {
namespace {

const std::vector<float> zeros(64);

std::string fault_of(Faulty kernel, const GlobalArray<float>& numbers) {
  try {
    kernel(numbers.data());
  } catch (const KernelFault& fault) {
    return fault.what();
  }
  return "none";
}

std::string fault_of(Faulty kernel) { return fault_of(kernel, GlobalArray<float>(zeros)); }

bool is(const std::string& fault, const std::string& what) {
  INFO(fault);
  const bool has_line = fault.starts_with("faulty.cpp:");
  CHECK(has_line);
  return fault.find(what) != std::string::npos;
}

TEST_CASE("accesses outside of an array") {
  CHECK(is(fault_of(reads_behind_the_array), "reads outside of its arrays; thread (31, 0, 0) of block (0, 0, 0)"));
  CHECK(is(fault_of(writes_before_the_array), "writes outside of its arrays; thread (0, 0, 0) of block (0, 0, 0)"));
  CHECK(is(fault_of(writes_nowhere), "uses an address that is no array's; thread (0, 0, 0) of block (0, 0, 0)"));
}

TEST_CASE("memory that nobody has written") {
  CHECK(is(fault_of(reads_what_nobody_wrote, GlobalArray<float>(64)), "reads what nobody has written"));
  CHECK(is(fault_of(reads_shared_memory_of_the_block_before),
           "reads what nobody has written; thread (0, 0, 0) of block (1, 0, 0)"));
}

TEST_CASE("races between barriers") {
  CHECK(is(fault_of(lacks_the_barrier_before_storing_again), "what another thread"));
  CHECK(is(fault_of(stores_twice_to_one_place), "two threads write"));
  CHECK(is(fault_of(lacks_the_barrier_of_a_warp), "reads what"));
  CHECK(is(fault_of(lacks_the_barrier_after_storing), "reads what"));
}

TEST_CASE("kernels without a fault") {
  for (const Faulty kernel : {meets_after_storing, meets_in_the_warp, loads_one_word_in_all_threads})
    CHECK(fault_of(kernel) == "none");
  const GlobalArray<float> numbers(zeros);
  meets_after_storing(numbers.data());
  CHECK(numbers.to_host()[0] == 63);
  meets_in_the_warp(numbers.data());
  CHECK(numbers.to_host()[0] == 1);
}

TEST_CASE("a fault ends with its launch") {
  CHECK(fault_of(reads_behind_the_array) != "none");
  CHECK(fault_of(meets_after_storing) == "none");
}

}  // namespace
}  // namespace hf::emulator
