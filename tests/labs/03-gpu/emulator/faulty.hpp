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

/// And some without a fault.
void meets_after_storing(float* numbers);
void meets_in_the_warp(float* numbers);
void loads_one_word_in_all_threads(float* numbers);

}  // namespace hf::emulator
