/// \file
/// Libraries with several sets of kernels for the same product, one for each kind of processor: finds the fastest here,
/// for small matrices and for large ones.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "shared_library.hpp"

namespace hf {

/// A library's product with one of its sets of kernels.
struct Kernels {
  std::string name;  ///< the library's own name for them: "SkylakeX"; empty if it has none
  /// c = a · b, all row-major in fp32: a is (m, k), b is (k, n). Empty if the library lacks a function.
  std::function<void(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c)> multiply;
  std::function<void(int threads)> set_threads;  ///< empty if it has only one
};

/// A library that chooses its kernels when it is loaded or first called, and lets an environment variable choose others.
struct KernelChoice {
  const char* variable;             ///< "OPENBLAS_CORETYPE"
  std::vector<std::string> values;  ///< those to try beside the library's own choice
  std::function<SharedLibrary()> load;
  std::function<Kernels(const SharedLibrary&)> find;  ///< calls the library, so that it has chosen
};

/// The sizes of the matrices on which kernels are tried.
constexpr std::array<std::size_t, 3> trial_sizes = {100, 384, 1000};

/// How fast a library is with one value of its variable.
struct Trial {
  std::string value;                                   ///< "" for the library's own choice
  std::string name;                                    ///< of the kernels
  std::array<double, trial_sizes.size()> speeds = {};  ///< products per second; 0 if wrong, not run, or far behind
};

/// Returns the value that is fastest over all sizes, in doubt the earlier one, then each value that is over 1% faster
/// than those before it at some size.
std::vector<std::string> winners(const std::vector<Trial>& trials);

/// Tries the library's own choice and each value, on one thread. Every trial is a process of its own, since kernels that
/// this processor cannot run end it. Kernels whose product is wrong lose.
/// \return winners(); only "" if the library is missing
std::vector<std::string> fastest_values(const KernelChoice& choice);

/// Loads the library with the variable set to a value, or unset for "".
SharedLibrary load_with(const KernelChoice& choice, const std::string& value);

/// Loads the library once with each value, side by side in this process: first the library itself, then copies of its
/// file, each with its own state. They share the libraries that they depend on, such as OpenMP. Call it before starting
/// threads.
std::vector<Kernels> load_side_by_side(const KernelChoice& choice, const std::vector<std::string>& values);

}  // namespace hf
