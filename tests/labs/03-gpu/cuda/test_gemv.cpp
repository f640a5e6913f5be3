// Weights times vectors, in each format, run on the processor (see cuda_on_cpu.hpp), compared with the reference in
// double precision.
#include "cuda_on_cpu.hpp"
// The kernels are included after the declarations that they need.
#include <doctest/doctest.h>

#include <vector>

#include "03-gpu/kernels/cuda/gemv.cuh"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "gemv_cases.hpp"

namespace hf::gpu {
namespace {

/// y, and guards behind it.
template <class Weights, int batch>
std::vector<float> product(const GemvCase<Weights>& on) {
  const auto size = static_cast<std::size_t>(on.rows * batch);
  std::vector<float> y(size + 8, NAN);
  gemv<Weights, batch>(on.matrix(), on.x.data(), y.data());
  for (std::size_t i = size; i < y.size(); ++i) CHECK(std::isnan(y[i]));
  return y;
}

template <class Weights, int batch>
void check(int rows, int columns) {
  CAPTURE(rows);
  CAPTURE(columns);
  CAPTURE(batch);
  const GemvCase<Weights> random(rows, columns, batch, false), whole(rows, columns, batch, true);
  CHECK(random.worst(product<Weights, batch>(random)) <= 1);
  CHECK(whole.wrong(product<Weights, batch>(whole)) == 0);
}

template <class Weights>
void check_all() {
  constexpr int piece = Weights::numbers;
  check<Weights, 1>(1, piece);        // one thread has work
  check<Weights, 1>(37, 33 * piece);  // one has two pieces; the last rows are not a multiple of a warp's
  check<Weights, 2>(5, 31 * piece);
  check<Weights, 4>(67, 65 * piece);  // more than one block
  check<Weights, 8>(33, 32 * piece);
  check<Weights, 16>(3, 40 * piece);
  check<Weights, 32>(9, 3 * piece);
  check<Weights, 64>(2, 34 * piece);
}

TEST_CASE("bf16 times vectors") { check_all<Bf16Weights>(); }
TEST_CASE("e4m3 times vectors") { check_all<E4m3Weights>(); }
TEST_CASE("four bits times vectors") { check_all<FourBitWeights>(); }

template <class Weights>
float decoded(const std::uint8_t* piece, int i) {
  std::uint32_t words[4];
  std::memcpy(words, piece, sizeof words);
  Eight eight;
  decode(Weights(), words, i / 8, eight);
  return eight[i % 8];
}

TEST_CASE("a thread decodes every number of a piece as the format defines it") {
  for (int bits = 0; bits < 256; ++bits) {
    for (int i = 0; i < E4m3Weights::numbers; ++i) {
      std::uint8_t piece[piece_bytes] = {};
      piece[i] = static_cast<std::uint8_t>(bits);
      if ((bits & 0x7f) == 0x7f) continue;  // NaN
      CHECK(E4m3Weights::number(piece, i) == double{precision::from_e4m3(static_cast<std::uint8_t>(bits))});
      CHECK(double{decoded<E4m3Weights>(piece, i)} == E4m3Weights::number(piece, i));
    }
  }
  for (int nibble = 0; nibble < 16; ++nibble) {
    for (int i = 0; i < FourBitWeights::numbers; ++i) {
      std::uint8_t piece[piece_bytes];
      for (std::uint8_t& byte : piece) byte = 0xa5;
      piece[i / 2] = static_cast<std::uint8_t>(i % 2 == 0 ? 0xa0 | nibble : nibble << 4 | 5);
      CHECK(FourBitWeights::number(piece, i) == nibble - 8);
      CHECK(decoded<FourBitWeights>(piece, i) == static_cast<float>(nibble - 8));
    }
  }
  for (int i = 0; i < Bf16Weights::numbers; ++i) {
    std::uint8_t piece[piece_bytes] = {};
    piece[2 * i] = 0x49, piece[2 * i + 1] = 0xc0;
    CHECK(Bf16Weights::number(piece, i) == -3.140625);
    CHECK(decoded<Bf16Weights>(piece, i) == -3.140625f);
  }
}

TEST_CASE("bytes of a row, with its scales") {
  CHECK(row_bytes<Bf16Weights>(768) == 1536);
  CHECK(row_bytes<E4m3Weights>(768) == 768 + 4);
  CHECK(row_bytes<FourBitWeights>(768) == 384 + 24 * 2);
}

}  // namespace
}  // namespace hf::gpu
