// Tries a reader's product of weights in Q4_0 and a vector.
#include "yours/trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/gemv/tile_kernels.hpp"
#include "06-precision/kernels/gemv/weight_matrix.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/threads.hpp"
#include "kit/cache_simulator.hpp"
#include "kit/pinned.hpp"
#include "kit/random.hpp"
#include "kit/rounded.hpp"
#include "kit/streams/stream_runs.hpp"
#include "kit/streams/stream_set.hpp"
#include "yours/counting.hpp"
#include "yours/guarded.hpp"
#include "yours/race.hpp"
#include "yours/sizes.hpp"

namespace hf::precision {
namespace {

using roofline::Stream;
using yours::GuardedArray;
using yours::Wrong;
using Product = void(std::size_t rows, std::size_t columns, const Q4_0Block* weights, const float* x, float* y);

constexpr std::size_t block = Q4_0Block::numbers;

/// A matrix's sizes.
struct Shape {
  std::size_t rows, columns;

  std::size_t blocks() const { return rows * columns / block; }
  double weights() const { return static_cast<double>(rows) * static_cast<double>(columns); }
  std::string text() const { return std::to_string(rows) + " × " + std::to_string(columns); }
};

/// A row times x, and the error that rounding x to 8 bits causes, which is much larger than that of the additions.
Rounded reference_row(std::span<const float> row, std::span<const float> x) {
  Rounded sum;
  for (std::size_t begin = 0; begin < x.size(); begin += block) {
    const double distance = double{largest_magnitude(x.subspan(begin, block))} / 127;  // between neighbouring marks
    for (std::size_t j = begin; j < begin + block; ++j) {
      const double product = double{row[j]} * x[j], rounding = row[j] * distance;
      sum = sum + Rounded(product, rounding * rounding / 12, 1);
    }
  }
  return sum;
}

/// \throws Wrong if y[i] is
void check_row(std::size_t i, float got, std::span<const float> row, std::span<const float> x, const Shape& shape) {
  const Rounded expected = reference_row(row, x);
  if (error_share(got, expected) > 1) yours::refuse("y[" + std::to_string(i) + "]", got, expected.value, shape.text());
}

/// Inputs between forbidden pages, and a poisoned output.
class Matrix {
 public:
  explicit Matrix(const Shape& shape)
      : shape_(shape),
        weights_("weights", shape.blocks(), sizeof(Q4_0Block)),
        x_("x", shape.columns),
        y_("y", shape.rows) {}

  /// New random inputs, and NaN in y. Rows differ in magnitude, so that scales differ; some are subnormal numbers.
  void renew(std::uint64_t seed) {
    for (const GuardedArray* each : {&weights_, &x_, &y_}) each->forbid_writes(nullptr);
    std::vector<float> numbers = random_floats(shape_.rows * shape_.columns, 2 * seed);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = std::ldexp(numbers[i], -4 * static_cast<int>(i / shape_.columns % 5));
    }
    const EncodedMatrix encoded = encode(Format::q4_0, numbers, shape_.rows, shape_.columns);
    std::ranges::copy(encoded.bytes, weights_.bytes());
    decoded_ = decode(encoded);
    fill_random(x_.numbers(), 2 * seed + 1);
    std::ranges::fill(y_.numbers(), std::numeric_limits<float>::quiet_NaN());
    for (const GuardedArray* each : {&weights_, &x_}) each->forbid_writes(", which is an input");
  }

  void multiply(Product* kernel) const {
    kernel(shape_.rows, shape_.columns, reinterpret_cast<const Q4_0Block*>(weights_.bytes()), x_.data(), y_.data());
    y_.settle();
  }

  /// \throws Wrong, with the first wrong row
  void check() const {
    if (!weights_.intact() || !x_.intact() || !y_.intact()) throw Wrong("writes before the begin of an array");
    for (std::size_t i = 0; i < shape_.rows; ++i) {
      check_row(i, y_.data()[i], std::span(decoded_).subspan(i * shape_.columns, shape_.columns), x_.numbers(), shape_);
    }
  }

 private:
  Shape shape_;
  GuardedArray weights_, x_, y_;
  std::vector<float> decoded_;
};

/// Few rows and many, few blocks and many, all pairs of sizes around those at which tiles end, and both random.
std::vector<Shape> shapes_to_check() {
  std::vector<Shape> shapes = {{1, 32}, {1, 0}, {0, 64}, {3, 0}, {1, 64}, {2, 96}, {33, 32}, {5, 1024}};
  for (const std::size_t rows : {3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48}) shapes.push_back({rows, 32 * (rows % 5 + 1)});
  for (const std::size_t rows : yours::sizes_around(yours::powers_of_two(64))) {
    for (const std::size_t blocks : yours::sizes_around(yours::powers_of_two(16)))
      shapes.push_back({rows, block * blocks});
  }
  yours::RandomSizes random;
  for (int i = 0; i < 12; ++i) shapes.push_back({random.next(90), block * random.next(20)});
  shapes.push_back({130, 4096});
  return shapes;
}

void check(void* kernel) {
  std::uint64_t seed = 1;
  for (const Shape& shape : shapes_to_check()) {
    yours::trying(shape.text());
    Matrix matrix(shape);
    for (int time = 0; time < 2; ++time) {  // a kernel that remembers its first result is wrong the second time
      matrix.renew(seed++);
      matrix.multiply(reinterpret_cast<Product*>(kernel));
      matrix.check();
    }
  }
}

/// Bytes that cross each level for one weight, beside those of a kernel that loads each byte once.
std::vector<yours::Count> count(void* kernel) {
  constexpr Shape shape = {64, 4096};
  Matrix matrix(shape);
  matrix.renew(1);
  yours::trying(shape.text());
  const yours::Counted counted =
      yours::count([&] { matrix.multiply(reinterpret_cast<Product*>(kernel)); }, probe_machine());
  const double weights = shape.weights(), x_and_y = 4.0 * (shape.rows + shape.columns);
  const double least = (static_cast<double>(shape.blocks() * sizeof(Q4_0Block)) + x_and_y) / weights;
  const auto bytes = [&](std::uint64_t of) { return static_cast<double>(of) / weights; };
  return {
      {"bytes per weight between registers and L1", bytes(counted.traffic.registers_l1), {{"each byte once", least}}},
      {"bytes per weight between L2 and beyond", bytes(counted.traffic.l2_beyond), {{"each byte once", least}}},
  };
}

constexpr std::size_t band = 64;  // random rows, which are then repeated

/// A large matrix in Q4_0, in which each call finds a row that it has never seen.
class Track {
 public:
  explicit Track(const Shape& shape)
      : shape_(shape),
        band_(encode(Format::q4_0, random_floats(band * shape.columns, 1), band, shape.columns)),
        decoded_(decode(band_)),
        weights_(shape.blocks() * sizeof(Q4_0Block), Pages::huge),
        x_(shape.columns),
        y_(shape.rows) {
    for (std::size_t i = 0; i < shape.rows; ++i) restore(i);
  }

  /// \throws Wrong if a result is wrong
  Variant variant(Product* kernel) {
    return yours::fresh(
        "yours", [this] { renew(); },
        [this, kernel] { kernel(shape_.rows, shape_.columns, weights_.as<Q4_0Block>().data(), x_.data(), y_.data()); },
        [this] { check(); });
  }

  const EncodedMatrix& encoded_band() const { return band_; }

 private:
  std::size_t row_bytes() const { return shape_.columns / block * sizeof(Q4_0Block); }
  void put(std::size_t i, const std::byte* row) { std::memcpy(weights_.data() + i * row_bytes(), row, row_bytes()); }
  void restore(std::size_t i) { put(i, band_.bytes.data() + i % band * row_bytes()); }

  void renew() {
    restore(changed_);
    changed_ = random_below(79, seed_, shape_.rows);
    const EncodedMatrix row = encode(Format::q4_0, random_floats(shape_.columns, seed_), 1, shape_.columns);
    put(changed_, row.bytes.data());
    changed_row_ = decode(row);
    fill_random(x_, seed_ + 1);
    seed_ += 2;
    std::ranges::fill(y_, std::numeric_limits<float>::quiet_NaN());
  }

  void check() const {
    check_row(changed_, y_[changed_], changed_row_, x_, shape_);
    for (std::size_t i = 0; i < shape_.rows; i += std::max<std::size_t>(1, shape_.rows / 16)) {
      const auto row = std::span(decoded_).subspan(i % band * shape_.columns, shape_.columns);
      if (i != changed_) check_row(i, y_[i], row, x_, shape_);
    }
  }

  Shape shape_;
  EncodedMatrix band_;
  std::vector<float> decoded_;
  Buffer weights_;
  std::vector<float> x_, y_, changed_row_;
  std::size_t changed_ = 0;
  std::uint64_t seed_ = 1000;
};

/// The chapter's product with a matrix in some format. \param times  how often the band is repeated
Variant chapters(std::string id, const WeightMatrix& matrix, bool prefetch) {
  std::vector<float> x = random_floats(matrix.columns(), 2), y(matrix.rows());
  return timed(std::move(id), [&matrix, prefetch, x = std::move(x), y = std::move(y)]() mutable {
    set_prefetching(prefetch);
    matrix.multiply(x.data(), y.data());
  });
}

/// Interleaved rounds with matrices of about `bytes`.
yours::Heat heat(const std::string& name, std::size_t bytes, std::size_t columns, Product* kernel, int rounds) {
  const std::size_t band_bytes = band * columns / block * sizeof(Q4_0Block),
                    bands = std::max<std::size_t>(1, bytes / band_bytes);
  const Shape shape = {bands * band, columns};
  Track track(shape);
  const std::size_t wide_bands = std::max<std::size_t>(1, bytes / (band * columns * sizeof(float)));
  const WeightMatrix wide(encode(Format::fp32, random_floats(band * columns, 1), band, columns), wide_bands);
  const WeightMatrix narrow(track.encoded_band(), bands);
  Team one(1);
  const roofline::StreamSet& set = *roofline::stream_sets(probe_machine()).back();
  const roofline::StreamMemory memory(one, bands * band_bytes);
  Variant reading = roofline::one_thread(set, Stream::read, memory, bands * band_bytes);
  reading.id = "reading";
  const double read_weights = roofline::pass_bytes(set, Stream::read, bands * band_bytes) / sizeof(Q4_0Block) * block;
  std::vector<yours::Runner> runners = {
      {track.variant(kernel), "yours", shape.weights()},
      {chapters("fp32", wide, true), "fp32", static_cast<double>(wide_bands * band * columns)},
      {chapters("q4_0", narrow, false), "Q4_0 in tiles", shape.weights()},
      {chapters("q4_0_prefetching", narrow, true), "Q4_0 in tiles, prefetching", shape.weights()},
      {std::move(reading), "reading alone", read_weights}};
  for (yours::Runner& each : runners) each.variant = pinned(std::move(each.variant));
  return yours::race(name, static_cast<double>(bands * band_bytes) / 0x1p20, runners, "reading", rounds);
}

std::vector<yours::Heat> race(void* kernel, bool quick) {
  const Machine machine = probe_machine();
  const std::size_t l2 = std::max<std::size_t>(machine.cache_bytes(2), 1 << 18);
  constexpr std::size_t least = 1 << 23;
  const std::size_t beyond =
      std::max(least, std::min(2 * machine.last_level_cache_bytes(), available_memory_bytes() / 16));
  const auto largest = quick ? std::tuple{"8 MiB", least, 4096} : std::tuple{"from memory", beyond, 4096};
  std::vector<yours::Heat> heats;
  for (const auto& [name, bytes, columns] : {std::tuple{"in the L2", l2 / 2, 512}, largest}) {
    yours::trying(std::string("a matrix, ") + name);
    heats.push_back(
        heat(name, bytes, static_cast<std::size_t>(columns), reinterpret_cast<Product*>(kernel), quick ? 3 : 11));
  }
  return heats;
}

}  // namespace
}  // namespace hf::precision

int main(int argc, char** argv) {
  return hf::yours::run_trial({.id = "06-precision",
                               .function = "product",
                               .check = hf::precision::check,
                               .count = hf::precision::count,
                               .race = hf::precision::race,
                               .unit = "billion weights/s"},
                              argc, argv);
}
