/// \file
/// At which sizes the lab measures: all of them in full, fewer when quick, smaller ones on a slow core; and how patiently.
#pragma once

#include <cstddef>
#include <vector>

#include "02-matmul/kernels/attention.hpp"
#include "02-matmul/kernels/convolution.hpp"
#include "02-matmul/kernels/perceptron.hpp"
#include "harness/lab.hpp"

namespace hf::matmul {

/// The peak of one thread, which is measured first.
constexpr const char* first_peak_id = "peak_at_first_gflops";

/// Whether this core is as slow as an emulated one.
/// \pre the value first_peak_id was added
bool is_slow(const Lab& lab);

/// Where rungs are taken apart: b is larger than a level-2 cache, and N is no power of two.
std::size_t anatomy_size(const Lab& lab);

/// Rising, anatomy_size() and 1024 among them.
std::vector<std::size_t> ladder_sizes(const Lab& lab);

/// Around 1024; that and its neighbours are among them.
std::vector<std::size_t> conflict_sizes(const Lab& lab);

/// Where shapes of blocks are compared.
std::size_t blocking_size(const Lab& lab);

/// A layer of ResNet.
ConvolutionShape convolution_shape(const Lab& lab);

/// One head of GPT-2 small.
AttentionShape attention_shape(const Lab& lab);

/// The perceptron in a layer of GPT-2 small.
PerceptronShape perceptron_shape(const Lab& lab);

/// Lab::plan() for products that take so long that three rounds must do, and that warm the caches by themselves.
Plan patient_plan(const Lab& lab, int parts = 1);

}  // namespace hf::matmul
