"""Products of 4-bit weights and a vector for tests/cli/test_yours.py."""

BLOCK = """#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>
struct Block {
  std::uint16_t scale;
  std::uint8_t numbers[16];
};
static float from_fp16(std::uint16_t number) {
  const auto magnitude = std::bit_cast<float>((number & 0x7fffu) << 13) * 0x1p112f;
  return number >> 15 ? -magnitude : magnitude;
}
"""
KERNEL = BLOCK + """
extern "C" void product(std::size_t rows, std::size_t columns, const Block* weights, const float* x, float* y) {
  %s
  for (std::size_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      const Block& block = weights[i * (columns / 32) + j / 32];
      const int number = block.numbers[j %% 16] >> (j %% 32 < 16 ? 0 : 4) & 15;
      sum += from_fp16(block.scale) * static_cast<float>(number - 8) * x[j];
    }
    y[i] = sum;
  }
  %s
}
"""
BETTER = BLOCK + """
extern "C" void product(std::size_t rows, std::size_t columns, const Block* weights, const float* x, float* y) {
  for (std::size_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (std::size_t j = 0; j < columns; j += 32, ++weights) {
      float of_block = 0;
      for (std::size_t k = 0; k < 16; ++k) {
        const int pair = weights->numbers[k];
        of_block += static_cast<float>((pair & 15) - 8) * x[j + k] + static_cast<float>((pair >> 4) - 8) * x[j + k + 16];
      }
      sum += from_fp16(weights->scale) * of_block;
    }
    y[i] = sum;
  }
}
"""
LESS = ("bytes per weight between registers and L1", 1.5)
ROWS = ["yours", "fp32"]
STARS = 1
FOREVER = "for (volatile unsigned z = 0;; ++z) {}"
WRONG = {
    "an edge": ("", "if (rows == 33) y[32] += 0.5f;", "right   no: y[32] is "),
    "a second tile of both": ("", "if (rows > 32 && rows % 32 == 1 && columns > 512) y[rows - 1] += 1;", "(33 × 544)"),
    "the last block": ("const std::size_t all = columns; if (columns > 512) columns -= 32;", "columns = all;", "right   no: y["),
    "scales that are subnormal": ("", "for (std::size_t i = 4; i < rows; i += 5) y[i] = 0;", "right   no: y[4] is 0, expected "),
    "past its end": ("if (rows == 31) *(volatile float*)(y + rows) = 1;", "",
                     "right   no: touches y[31], past its end: y has 31 elements, for 31 × 64"),
    "weights past their end": ("", "if (rows == 31) y[0] += 0 * ((volatile Block*)weights)[62].scale;",
                               "right   no: touches weights[62], past its end: weights has 62 elements, for 31 × 64"),
    "before its start": ("if (rows == 31) *(volatile float*)(y - 1) = 1;", "", "right   no: writes before the start of y"),
    "an input": ("if (rows == 31) const_cast<Block*>(weights)[3].scale = 1;", "",
                 "right   no: writes to weights[3], which is an input"),
    "unwritten": ("if (rows > 0) rows -= 1;", "", "right   no: y[0] is not a number: perhaps it was never written"),
    "a crash": ("if (rows == 32) *(volatile int*)8 = 1;", "",
                "right   no: touches an address that belongs to none of its arrays, for 32 × 96"),
    "no end": (f"if (rows == 17) {FOREVER}", "", "right   no: does not end: "),
    "a remembered result": ("static std::vector<float> kept; static const Block* of; if (of == weights && kept.size() == rows && "
                            "rows * columns > 0) { std::memcpy(y, kept.data(), rows * 4); return; }",
                            "kept.assign(y, y + rows); of = weights;", "right   no: y[0] is "),
    "remembered in the race": ("static bool done = false; if (rows > 200) { if (done) return; done = true; }", "", "fast    no: y["),
    "a late write": ("std::thread([=] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); if (rows > 0) y[0] = 1; }).detach();",
                     "", "right   no: writes to y[0] after it has returned"),
    "a word of C++": ("int z = ;", "int w = ;", "builds  no: yours/06-precision.cpp:17:"),
}
