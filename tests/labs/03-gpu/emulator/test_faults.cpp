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
  CHECK(is(fault_of(reads_behind_the_array),
           "reads outside of its arrays (compare its indices with the sizes); thread (31, 0, 0) of block (0, 0, 0)"));
  CHECK(is(fault_of(writes_before_the_array),
           "writes outside of its arrays (compare its indices with the sizes); thread (0, 0, 0) of block (0, 0, 0)"));
  CHECK(is(fault_of(writes_nowhere),
           "uses an address that is no array's (is it null, or a variable that lacks __shared__?); thread (0, 0, 0) of "
           "block (0, 0, 0)"));
}

TEST_CASE("memory that nobody has written") {
  CHECK(is(fault_of(reads_what_nobody_wrote, GlobalArray<float>(64)), "reads what nobody has written"));
  CHECK(is(fault_of(reads_shared_memory_of_the_block_before),
           "reads what nobody has written (is a __syncthreads() missing?); thread (0, 0, 0) of block (1, 0, 0)"));
}

TEST_CASE("races between barriers") {
  CHECK(is(fault_of(lacks_the_barrier_before_storing_again), "what another thread"));
  CHECK(is(fault_of(stores_twice_to_one_place), "two threads write"));
  CHECK(is(fault_of(lacks_the_barrier_of_a_warp), "reads what"));
  CHECK(is(fault_of(lacks_the_barrier_after_storing), "reads what"));
}

TEST_CASE("races with atomic functions, and shuffles, which order no accesses") {
  CHECK(is(fault_of(reads_while_others_add), "writes what another thread reads"));
  CHECK(is(fault_of(shuffles_instead_of_a_barrier), "reads what another thread writes"));
}

TEST_CASE("asynchronous copies that are read too early, or begin too early") {
  CHECK(is(fault_of(reads_before_the_copy_has_arrived), "reads what an asynchronous copy will write"));
  CHECK(is(fault_of(waits_for_too_few_copies), "reads what an asynchronous copy will write"));
  CHECK(is(fault_of(copies_over_what_others_read), "reads what another thread writes"));
}

// The line that begins the copies is above the barrier; the product is right all the same.
TEST_CASE("the warp tile with its copies too early") {
  const std::vector<float> numbers(256 * 256, 1);
  const GlobalArray<float> a(numbers), b(numbers), c(256 * 256);
  std::string what = "none";
  try {
    multiplies_with_copies_too_early(128, 256, 128, a.data(), b.data(), c.data());
  } catch (const KernelFault& fault) {
    what = fault.what();
  }
  INFO(what);
  CHECK(what.find("sgemm_copies_too_early.cuh:") != std::string::npos);
  CHECK(what.find(": reads what another thread writes (is a __syncthreads() missing between them?)") !=
        std::string::npos);
  CHECK(c.to_host()[0] == 128);
}

TEST_CASE("vectors at odd addresses") {
  const std::string what =
      "a float4 at an address that is no multiple of 16 (use single floats there); thread (0, 0, 0)";
  CHECK(is(fault_of(loads_a_misaligned_float4), what));
  CHECK(is(fault_of(stores_a_misaligned_int4), what));
  CHECK(is(fault_of(loads_a_misaligned_float4_from_shared_memory), what));
  CHECK(is(fault_of(loads_a_misaligned_float2), "a float2 at an address that is no multiple of 8"));
}

TEST_CASE("more memory than a block has") {
  CHECK(is(fault_of(has_49_kib_of_shared_memory), "the block's __shared__ variables have more than 48 KiB"));
  CHECK(is(fault_of(uses_more_dynamic_memory_than_launched),
           "uses an address that is no array's (is it null, or a variable that lacks __shared__?); thread (63, 0, 0)"));
  CHECK(is(fault_of(has_a_static_variable), "a variable that lacks __shared__"));
}

TEST_CASE("threads that do not meet") {
  for (const Faulty kernel : {meets_in_a_branch_of_half_a_warp, meets_in_a_branch_of_one_warp}) {
    const std::string fault = fault_of(kernel);
    CHECK(is(fault, ": waits at this __syncthreads(), but thread (0, 0, 0) at that of faulty.cpp:"));
    CHECK(is(fault, "(move it out of the branch: all threads of a block must reach the same one); thread ("));
  }
  CHECK(is(fault_of(meets_in_a_warp_and_in_the_block), "waits for lanes of its warp that wait elsewhere"));
  CHECK(is(fault_of(shuffles_without_itself), "is not in its own mask"));
  CHECK(is(fault_of(shuffles_from_an_absent_lane), "takes a number from a lane that does not take part"));
}

TEST_CASE("kernels without a fault") {
  for (const Faulty kernel :
       {meets_after_storing, meets_in_the_warp, loads_one_word_in_all_threads, loads_an_aligned_float4,
        has_48_kib_of_shared_memory, uses_dynamic_memory, meets_in_a_branch_of_all, meets_without_those_that_ended,
        shuffles_in_half_a_warp, reads_after_others_have_added, copies_in_turn})
    CHECK(fault_of(kernel) == "none");
  const GlobalArray<float> numbers(zeros);
  meets_after_storing(numbers.data());
  CHECK(numbers.to_host()[0] == 63);
  meets_in_the_warp(numbers.data());
  CHECK(numbers.to_host()[0] == 1);
  reads_after_others_have_added(numbers.data());
  CHECK(numbers.to_host()[63] == 64);
  copies_in_turn(numbers.data());
  CHECK(numbers.to_host()[63] == 5);
}

TEST_CASE("a fault ends with its launch") {
  for (const Faulty kernel :
       {reads_behind_the_array, loads_a_misaligned_float4_from_shared_memory, meets_in_a_branch_of_half_a_warp,
        meets_in_a_warp_and_in_the_block, reads_before_the_copy_has_arrived}) {
    CHECK(fault_of(kernel) != "none");
    take_counts();
    CHECK(fault_of(meets_after_storing) == "none");
    CHECK(take_counts().shared_stores.requests == 2);  // of two warps: nothing of the faulty launch is left
  }
}

}  // namespace
}  // namespace hf::emulator
