// Your product of a matrix in Q4_0 and a vector: y = weights · x.
//
//   make yours-06            compiles this file, checks it, races it against the chapter's products, draws the figure
//   make yours-06 WATCH=1    does so whenever you save it
//
// The weights are stored row after row, without gaps; each row is columns / 32 blocks. Any number of rows can come, and
// any number of columns that 32 divides, 0 included. What y contains before the call doesn't matter. Sums may be added
// in any order, and you may round x to 8 bits in blocks of 32, as the chapter does. You may start threads, but the race is
// run on one core, and the bytes of all threads count. Keep the struct and the function's first line; everything else is
// yours.
#include <bit>
#include <cstddef>
#include <cstdint>

/// 32 weights of a row. Weight j is scale · (n − 8), where n is the lower half of numbers[j]; the upper half belongs to
/// weight j + 16.
struct Block {
  std::uint16_t scale;  ///< fp16, negative or not
  std::uint8_t numbers[16];
};

/// Moves the bits of an fp16 number to where fp32 has them. fp32 adds 112 more to an exponent before it is stored.
static float from_fp16(std::uint16_t number) {
  const auto magnitude = std::bit_cast<float>((number & 0x7fffu) << 13) * 0x1p112f;
  return number >> 15 ? -magnitude : magnitude;
}

extern "C" void product(std::size_t rows, std::size_t columns, const Block* weights, const float* x, float* y) {
  for (std::size_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      const Block& block = weights[i * (columns / 32) + j / 32];
      const int number = block.numbers[j % 16] >> (j % 32 < 16 ? 0 : 4) & 15;
      sum += from_fp16(block.scale) * static_cast<float>(number - 8) * x[j];
    }
    y[i] = sum;
  }
}
