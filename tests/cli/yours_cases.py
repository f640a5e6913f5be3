"""What test_yours.py tries in each chapter: a slow kernel, a better one, and every kind of wrong one."""

from dataclasses import dataclass, field

HEADERS = "#include <cstddef>\n#include <cstring>\n#include <thread>\n#include <vector>\n"


@dataclass
class Case:
    """A chapter's kernels. `kernel` is the slow one, with places for code before and after its loops."""

    lab: str
    function: str
    kernel: str
    better: str
    slowest: str  # the id of the row that the figure may compare it with
    fewer: tuple[str, float]  # a count, and how many times smaller it is for the better kernel, at least
    figure: str
    stars: int  # that two attempts draw
    wrong: dict = field(default_factory=dict)  # name: (code before, code after, what the last line must say)

    @property
    def number(self):
        return self.lab[:2]

    def with_code(self, before="", after=""):
        return HEADERS + self.kernel.replace("BEFORE", before).replace("AFTER", after)


def wrong_of(lab, output, is_input, hits, shape, remembered, more=()):
    """The ways in which any kernel can be wrong. `hits` is true for one shape in the middle, which `shape` names; `output` and
    `is_input` are a pointer to the output and one to an input, and `remembered` are a size in floats and what decides that it is
    asked the same again."""
    size, same = remembered
    return {
        "a crash": (f"if ({hits}) *(volatile int*)8 = 1;", "", f"right   no: touches an address that belongs to none of its arrays, for {shape}"),
        "an abort": (f"if ({hits}) std::terminate();", "", f"right   no: ends with SIGABRT, for {shape}"),
        "an input": (f"if ({hits}) *(volatile char*)({is_input}) = 1;", "", f"right   no: writes to {is_input}[0], which is an input"),
        "past its end": (f"if ({hits}) *(volatile float*)({output} + ({size})) = 1;", "", f"right   no: touches {output}["),
        "before its begin": (f"if ({hits}) *(volatile float*)({output} - 1) = 1;", "", "right   no: writes before the begin of "),
        "no end": (f"for (volatile std::size_t i = 0; {hits}; ++i) {{}}", "", f"right   no: does not end: 2 s were not enough for {shape}"),
        "a remembered result": (f"static std::vector<float> kept; static const void* of; if (of == {is_input} && kept.size() == ({size}) && ({same})) "
                                f"{{ std::memcpy({output}, kept.data(), ({size}) * 4); return; }}",
                                f"kept.assign({output}, {output} + ({size})); of = {is_input};", f"right   no: {output}["),
        "a late write": (f"std::thread([=] {{ std::this_thread::sleep_for(std::chrono::milliseconds(1)); if (({size}) > 0) {output}[0] = 1; }}).detach();",
                         "", f"right   no: writes to {output}[0] after it has returned"),
        "its own buffer": (f"float sums[16]; volatile std::size_t last = 16; if ({hits}) sums[last] = 1; if (last > 99) {output}[0] = sums[1];", "",
                           f"right   no: yours/{lab}.cpp:"),
    } | dict(more)


PRODUCT = Case(
    lab="02-matmul", function="product", slowest="naive", fewer=("bytes per multiply-add between L1 and L2", 8),
    figure="02-ladder", stars=4,
    kernel="""
extern "C" void product(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  BEFORE
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
  }
  AFTER
}
""",
    better="""#include <cstddef>
extern "C" void product(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  for (std::size_t i = 0; i < m * n; ++i) c[i] = 0;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
    }
  }
}
""",
    wrong=wrong_of("02-matmul", "c", "a", "m == 31 && n == 31", "31 × 31 times 31 × 31", ("m * n", "m * n > 0"), {
        "an edge": ("", "if (n == 33) c[2] += 1;", "right   no: c[0][2] is "),
        "unwritten": ("if (m == 0 || n == 0) return; m -= 1;", "m += 1;",
                      "right   no: c[0][0] is not a number: perhaps it was never written"),
        "a thread that stays": ("static bool started = false; if (!started) { started = true; "
                                "std::thread([] { for (volatile unsigned x = 0;; ++x) {} }).detach(); }", "",
                                "right   no: threads still compute after it has returned"),
    }))

BLOCK = """#include <bit>
#include <cstddef>
#include <cstdint>
struct Block {
  std::uint16_t scale;
  std::uint8_t numbers[16];
};
static float from_fp16(std::uint16_t number) {
  const auto magnitude = std::bit_cast<float>((number & 0x7fffu) << 13) * 0x1p112f;
  return number >> 15 ? -magnitude : magnitude;
}
"""
FOUR_BITS = Case(
    lab="06-precision", function="product", slowest="fp32", fewer=("bytes per weight between registers and L1", 1.5),
    figure="06-gemv", stars=2,
    kernel=BLOCK + """
extern "C" void product(std::size_t rows, std::size_t columns, const Block* weights, const float* x, float* y) {
  BEFORE
  for (std::size_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      const Block& block = weights[i * (columns / 32) + j / 32];
      const int number = block.numbers[j % 16] >> (j % 32 < 16 ? 0 : 4) & 15;
      sum += from_fp16(block.scale) * static_cast<float>(number - 8) * x[j];
    }
    y[i] = sum;
  }
  AFTER
}
""",
    better=BLOCK + """
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
""",
    wrong=wrong_of("06-precision", "y", "weights", "rows == 17", "17 × 96", ("rows", "rows > 0 && columns > 0"), {
        "an edge": ("", "if (rows == 33) y[32] += 0.5f;", "right   no: y[32] is "),
        "the last block": ("if (columns > 512) columns -= 32;", "", "right   no: y["),
        "scales below the normal numbers": ("", "for (std::size_t i = 4; i < rows; i += 5) y[i] = 0;", "right   no: y[4] is 0, expected "),
        "unwritten": ("if (rows > 0) rows -= 1;", "", "right   no: y[0] is not a number: perhaps it was never written"),
    }))

CHAIN = Case(
    lab="07-compilers", function="chain", slowest="three_passes", fewer=("bytes per number between L2 and beyond, without stores past the caches", 2.5),
    figure="07-fusion-bytes", stars=2,
    kernel="""
extern "C" void chain(std::size_t count, const float* x, float* first, float* second, float* y) {
  BEFORE
  for (std::size_t i = 0; i < count; ++i) first[i] = x[i] > 0 ? x[i] : 0;
  for (std::size_t i = 0; i < count; ++i) second[i] = first[i] * 0.5f;
  for (std::size_t i = 0; i < count; ++i) y[i] = second[i] + 1;
  AFTER
}
""",
    better="""#include <cstddef>
extern "C" void chain(std::size_t count, const float* x, float*, float*, float* y) {
  for (std::size_t i = 0; i < count; ++i) y[i] = (x[i] > 0 ? x[i] : 0) * 0.5f + 1;
}
""",
    wrong=wrong_of("07-compilers", "y", "x", "count == 33", "33 numbers", ("count", "count > 0"), {
        "an edge": ("", "if (count % 16 == 1) y[count - 1] = 1.25f;", "right   no: y[0] is 1.25, expected "),
        "a vector past its end": ("if (count == 65) ((volatile float*)second)[65 + 7] = 1;", "",
                                  "right   no: touches second[72], past its end: second has 65 elements"),
        "whole vectors only": ("std::size_t whole = count / 16 * 16; if (count > 64) count = whole;", "",
                               "right   no: y[64] is not a number: perhaps it was never written"),
    }))

CASES = [PRODUCT, FOUR_BITS, CHAIN]
