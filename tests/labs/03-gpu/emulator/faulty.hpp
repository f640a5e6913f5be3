/// \file
/// Kernels with one fault each, for an array of 64 numbers.
#pragma once

namespace hf::emulator {

using Faulty = void (*)(float* numbers);

void reads_behind_the_array(float* numbers);
void writes_before_the_array(float* numbers);
void writes_nowhere(float* numbers);
void reads_what_nobody_wrote(float* numbers);
void reads_shared_memory_of_the_block_before(float* numbers);
void lacks_the_barrier_after_storing(float* numbers);
void lacks_the_barrier_before_storing_again(float* numbers);
void stores_twice_to_one_place(float* numbers);
void lacks_the_barrier_of_a_warp(float* numbers);
void loads_a_misaligned_float4(float* numbers);
void loads_a_misaligned_float2(float* numbers);
void stores_a_misaligned_int4(float* numbers);
void loads_a_misaligned_float4_from_shared_memory(float* numbers);
void has_49_kib_of_shared_memory(float* numbers);
void uses_more_dynamic_memory_than_launched(float* numbers);
void has_a_static_variable(float* numbers);
void meets_in_a_branch_of_half_a_warp(float* numbers);
void meets_in_a_branch_of_one_warp(float* numbers);
void meets_in_a_warp_and_in_the_block(float* numbers);
void shuffles_without_itself(float* numbers);
void shuffles_from_an_absent_lane(float* numbers);
void shuffles_instead_of_a_barrier(float* numbers);
void reads_while_others_add(float* numbers);
void reads_before_the_copy_has_arrived(float* numbers);
void waits_for_too_few_copies(float* numbers);
void copies_over_what_others_read(float* numbers);

/// And some without a fault.
void meets_after_storing(float* numbers);
void meets_in_the_warp(float* numbers);
void loads_one_word_in_all_threads(float* numbers);
void loads_an_aligned_float4(float* numbers);
void has_48_kib_of_shared_memory(float* numbers);
void uses_dynamic_memory(float* numbers);
void meets_in_a_branch_of_all(float* numbers);
void meets_without_those_that_ended(float* numbers);
void shuffles_in_half_a_warp(float* numbers);
void reads_after_others_have_added(float* numbers);
void copies_in_turn(float* numbers);

/// The ladder's warp tile, c = a · b, whose copies into the next tiles begin before all threads have read these.
void multiplies_with_copies_too_early(int m, int n, int k, const float* a, const float* b, float* c);

}  // namespace hf::emulator
