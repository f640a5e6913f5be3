// The loops in C++ do the same as the nests as data, in their order: bit by bit.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "07-compilers/check/changed_results.hpp"
#include "07-compilers/kernels/legality/dependence_test.hpp"
#include "07-compilers/kernels/legality/nest_kernels.hpp"
#include "common/random.hpp"

namespace hf::compilers {
namespace {

const std::vector<std::pair<std::size_t, std::size_t>> shapes = {
    {1, 1}, {1, 7}, {7, 1}, {2, 3}, {3, 2}, {5, 40}, {40, 5}, {33, 33}, {17, 64}, {64, 17}, {50, 51}};

struct Matrix {
  std::size_t columns;
  std::vector<float> numbers;

  float& at(const LoopVector& subscripts) {
    return numbers[static_cast<std::size_t>(subscripts[0]) * columns + static_cast<std::size_t>(subscripts[1])];
  }
};

Matrix random_matrix(std::size_t rows, std::size_t columns, std::uint64_t sequence) {
  Matrix matrix = {columns, std::vector<float>(rows * columns)};
  fill_random(matrix.numbers, sequence);
  return matrix;
}

using Body = std::function<float(const std::vector<float>& read)>;

/// Runs a nest, given as data, over its arrays.
void interpret(const LoopNest& nest, const Transformation& order, std::vector<Matrix*> arrays, const Body& body) {
  for (const LoopVector& at : order_of(nest, order)) {
    std::vector<float> read;
    for (const Access& access : nest.reads) {
      read.push_back(arrays[static_cast<std::size_t>(access.array)]->at(element(access, at)));
    }
    arrays[static_cast<std::size_t>(nest.write.array)]->at(element(nest.write, at)) = body(read);
  }
}

const Transformation as_written = permutation({0, 1}), exchanged = permutation({1, 0});

TEST_CASE("running sums, in both orders") {
  for (const auto& [rows, columns] : shapes) {
    const LoopNest nest = running_sums_nest(static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns));
    Matrix x = random_matrix(rows, columns, 1), sums = random_matrix(rows + 1, columns, 2), first = sums, second = sums;
    interpret(nest, as_written, {&sums, &x}, [](const std::vector<float>& read) { return read[0] + read[1]; });
    running_sums(x.numbers.data(), first.numbers.data(), rows, columns);
    running_sums_exchanged(x.numbers.data(), second.numbers.data(), rows, columns);
    CHECK(first.numbers == sums.numbers);
    CHECK(second.numbers == sums.numbers);
  }
}

float mixed(const std::vector<float>& read) {
  const float neighbours = read[1] + read[2];
  return 0.5f * read[0] + 0.25f * neighbours;
}

Matrix swept(std::size_t rows, std::size_t columns, const Transformation& order) {
  Matrix a = random_matrix(rows + 1, columns + 2, 3);
  interpret(sweep_nest(static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)), order, {&a}, mixed);
  return a;
}

TEST_CASE("a sweep, in each order") {
  for (const auto& [rows, columns] : shapes) {
    const Matrix start = random_matrix(rows + 1, columns + 2, 3), right = swept(rows, columns, as_written);
    Matrix a = start;
    sweep(a.numbers.data(), rows, columns);
    CHECK(a.numbers == right.numbers);
    a = start;
    sweep_skewed(a.numbers.data(), rows, columns);
    CHECK(a.numbers == right.numbers);
    a = start;
    sweep_exchanged(a.numbers.data(), rows, columns);
    CHECK(a.numbers == swept(rows, columns, exchanged).numbers);
    CHECK((a.numbers == right.numbers) == (rows == 1 || columns == 1));
  }
}

TEST_CASE("a sweep over a matrix that is stored skewed") {
  for (const auto& [rows, columns] : shapes) {
    Matrix start = random_matrix(rows + 1, columns + 2, 3), right = swept(rows, columns, as_written);
    std::vector<float> skewed(skewed_numbers(rows, columns), 0.0f);
    for (std::size_t i = 0; i <= rows; ++i) {
      for (std::size_t j = 0; j < columns + 2; ++j)
        skewed[skewed_place(i, j, rows)] = start.numbers[i * (columns + 2) + j];
    }
    sweep_stored_skewed(skewed.data(), rows, columns);
    std::vector<float> back = start.numbers;
    for (std::size_t i = 0; i <= rows; ++i) {
      for (std::size_t j = 0; j < columns + 2; ++j) back[i * (columns + 2) + j] = skewed[skewed_place(i, j, rows)];
    }
    CHECK(back == right.numbers);
  }
}

TEST_CASE("what is wrong is counted, and shown") {
  CHECK(compare_with_sweep(sweep).wrong == 0);
  CHECK(compare_with_sweep(sweep_skewed).wrong == 0);
  const Difference difference = compare_with_sweep(sweep_exchanged);
  CHECK(difference.wrong > nest_iterations / 2);
  CHECK(difference.wrong <= nest_iterations);
  CHECK(difference.row == 2);  // above the first row there are only given numbers
  CHECK(difference.column == 1);
  CHECK(difference.right != difference.given);
}

}  // namespace
}  // namespace hf::compilers
