// Every rung of the ladder, and the product at its top, compared with the double-precision reference.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "02-matmul/kernels/dot_products.hpp"
#include "02-matmul/kernels/perceptron.hpp"
#include "02-matmul/kernels/rungs.hpp"
#include "kit/gemm/gemm.hpp"
#include "labs/kit/gemm/matrices.hpp"

namespace hf::matmul {
namespace {

struct Named {
  std::string name;
  std::function<Product> multiply;
};

/// The rungs, the dot products with b as it is and with its columns contiguous, and gemm() on one thread, on three, and with blocks
/// so small that every edge of a block is met.
std::vector<Named> products() {
  std::vector<Named> all;
  for (const Rung& rung : rungs()) all.push_back({rung.id, rung.multiply});
  for (DotProducts* dots : {one_sum, eight_sums}) {
    all.push_back({"dot products", [dots](auto m, auto n, auto k, auto a, auto b, auto c) {
                     dots(m, n, k, a, {b, n, 1}, c);
                   }});
  }
  for (DotProducts* dots : {one_sum, eight_sums, eight_vector_sums, vector_sums, vector_tile}) {
    all.push_back({"dot products of columns", [dots](auto m, auto n, auto k, auto a, auto b, auto c) {
                     std::vector<float> columns(k * n);
                     transpose(k, n, b, columns.data());
                     dots(m, n, k, a, {columns.data(), 1, k}, c);
                   }});
  }
  const auto add = [&](const char* name, int threads, Blocking blocking) {
    all.push_back({name, [=](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
                     gemm(m, n, k, a, b, c, threads, blocking);
                   }});
  };
  add("gemm", 1, default_blocking());
  add("gemm, three threads", 3, default_blocking());
  add("gemm, small blocks", 1, {16, register_tile.columns});
  return all;
}

/// Compares every product of this shape with the reference, at about `most` of its numbers.
void check_products(Shape shape, std::size_t most = 4000) {
  for (const Named& product : products()) {
    CAPTURE(product.name);
    INFO(shape.m, " × ", shape.n, " × ", shape.k);
    Matrices matrices(shape);
    CHECK(matrices.worst_error_of(product.multiply, most) <= 1);
  }
}

TEST_CASE("products of many shapes, none of which a block divides") {
  const Shape shapes[] = {{1, 1, 1},    {1, 2, 3},     {12, 32, 5},     {13, 33, 17},   {31, 7, 64},   {64, 64, 64},
                          {65, 1, 130}, {1, 300, 257}, {127, 127, 127}, {100, 96, 129}, {3, 1030, 140}};
  for (const Shape& shape : shapes) check_products(shape);
}

TEST_CASE("products of random shapes") {
  std::mt19937 random(7);
  for (int round = 0; round < 12; ++round)
    check_products({1 + random() % 90, 1 + random() % 90, 1 + random() % 90}, 500);
}

TEST_CASE("a width that is no multiple of a tile's, by little and by much, and a sum of two blocks") {
  for (const std::size_t over : {1, 15, 16, 17, 31}) check_products({29, 64 + over, 1100}, 1000);
}

TEST_CASE("a long thin product") { check_products({17, 4099, 33}, 1000); }

TEST_CASE("a product with one row, from less than a vector to more than the registers hold") {
  for (const std::size_t n : {3, 16, 17, 100, 447, 448, 460, 1000, 2049, 2060}) check_products({1, n, 301}, 500);
  check_products({1, 9001, 207}, 500);
}

TEST_CASE("a sum longer than any block is deep") { check_products({15, 35, 2100}); }

TEST_CASE("rows that compete for places in the cache, so that gemm copies them") {
  for (const Shape& shape :
       {Shape{31, 64, 1024}, {31, 600, 1024}, {250, 33, 2048}, {300, 1024, 40}, {240, 1024, 130}, {250, 512, 70}})
    check_products(shape, 1000);
}

TEST_CASE("empty matrices, and sums of nothing, which are zero") {
  for (const Named& product : products()) {
    CAPTURE(product.name);
    for (const Shape& shape : {Shape{0, 0, 0}, {0, 5, 3}, {5, 0, 3}, {5, 37, 0}}) {
      Matrices matrices(shape);
      product.multiply(shape.m, shape.n, shape.k, matrices.a().data(), matrices.b().data(), matrices.c());
      for (std::size_t i = 0; i < shape.m * shape.n; ++i) REQUIRE(matrices.c()[i] == 0);
      CHECK(matrices.guard_intact());
    }
    product.multiply(0, 0, 0, nullptr, nullptr, nullptr);
  }
}

TEST_CASE("NaN and infinity spread to the row or column they meet, and no further") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const Shape shape = {29, 70, 40};
  for (const Named& product : products()) {
    CAPTURE(product.name);
    Matrices matrices(shape);
    matrices.a()[28 * shape.k + 39] = std::nanf("");  // row 28
    matrices.a()[3 * shape.k + 11] = infinity;        // row 3
    matrices.b()[39 * shape.n + 69] = -infinity;      // column 69
    matrices.b()[11 * shape.n + 5] = 0;               // infinity times zero in (3, 5)
    CHECK(matrices.worst_error_of(product.multiply) <= 1);
    CHECK(std::isnan(matrices.c()[28 * shape.n]));
    CHECK(std::isnan(matrices.c()[3 * shape.n + 5]));
    CHECK(std::isinf(matrices.c()[3 * shape.n + 6]));
    CHECK(std::isinf(matrices.c()[69]));
    CHECK(std::isfinite(matrices.c()[68]));
  }
}

TEST_CASE("what c held before does not matter") {
  for (const Named& product : products()) {
    CAPTURE(product.name);
    const Shape shape = {14, 35, 9};
    Matrices matrices(shape);
    for (std::size_t i = 0; i < shape.m * shape.n; ++i) matrices.c()[i] = std::nanf("");
    CHECK(matrices.worst_error_of(product.multiply) <= 1);
  }
}

TEST_CASE("a wrong product is seen") {
  const Shape shape = {20, 30, 40};
  Matrices matrices(shape);
  const Named naive = products().front();
  REQUIRE(matrices.worst_error_of(naive.multiply) <= 1);
  matrices.c()[19 * shape.n + 29] += 1e-3f;
  CHECK(matrices.worst_error(10) > 1);
}

}  // namespace
}  // namespace hf::matmul
