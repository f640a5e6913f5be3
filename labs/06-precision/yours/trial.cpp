// Tries a reader's product of weights in Q4_0 and a vector.
#include "yours/trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/gemv/tile_kernels.hpp"
#include "06-precision/kernels/gemv/weight_matrix.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/threads.hpp"
#include "kit/cache_simulator.hpp"
#include "kit/pinned.hpp"
#include "kit/random.hpp"
#include "kit/rounded.hpp"
#include "kit/streams/stream_runs.hpp"
#include "kit/streams/stream_set.hpp"
#include "yours/arrays.hpp"
#include "yours/counting.hpp"
#include "yours/race.hpp"
#include "yours/sizes.hpp"

namespace hf::precision {
namespace {

using roofline::Stream;
using yours::Place;
using yours::Role;
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

class Matrix : public yours::Arrays {
 public:
  using Kernel = Product;

  Matrix(const Shape& shape, Place place)
      : Arrays(place, {{"weights", shape.blocks(), Role::input, sizeof(Q4_0Block)},
                       {"x", shape.columns, Role::input},
                       {"y", shape.rows, Role::output}}),
        shape_(shape) {}

  std::string text() const { return shape_.text(); }
  void run(Kernel* kernel) const {
    kernel(shape_.rows, shape_.columns, reinterpret_cast<const Q4_0Block*>(bytes(0)), data(1), data(2));
  }

  /// \throws Wrong, with the first wrong row
  void check() const {
    for (std::size_t i = 0; i < shape_.rows; ++i) check_row(i, row_of(decoded_, i));
  }

 protected:
  void fill(std::size_t i) override { i == 0 ? fill_weights() : Arrays::fill(i); }

  /// Rows differ in magnitude, so that scales differ; some are subnormal numbers.
  virtual void fill_weights() {
    std::vector<float> numbers = random_floats(shape_.rows * shape_.columns, sequence(0));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = std::ldexp(numbers[i], -4 * static_cast<int>(i / shape_.columns % 5));
    }
    const EncodedMatrix encoded = encode(Format::q4_0, numbers, shape_.rows, shape_.columns);
    std::ranges::copy(encoded.bytes, bytes(0));
    decoded_ = decode(encoded);
  }

  std::span<const float> row_of(const std::vector<float>& decoded, std::size_t i) const {
    return std::span(decoded).subspan(i * shape_.columns, shape_.columns);
  }

  /// \throws Wrong if y[i] is
  void check_row(std::size_t i, std::span<const float> row) const {
    const Rounded expected = reference_row(row, numbers(1));
    if (error_share(data(2)[i], expected) > 1)
      yours::refuse("y[" + std::to_string(i) + "]", data(2)[i], expected.value, text());
  }

  Shape shape_;
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

void check(void* kernel) { yours::check_shapes<Matrix>(shapes_to_check(), kernel); }

/// Bytes that cross each level for one weight, beside those of a kernel that loads each byte once.
std::vector<yours::Count> count(void* kernel) {
  constexpr Shape shape = {64, 4096};
  Matrix matrix(shape, Place::guarded);
  const Traffic counted = yours::count_call(matrix, kernel).traffic;
  const double weights = shape.weights(), x_and_y = 4.0 * (shape.rows + shape.columns);
  const double least = (static_cast<double>(shape.blocks() * sizeof(Q4_0Block)) + x_and_y) / weights;
  const auto row = [&](Level level) {
    return yours::bytes_per("weight", level, "", counted, weights, {{"each byte once", least}});
  };
  return {row(&Traffic::registers_l1), row(&Traffic::l2_beyond)};
}

constexpr std::size_t band = 64;  // random rows, which are then repeated

/// A large matrix, in which each call finds a row that it has never seen.
class Track : public Matrix {
 public:
  explicit Track(const Shape& shape)
      : Matrix(shape, Place::huge),
        band_(encode(Format::q4_0, random_floats(band * shape.columns, 1), band, shape.columns)) {
    decoded_ = decode(band_);
    for (std::size_t i = 0; i < shape.rows; ++i) restore(i);
  }

  /// \throws Wrong if a result is wrong
  void check() const {
    check_row(changed_, changed_row_);
    for (std::size_t i = 0; i < shape_.rows; i += std::max<std::size_t>(1, shape_.rows / 16)) {
      if (i != changed_) check_row(i, row_of(decoded_, i % band));
    }
  }

  const EncodedMatrix& encoded_band() const { return band_; }

 private:
  std::size_t row_bytes() const { return shape_.columns / block * sizeof(Q4_0Block); }
  void put(std::size_t i, const std::byte* row) { std::memcpy(bytes(0) + i * row_bytes(), row, row_bytes()); }
  void restore(std::size_t i) { put(i, band_.bytes.data() + i % band * row_bytes()); }

  void fill_weights() override {
    restore(changed_);
    changed_ = random_below(sequence(0), 0, shape_.rows);
    const EncodedMatrix row = encode(Format::q4_0, random_floats(shape_.columns, sequence(0)), 1, shape_.columns);
    put(changed_, row.bytes.data());
    changed_row_ = decode(row);
  }

  EncodedMatrix band_;
  std::vector<float> changed_row_;
  std::size_t changed_ = 0;
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
yours::Heat heat(const std::string& name, std::size_t bytes, std::size_t columns, void* kernel, int rounds) {
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
      {yours::readers(track, kernel), "yours", shape.weights()},
      {chapters("fp32", wide, true), "fp32", static_cast<double>(wide_bands * band * columns)},
      {chapters("q4_0", narrow, false), "Q4_0 in tiles", shape.weights()},
      {chapters("q4_0_prefetching", narrow, true), "Q4_0 in tiles, prefetching", shape.weights()},
      {std::move(reading), "reading alone", read_weights}};
  for (yours::Runner& each : runners) each.variant = pinned(std::move(each.variant));
  return yours::race(name, static_cast<double>(bands * band_bytes) / 0x1p20, runners, "reading", rounds);
}

std::vector<yours::Heat> race(void* kernel, bool quick) {
  return yours::race_near_and_far("a matrix", 2, 16, quick,
                                  [kernel](const std::string& name, std::size_t bytes, int rounds) {
                                    return heat(name, bytes, name == yours::near ? 512 : 4096, kernel, rounds);
                                  });
}

}  // namespace
}  // namespace hf::precision

int main(int argc, char** argv) {
  using namespace hf::precision;
  return hf::yours::run_trial({"06-precision", "product", check, count, race, "billion weights/s"}, argc, argv);
}
