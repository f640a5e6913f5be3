// The dependence test: its answers for known nests, and for thousands of random nests, whose loops are run to check; and
// the loops in C++, which do the same as the nests as data, in their order: bit by bit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/check/changed_results.hpp"
#include "07-compilers/kernels/legality/dependence_test.hpp"
#include "07-compilers/kernels/legality/nest_kernels.hpp"
#include "common/random.hpp"

namespace hf::compilers {
namespace {

using Texts = std::vector<std::string>;

Texts texts(const LoopNest& nest) {
  Texts result;
  for (const Dependence& dependence : dependences(nest)) result.push_back(text(dependence));
  return result;
}

/// c[i][j] += a[i][k] · b[k][j]
LoopNest triple_loop(std::int64_t n) {
  const Affine i = {{1, 0, 0}, 0}, j = {{0, 1, 0}, 0}, k = {{0, 0, 1}, 0};
  return {{n, n, n}, {0, {i, j}}, {{0, {i, j}}, {1, {i, k}}, {2, {k, j}}}};
}

/// for i: a[write] = a[read]
LoopNest one_loop(std::int64_t extent, Affine write, Affine read) {
  return {{extent}, {0, {std::move(write)}}, {{0, {std::move(read)}}}};
}

/// The memory after the nest ran in some order: each number is a scrambled sum of everything that went into it.
std::map<std::pair<int, LoopVector>, std::uint64_t> outcome(const LoopNest& nest,
                                                            const std::vector<LoopVector>& order) {
  std::map<std::pair<int, LoopVector>, std::uint64_t> memory;
  for (const LoopVector& at : order) {
    std::uint64_t mixed = 1;
    for (const Access& read : nest.reads) {
      const auto found = memory.find({read.array, element(read, at)});
      mixed = mixed * 31 + (found == memory.end() ? 7 : found->second);
    }
    for (std::int64_t counter : at) mixed = mixed * 37 + static_cast<std::uint64_t>(counter);
    memory[{nest.write.array, element(nest.write, at)}] = random_word(0, mixed >> 24);
  }
  return memory;
}

Transformation same(const LoopNest& nest) { return skew(nest.extents.size(), 0, 0, 0); }

/// A random order: loops exchanged and skewed a few times.
Transformation random_transformation(std::size_t loops, std::uint64_t sequence) {
  std::uint64_t index = 0;
  const auto dice = [&](std::uint64_t below) { return random_below(sequence, index++, below); };
  Transformation result = skew(loops, 0, 0, 0);
  for (int step = 0; step < 3; ++step) {
    std::vector<std::size_t> order(loops);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t left = loops; left > 1; --left) std::swap(order[left - 1], order[dice(left)]);
    result = then(result, permutation(order));
    const std::size_t loop = dice(loops), by = dice(loops);
    if (loop != by) result = then(result, skew(loops, loop, by, static_cast<std::int64_t>(dice(5)) - 2));
  }
  return result;
}

bool turns_any_round(const std::set<LoopVector>& distances, const Transformation& transformation) {
  return std::any_of(distances.begin(), distances.end(),
                     [&](const LoopVector& distance) { return !is_positive(transformation * distance); });
}

bool contains(const std::vector<Range>& ranges, const LoopVector& distance) {
  for (std::size_t loop = 0; loop < distance.size(); ++loop) {
    if (distance[loop] < ranges[loop].low || distance[loop] > ranges[loop].high) return false;
  }
  return true;
}

TEST_CASE("the distances of the chapter's nests") {
  CHECK(texts(running_sums_nest(9, 9)) == Texts{"flow (0, 1)"});
  CHECK(texts(sweep_nest(9, 9)) == Texts{"flow (0, 1)", "flow (1, -1)"});
  CHECK(texts(triple_loop(8)) == Texts{"flow (0, 0, 1 to 7)", "anti (0, 0, 1 to 7)", "output (0, 0, 1 to 7)"});
}

TEST_CASE("which of the chapter's loops may be exchanged") {
  const Transformation exchange = permutation({1, 0});
  CHECK(is_legal(dependences(running_sums_nest(9, 9)), exchange));
  CHECK(!is_legal(dependences(sweep_nest(9, 9)), exchange));
  CHECK(is_legal(dependences(sweep_nest(9, 9)), wavefronts()));
  CHECK(is_legal(dependences(sweep_nest(9, 9)), then(skew(2, 1, 0, 1), exchange)));
  std::vector<std::size_t> order = {0, 1, 2};
  do CHECK(is_legal(dependences(triple_loop(8)), permutation(order)));
  while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("which of their loops may run at the same time") {
  const auto sums = dependences(running_sums_nest(9, 9)), swept = dependences(sweep_nest(9, 9));
  const Transformation as_written = skew(2, 0, 0, 0), exchange = permutation({1, 0});
  CHECK(is_parallel(sums, as_written, 0));
  CHECK(!is_parallel(sums, as_written, 1));
  CHECK(is_parallel(sums, exchange, 1));
  CHECK(!is_parallel(swept, as_written, 0));
  CHECK(!is_parallel(swept, as_written, 1));
  CHECK(!is_parallel(swept, then(skew(2, 1, 0, 1), exchange), 1));
  CHECK(is_parallel(swept, wavefronts(), 1));
}

TEST_CASE("even and odd elements never meet; neither do those that are too far apart") {
  CHECK(texts(one_loop(100, {{2}, 0}, {{2}, 1})).empty());
  CHECK(texts(one_loop(100, {{4}, 0}, {{6}, 1})).empty());
  CHECK(texts(one_loop(10, {{1}, 10}, {{1}, 0})).empty());
  CHECK(texts(one_loop(11, {{1}, 10}, {{1}, 0})) == Texts{"flow (10)"});
  CHECK(texts(one_loop(10, {{1}, 0}, {{1}, 3})) == Texts{"anti (3)"});
  CHECK(texts(one_loop(10, {{3}, 0}, {{3}, 6})) == Texts{"anti (2)"});
  CHECK(texts(one_loop(1, {{0}, 0}, {{0}, 0})).empty());
  CHECK(texts(one_loop(0, {{0}, 0}, {{0}, 0})).empty());
}

TEST_CASE("other arrays do not matter, and one number that all iterations write does") {
  LoopNest nest = one_loop(5, {{1}, 0}, {{1}, -1});
  nest.reads[0].array = 1;
  CHECK(texts(nest).empty());
  CHECK(texts({{5}, {0, {}}, {{0, {}}}}) == Texts{"flow (1 to 4)", "anti (1 to 4)", "output (1 to 4)"});
}

TEST_CASE("every distance that enumeration finds lies in a dependence that the test found") {
  for (std::uint64_t sequence = 0; sequence < 4000; ++sequence) {
    CAPTURE(sequence);
    const LoopNest nest = random_nest(sequence);
    const std::vector<Dependence> found = dependences(nest);
    for (const LoopVector& distance : enumerated_distances(nest)) {
      const std::string missing = text(distance);
      CAPTURE(missing);
      CHECK(std::any_of(found.begin(), found.end(),
                        [&](const Dependence& dependence) { return contains(dependence.distance, distance); }));
    }
  }
}

TEST_CASE("where the factors are the same, and there are as many subscripts as loops, every distance is exact") {
  for (std::uint64_t sequence = 0; sequence < 2000; ++sequence) {
    CAPTURE(sequence);
    LoopNest nest = random_nest(2 * sequence);
    const std::size_t loops = nest.extents.size();
    const auto subscripts = [&](std::uint64_t access) {  // for loops that are skewed and exchanged: determinant 1 or -1
      std::vector<Affine> result;
      const Transformation rows = random_transformation(loops, sequence);
      for (std::size_t row = 0; row < loops; ++row) {
        const auto constant = static_cast<std::int64_t>(random_below(sequence, 100 + 10 * access + row, 5)) - 2;
        result.push_back({rows.rows[row], constant});
      }
      return result;
    };
    nest.write.subscripts = subscripts(0);
    for (std::size_t read = 0; read < nest.reads.size(); ++read) nest.reads[read] = {0, subscripts(1 + read)};
    std::set<LoopVector> exact;
    for (const Dependence& dependence : dependences(nest)) {
      LoopVector distance;
      for (Range range : dependence.distance) {
        CHECK(range.low == range.high);
        distance.push_back(range.low);
      }
      exact.insert(distance);
    }
    CHECK(exact == enumerated_distances(nest));
  }
}

TEST_CASE("an order that the test allows turns no dependence round, and leaves memory as it would have been") {
  std::size_t allowed = 0, turned = 0;
  for (std::uint64_t sequence = 0; sequence < 4000; ++sequence) {
    CAPTURE(sequence);
    const LoopNest nest = random_nest(sequence);
    const std::vector<Dependence> found = dependences(nest);
    const std::set<LoopVector> distances = enumerated_distances(nest);
    for (std::uint64_t attempt = 0; attempt < 3; ++attempt) {
      const Transformation order = random_transformation(nest.extents.size(), 3 * sequence + attempt);
      turned += turns_any_round(distances, order) ? 1 : 0;
      if (!is_legal(found, order)) continue;
      ++allowed;
      CHECK(!turns_any_round(distances, order));
      CHECK(outcome(nest, order_of(nest, order)) == outcome(nest, order_of(nest, same(nest))));
    }
  }
  CHECK(allowed > 1000);
  CHECK(turned > 1000);
}

TEST_CASE("a parallel loop may run backwards") {
  std::size_t parallel = 0;
  for (std::uint64_t sequence = 0; sequence < 3000; ++sequence) {
    CAPTURE(sequence);
    const LoopNest nest = random_nest(sequence);
    const std::vector<Dependence> found = dependences(nest);
    const std::set<LoopVector> distances = enumerated_distances(nest);
    for (std::size_t loop = 0; loop < nest.extents.size(); ++loop) {
      if (distances.empty() || !is_parallel(found, same(nest), loop)) continue;
      ++parallel;
      Transformation backwards = same(nest);
      backwards.rows[loop][loop] = -1;
      CHECK(!turns_any_round(distances, backwards));
    }
  }
  CHECK(parallel > 100);
}

TEST_CASE("the verdicts over random nests add up") {
  const Verdicts verdicts = judge_random_nests(1000);
  CHECK(verdicts.allowed_wrongly == 0);
  CHECK(verdicts.allowed <= verdicts.harmless);
  CHECK(verdicts.harmless > 500);
  CHECK(verdicts.harmful > 500);
  CHECK(verdicts.allowed > verdicts.harmless * 9 / 10);
}

TEST_CASE("transformations: one after the other, and every iteration once") {
  const Transformation order = then(skew(2, 1, 0, 2), permutation({1, 0}));
  CHECK(order.rows == std::vector<LoopVector>{{2, 1}, {1, 0}});
  CHECK(order * LoopVector{3, 5} == LoopVector{11, 3});
  const LoopNest nest = sweep_nest(3, 4);
  std::vector<LoopVector> iterations = order_of(nest, order);
  CHECK(iterations.size() == 12);
  CHECK(iterations[2] == LoopVector{0, 2});
  CHECK(iterations[3] == LoopVector{1, 0});
  std::sort(iterations.begin(), iterations.end());
  CHECK(iterations == order_of(nest, same(nest)));
}

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
  return {columns, random_floats(rows * columns, sequence)};
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
