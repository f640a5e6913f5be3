/// \file
/// The textbook's multiplication of two matrices, in C++ and in Python. All matrices are (n, n).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hf::workload {

/// Rows [0, rows) of c = a · b; a and c have at least that many.
void triple_loop(const float* a, const float* b, float* c, std::size_t rows, std::size_t n);

/// The times and the product from Python.
struct PythonRows {
  std::vector<double> seconds;  ///< for each row
  std::vector<double> c;        ///< (rows, n)
};

/// "3.11.2"; empty without python3.
std::string python_version();

/// triple_loop() in pure Python. \return nothing if python3 is missing or fails
std::optional<PythonRows> triple_loop_in_python(std::span<const float> a, std::span<const float> b, std::size_t rows,
                                                std::size_t n);

}  // namespace hf::workload
