// Every rung of the ladder, the product at its top, and the loops around the micro-kernel: every schedule gives the
// product, compared with the double-precision reference, and passes each number to the epilogue once.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "02-matmul/kernels/dot_products.hpp"
#include "02-matmul/kernels/gemm.hpp"
#include "02-matmul/kernels/gemm_driver.hpp"
#include "02-matmul/kernels/micro_kernel.hpp"
#include "02-matmul/kernels/partition.hpp"
#include "02-matmul/kernels/perceptron.hpp"
#include "02-matmul/kernels/rungs.hpp"
#include "02-matmul/kernels/schedule.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"

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
  for (DotProducts* dots : {one_sum, eight_sums, vector_sums, vector_tile}) {
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

struct Shape {
  std::size_t m, n, k;
};

/// a and b end where their allocation ends, so that a sanitizer sees every read past it; c has a guard on either side.
class Matrices {
 public:
  explicit Matrices(Shape s)
      : shape_(s),
        a_(random_floats(s.m * s.k, 1)),
        b_(random_floats(s.k * s.n, 2)),
        c_(s.m * s.n + 2 * margin, guard) {}
  std::vector<float>& a() { return a_; }
  std::vector<float>& b() { return b_; }
  float* c() { return c_.data() + margin; }

  double worst_error_of(const Named& product, std::size_t most = 4000) {
    product.multiply(shape_.m, shape_.n, shape_.k, a_.data(), b_.data(), c());
    return worst_error(most);
  }
  /// 1 if rounding explains the difference from the reference.
  double worst_error(std::size_t most = 2000) {
    CHECK(guard_intact());
    return worst_product_error(shape_.m, shape_.n, shape_.k, a_.data(), b_.data(), c(), most);
  }
  bool guard_intact() const {
    for (std::size_t i = 0; i < margin; ++i) {
      if (c_[i] != guard || c_[c_.size() - 1 - i] != guard) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t margin = 64;
  static constexpr float guard = 12345.0f;
  Shape shape_;
  std::vector<float> a_, b_, c_;
};

/// Compares every product of this shape with the reference, at about `most` of its numbers.
void check_products(Shape shape, std::size_t most = 4000) {
  for (const Named& product : products()) {
    CAPTURE(product.name);
    INFO(shape.m, " × ", shape.n, " × ", shape.k);
    Matrices matrices(shape);
    CHECK(matrices.worst_error_of(product, most) <= 1);
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
    CHECK(matrices.worst_error_of(product) <= 1);
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
    CHECK(matrices.worst_error_of(product) <= 1);
  }
}

TEST_CASE("a wrong product is seen") {
  const Shape shape = {20, 30, 40};
  Matrices matrices(shape);
  const Named naive = products().front();
  REQUIRE(matrices.worst_error_of(naive) <= 1);
  matrices.c()[19 * shape.n + 29] += 1e-3f;
  CHECK(matrices.worst_error(10) > 1);
}

/// All schedules of the driver, with blocks that no shape divides.
std::vector<Schedule> schedules() {
  std::vector<Schedule> all;
  for (const Blocking blocking : {Blocking{16, 8}, Blocking{37, 40}, Blocking{512, 512}}) {
    for (const Use use_a : {Use::never, Use::always, Use::where_it_pays}) {
      for (const Use use_b : {Use::never, Use::always}) {
        for (const int order : {0, 1, 2, 3}) {
          all.push_back({.blocking = blocking,
                         .tile_rows = order == 3 ? std::size_t{2} : 0,
                         .copy_a = use_a,
                         .pack_b = use_b,
                         .depth_outside = order % 2 == 0,
                         .panels_outside = order < 2,
                         .split = order == 1 ? Split::columns : Split::rows});
        }
      }
    }
  }
  return all;
}

template <class Kernels>
void check_schedules(Shape shape) {
  for (const Schedule& schedule : schedules()) {
    for (const int threads : {1, 3}) {
      Matrices x(shape);
      multiply_scheduled<Kernels>(shape.m, shape.n, shape.k, x.a().data(), x.b().data(), x.c(), threads, schedule);
      CAPTURE(schedule.blocking.depth);
      CAPTURE(schedule.depth_outside);
      CAPTURE(schedule.panels_outside);
      CAPTURE(threads);
      CHECK(x.worst_error() <= 1);
    }
  }
}

TEST_CASE("every schedule gives the same product, with tiles of any shape") {
  for (const Shape& shape : {Shape{1, 1, 1}, {23, 71, 90}, {2, 130, 38}, {65, 9, 3}, {18, 17, 1024}, {33, 100, 600}}) {
    check_schedules<TileKernels<5, 3, 4>>(shape);
    check_schedules<TileKernels<7, 1, 2>>(shape);
    check_schedules<TileKernels<1, 4>>(shape);
  }
}

/// The rectangles passed to the epilogue, and their contents at that time.
struct Seen {
  explicit Seen(std::size_t rows, std::size_t columns) : width(columns), times(rows * columns), value(rows * columns) {}

  static void note(const void* with, float* c, std::size_t stride, std::size_t row, std::size_t column,
                   std::size_t rows, std::size_t columns) {
    auto& seen = *static_cast<Seen*>(const_cast<void*>(with));
    const std::lock_guard lock(seen.mutex);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        const std::size_t place = (row + i) * seen.width + column + j;
        if (place >= seen.times.size()) {
          ++seen.outside;
          continue;
        }
        ++seen.times[place];
        seen.value[place] = c[i * stride + j];
        c[i * stride + j] = -c[i * stride + j];
      }
    }
  }

  std::mutex mutex;
  std::size_t width, outside = 0;
  std::vector<int> times;
  std::vector<float> value;
};

/// Each number was passed on once, when its sum was complete, and the epilogue's result remains.
void check_seen(const Seen& seen, Matrices& x) {
  REQUIRE(seen.outside == 0);
  for (std::size_t i = 0; i < seen.times.size(); ++i) {
    REQUIRE(seen.times[i] == 1);
    REQUIRE(x.c()[i] == -seen.value[i]);
    x.c()[i] = seen.value[i];
  }
  CHECK(x.worst_error() <= 1);
}

TEST_CASE("an epilogue meets every number of a product once, when it is complete") {
  const Shape shapes[] = {{1, 1, 1},    {1, 300, 700},  {1, 9001, 130}, {2, 100, 5}, {23, 71, 90},
                          {300, 9, 40}, {17, 1030, 33}, {5, 37, 0},     {1, 6, 0},   {240, 100, 1024}};
  for (const Shape& shape : shapes) {
    for (const Blocking blocking : {default_blocking(), Blocking{16, 2 * register_tile.columns}}) {
      for (const int threads : {1, 2, 3}) {
        INFO(shape.m, " × ", shape.n, " × ", shape.k);
        CAPTURE(threads);
        Matrices x(shape);
        Seen seen(shape.m, shape.n);
        gemm(shape.m, shape.n, shape.k, x.a().data(), x.b().data(), x.c(), threads, blocking, {Seen::note, &seen});
        check_seen(seen, x);
      }
    }
  }
}

TEST_CASE("an epilogue meets every number once in every schedule") {
  for (const Shape& shape : {Shape{23, 71, 90}, {18, 17, 1024}, {1, 40, 200}}) {
    for (const Schedule& schedule : schedules()) {
      for (const int threads : {1, 3}) {
        Matrices x(shape);
        Seen seen(shape.m, shape.n);
        multiply_scheduled<TileKernels<5, 3, 4>>(shape.m, shape.n, shape.k, x.a().data(), x.b().data(), x.c(), threads,
                                                 schedule, {Seen::note, &seen});
        check_seen(seen, x);
      }
    }
  }
}

TEST_CASE("an epilogue of an empty product is not called") {
  static std::atomic<int> calls = 0;
  const auto count = [](const void*, float*, std::size_t, std::size_t, std::size_t, std::size_t, std::size_t) {
    ++calls;
  };
  for (const Shape& shape : {Shape{0, 5, 3}, {5, 0, 3}, {0, 0, 0}, {1, 0, 200}}) {
    for (const int threads : {1, 2}) {
      Matrices x(shape);
      gemm(shape.m, shape.n, shape.k, x.a().data(), x.b().data(), x.c(), threads, default_blocking(), {count, nullptr});
    }
  }
  CHECK(calls == 0);
}

TEST_CASE("threads share a product, and leave nothing out") {
  for (const Split split : {Split::longer, Split::rows, Split::columns}) {
    for (const int threads : {1, 2, 5}) {
      std::mutex mutex;
      std::vector<int> times(30 * 70);
      share_product(30, 70, threads, 8, split, [&](const Rectangle& part) {
        const std::lock_guard lock(mutex);
        CHECK(part.column % 8 == 0);
        for (std::size_t i = 0; i < part.rows; ++i) {
          for (std::size_t j = 0; j < part.columns; ++j) ++times[(part.row + i) * 70 + part.column + j];
        }
      });
      for (const int count : times) REQUIRE(count == 1);
    }
  }
}

}  // namespace
}  // namespace hf::matmul
