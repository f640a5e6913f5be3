// The loops around the micro-kernel: every schedule gives the product, compared with the double-precision reference, and
// passes each number to the epilogue once.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <vector>

#include "harness/measure/vector.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/gemm/gemm_driver.hpp"
#include "kit/gemm/micro_kernel.hpp"
#include "kit/gemm/partition.hpp"
#include "kit/gemm/schedule.hpp"
#include "labs/kit/gemm/matrices.hpp"

namespace hf::matmul {
namespace {

/// All schedules of the driver, with blocks that no shape divides.
std::vector<Schedule> schedules() {
  std::vector<Schedule> all;
  for (const Blocking blocking : {Blocking{16, 8}, Blocking{37, 40}, Blocking{100, 70}, Blocking{512, 512}}) {
    for (const Use use_b : {Use::never, Use::always}) {
      for (const int order : {0, 1, 2, 3}) {
        all.push_back({.blocking = blocking,
                       .tile_rows = order == 3 ? std::size_t{2} : 0,
                       .pack_b = use_b,
                       .panels_outside = order < 2,
                       .split = order == 1 ? Split::columns : Split::rows});
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

TEST_CASE("any number of last columns is computed, in one block or added to") {
  for (std::size_t n = 1; n <= 3 * register_tile.columns; ++n) {
    for (const Blocking blocking : {Blocking{150, 2 * register_tile.columns}, Blocking{512, 512}}) {
      for (const Use pack_b : {Use::never, Use::always}) {
        const Shape shape = {register_tile.rows + 3, n, 290};
        Matrices x(shape);
        multiply_scheduled<TileKernels<tile_rows, tile_columns / lanes>>(
            shape.m, n, shape.k, x.a().data(), x.b().data(), x.c(), 1, {.blocking = blocking, .pack_b = pack_b});
        CAPTURE(n);
        CHECK(x.worst_error() <= 1);
      }
    }
  }
}

TEST_CASE("an infinity in a stays in its row, wherever in the depth it is") {
  constexpr std::size_t depth = 5 * lanes + 1, columns = 2;  // few columns: vectors lie along the depth
  for (std::size_t place = 0; place < depth; ++place) {
    Matrices x({2, columns, depth});
    x.a()[place] = std::numeric_limits<float>::infinity();
    for (std::size_t j = 0; j < columns; ++j) x.b()[place * columns + j] = 1;
    gemm(2, columns, depth, x.a().data(), x.b().data(), x.c());
    for (std::size_t j = 0; j < columns; ++j) {
      CHECK(x.c()[j] == std::numeric_limits<float>::infinity());
      CHECK(std::isfinite(x.c()[columns + j]));
    }
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
