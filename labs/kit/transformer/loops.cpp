#include "kit/transformer/loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "harness/measure/vector.hpp"
#include "kit/exponential.hpp"
#include "kit/loop_team.hpp"
#include "kit/softmax.hpp"

namespace hf::workload {
namespace {

constexpr float epsilon = 1e-5f;

// GELU(x) = x / 2 · (1 + tanh z) with z = √(2/π) · (x + 0.044715 x³), which is x / (1 + e^(−2z)).
constexpr float twice_root_two_over_pi = 1.5957691216f, cubic = 0.044715f;

inline Floats gelu_gate(Floats x) {
  return 1.0f / (1.0f + exponential(-twice_root_two_over_pi * (x + cubic * x * x * x)));
}

struct MeanAndScale {
  float mean, scale;
};

/// The mean of x and 1 / sqrt(variance + epsilon).
inline MeanAndScale mean_and_scale(const float* x, std::size_t n) {
  float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += x[i];
  const float mean = sum / static_cast<float>(n);
#pragma omp simd reduction(+ : squares)
  for (std::size_t i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
  return {mean, 1 / std::sqrt(squares / static_cast<float>(n) + epsilon)};
}

/// x ← factor · x
inline void scale(float* x, float factor, std::size_t n) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) x[i] *= factor;
}

/// For layer_norm(): adds one row's gradient with respect to x to dx.
inline void layer_norm_row_backward(const float* x, MeanAndScale row, const float* gain, const float* dy, float* dx,
                                    std::size_t n) {
  float sum = 0, weighted = 0;
#pragma omp simd reduction(+ : sum, weighted)
  for (std::size_t i = 0; i < n; ++i) {
    const float d_normed = dy[i] * gain[i];
    sum += d_normed;
    weighted += d_normed * (x[i] - row.mean) * row.scale;
  }
  const float mean = sum / static_cast<float>(n), slope = weighted / static_cast<float>(n);
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    dx[i] += row.scale * (dy[i] * gain[i] - mean - (x[i] - row.mean) * row.scale * slope);
  }
}

template <std::size_t... i>
Floats sum_pairs(Floats a, Floats b, std::index_sequence<i...>) {
  return __builtin_shufflevector(a, b, (2 * i)...) + __builtin_shufflevector(a, b, (2 * i + 1)...);
}

/// Takes `count` vectors; lane k of the result is the sum of v[k]'s lanes.
template <std::size_t count = lanes>
Floats sums_of(const Floats* v) {
  if constexpr (count == 1) {
    return v[0];
  } else {
    return sum_pairs(sums_of<count / 2>(v), sums_of<count / 2>(v + count / 2), std::make_index_sequence<lanes>());
  }
}

/// The sums of thin_rows rows of x with weight_rows rows of weights fit into a core's registers.
constexpr std::size_t thin_rows = 4, weight_rows = vector_registers == 32 ? 6 : 3;

/// Some rows of weights, and so few columns that the first cache also has room for x and for the next columns.
struct WeightPart {
  const float* weights;  ///< (rows, columns), rows `in` apart
  std::size_t in, rows, columns;
  bool begins;  ///< its columns are the first
};

/// Prefetches the next part in even steps, because memory would be idle while all rows of x use the same weights.
struct Ahead {
  const float* next;
  std::size_t in, tiles;  ///< tiles of x that use a part; in this many steps, weight_rows vectors are fetched
  std::size_t row = 0, owed = 0;

  void step() {
    for (owed += weight_rows; owed >= tiles; owed -= tiles) {
      __builtin_prefetch(next + row * in);
      if (++row < weight_rows) continue;
      row = 0;
      next += lanes;
    }
  }
};

/// y[i, j] = x[i, :] · weights[j, :] of this part, added to the results of earlier parts; for x_rows values of i.
template <std::size_t x_rows>
void thin_tile(const WeightPart& part, const float* x, float* y, std::size_t out, Ahead& ahead) {
  Ahead here = ahead;  // a copy stays in registers
  constexpr std::size_t vectors = (x_rows * weight_rows + lanes - 1) / lanes;
  const std::size_t in = part.in, columns = part.columns;
  const float* row[weight_rows];
  for (std::size_t j = 0; j < weight_rows; ++j) row[j] = part.weights + std::min(j, part.rows - 1) * in;
  Floats sum[vectors * lanes] = {};
  std::size_t p = 0;
  for (; p + lanes <= columns; p += lanes) {
    here.step();
#pragma GCC unroll 6
    for (std::size_t j = 0; j < weight_rows; ++j) {
      const Floats w = opaque(load(row[j] + p));  // once, not again for each row of x
#pragma GCC unroll 4
      for (std::size_t i = 0; i < x_rows; ++i) sum[i * weight_rows + j] += load(x + i * in + p) * w;
    }
  }
  ahead = here;
  float total[vectors * lanes];
  for (std::size_t v = 0; v < vectors; ++v) store(total + v * lanes, sums_of(sum + v * lanes));
  for (std::size_t i = 0; i < x_rows; ++i) {
    for (std::size_t j = 0; j < part.rows; ++j) {
      float rest = 0;
      for (std::size_t k = p; k < columns; ++k) rest += x[i * in + k] * row[j][k];
      y[i * out + j] = (part.begins ? 0 : y[i * out + j]) + total[i * weight_rows + j] + rest;
    }
  }
}

/// \return the number of columns of weights in a part: a multiple of a vector
std::size_t columns_at_a_time(std::size_t in) {
  constexpr std::size_t most = 768;  // with weight_rows, 18 KiB
  const std::size_t parts = std::max<std::size_t>((in + most - 1) / most, 1), vectors = (in + lanes - 1) / lanes;
  return std::max<std::size_t>((vectors + parts - 1) / parts, 1) * lanes;
}

/// A part of the weights for all rows of x.
void thin_part(const WeightPart& part, const float* x, float* y, std::size_t rows, std::size_t out, const float* next) {
  constexpr std::size_t never = std::size_t{1} << 31;  // a single tile reads on, so the hardware prefetches it
  Ahead ahead = {next, part.in, rows > thin_rows ? (rows + thin_rows - 1) / thin_rows : never};
  for (std::size_t i = 0; i < rows;) {
    const std::size_t left = rows - i, taken = left >= thin_rows ? thin_rows : left >= 2 ? 2 : 1;
    const auto tile = taken == thin_rows ? thin_tile<thin_rows> : taken == 2 ? thin_tile<2> : thin_tile<1>;
    tile(part, x + i * part.in, y + i * out, out, ahead);
    i += taken;
  }
}

/// For score_keys(): the scores of as many keys as a vector has lanes.
void score_block(const float* query, const float* keys, float* scores, std::size_t width, const float* next) {
  Floats sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= width; i += lanes) {
    const Floats q = load(query + i);
#pragma GCC unroll 16
    for (std::size_t k = 0; k < lanes; ++k) {
      __builtin_prefetch(next + k * width + i);
      sums[k] += q * load(keys + k * width + i);
    }
  }
  store(scores, sums_of(sums));
  for (; i < width; ++i) {
    for (std::size_t k = 0; k < lanes; ++k) scores[k] += query[i] * keys[k * width + i];
  }
}

/// For mix_values(): `vectors` vectors of y, which stay in registers.
template <std::size_t vectors>
void mix_block(const float* weights, const float* values, float* y, std::size_t count, std::size_t width,
               const float* next) {
  Floats even[vectors] = {}, odd[vectors] = {};  // two sums, since an addition waits for the previous one
  const auto add = [&](std::size_t j, Floats(&sums)[vectors]) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < vectors; ++k) {
      __builtin_prefetch(next + j * width + k * lanes);
      sums[k] += weights[j] * load(values + j * width + k * lanes);
    }
  };
  std::size_t j = 0;
  for (; j + 2 <= count; j += 2) {
    add(j, even);
    add(j + 1, odd);
  }
  if (j < count) add(j, even);
  for (std::size_t k = 0; k < vectors; ++k) store(y + k * lanes, even[k] + odd[k]);
}

/// Columns that one core sums at a time: at least a vector register's, and few enough for many cores.
constexpr std::size_t column_block = 64;

}  // namespace

void add_bias(float* y, const float* bias, std::size_t rows, std::size_t columns) {
  share_each(rows, columns, [&](std::size_t r) {
    for (std::size_t c = 0; c < columns; ++c) y[r * columns + c] += bias[c];
  });
}

void add(const float* a, const float* b, float* y, std::size_t n) {
  share(n, 1, [&](std::size_t first, std::size_t last) {
#pragma omp simd
    for (std::size_t i = first; i < last; ++i) y[i] = a[i] + b[i];
  });
}

void relu(float* y, std::size_t n) {
  share(n, 1, [&](std::size_t first, std::size_t last) {
#pragma omp simd
    for (std::size_t i = first; i < last; ++i) y[i] = y[i] > 0 ? y[i] : 0;
  });
}

void scale_and_shift(float* x, const float* factor, const float* shift, std::size_t channels, std::size_t n) {
  share_each(channels, n, [&](std::size_t c) {
    const float by = factor[c], plus = shift[c];
    for (std::size_t i = 0; i < n; ++i) x[c * n + i] = x[c * n + i] * by + plus;
  });
}

void gelu(const float* x, float* y, std::size_t n) {
  share(n, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; i += lanes) {
      const Floats v = load_some(x + i, last - i, 0);
      store_some(y + i, last - i, v * gelu_gate(v));
    }
  });
}

void gelu_backward(const float* x, float* dy, std::size_t n) {
  share(n, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; i += lanes) {
      const Floats v = load_some(x + i, last - i, 0), gate = gelu_gate(v);
      const Floats slope = twice_root_two_over_pi * (1.0f + 3 * cubic * v * v);
      store_some(dy + i, last - i, load_some(dy + i, last - i, 0) * (gate + v * gate * (1.0f - gate) * slope));
    }
  });
}

void sgd(float* parameters, const float* gradients, float rate, std::size_t n) {
  share(n, 1, [&](std::size_t first, std::size_t last) {
#pragma omp simd
    for (std::size_t i = first; i < last; ++i) parameters[i] -= rate * gradients[i];
  });
}

void layer_norm(const float* x, const float* gain, const float* bias, float* y, std::size_t rows, std::size_t columns) {
  share_each(rows, columns, [&](std::size_t r) {
    const float* from = x + r * columns;
    float* to = y + r * columns;
    const auto [mean, scale] = mean_and_scale(from, columns);
    for (std::size_t c = 0; c < columns; ++c) {
      to[c] = (from[c] - mean) * scale * gain[c] + bias[c];
    }
  });
}

void layer_norm_backward(const float* x, const float* gain, const float* dy, float* dx, float* d_gain, float* d_bias,
                         std::size_t rows, std::size_t columns) {
  std::vector<MeanAndScale> row(rows);
  share_each(rows, columns, [&](std::size_t r) {
    row[r] = mean_and_scale(x + r * columns, columns);
    layer_norm_row_backward(x + r * columns, row[r], gain, dy + r * columns, dx + r * columns, columns);
  });
  share_each((columns + column_block - 1) / column_block, rows * column_block, [&](std::size_t number) {
    const std::size_t first = number * column_block;
    const std::size_t last = std::min(first + column_block, columns);
    std::fill(d_gain + first, d_gain + last, 0.0f);
    std::fill(d_bias + first, d_bias + last, 0.0f);
    for (std::size_t r = 0; r < rows; ++r) {
#pragma omp simd
      for (std::size_t c = first; c < last; ++c) {
        const float normed = (x[r * columns + c] - row[r].mean) * row[r].scale;
        d_gain[c] += dy[r * columns + c] * normed;
        d_bias[c] += dy[r * columns + c];
      }
    }
  });
}

void causal_softmax(float* x, float factor, std::size_t rows, std::size_t columns, std::size_t first,
                    std::size_t period) {
  share_each(rows, columns, [&](std::size_t r) {
    float* row = x + r * columns;
    const std::size_t seen = std::min(first + r % period + 1, columns);
    if (seen == 0) return;
    softmax_row(row, row, seen, factor);
    std::fill(row + seen, row + columns, 0.0f);
  });
}

void softmax(float* x, std::size_t rows, std::size_t columns) { causal_softmax(x, 1, rows, columns, columns, 1); }

void softmax_backward(const float* y, float* dy, float factor, std::size_t rows, std::size_t columns) {
  share_each(rows, columns, [&](std::size_t r) {
    const float* from = y + r * columns;
    float* to = dy + r * columns;
    float dot = 0;
#pragma omp simd reduction(+ : dot)
    for (std::size_t c = 0; c < columns; ++c) dot += from[c] * to[c];
#pragma omp simd
    for (std::size_t c = 0; c < columns; ++c) to[c] = factor * from[c] * (to[c] - dot);
  });
}

double cross_entropy(float* logits, std::span<const int> targets, std::size_t columns) {
  const std::size_t rows = targets.size();
  std::vector<double> losses(rows);
  share_each(rows, columns, [&](std::size_t r) {
    float* row = logits + r * columns;
    const float highest = highest_of(row, columns);
    const auto target = static_cast<std::size_t>(targets[r]);
    const double of_target = row[target] - highest;
    const float sum = exponentiate(row, row, columns, highest);
    losses[r] = std::log(static_cast<double>(sum)) - of_target;
    scale(row, 1 / (sum * static_cast<float>(rows)), columns);
    row[target] -= 1 / static_cast<float>(rows);
  });
  return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(rows);
}

void column_sums(const float* x, float* sums, std::size_t rows, std::size_t columns) {
  share_each((columns + column_block - 1) / column_block, rows * column_block, [&](std::size_t number) {
    const std::size_t first = number * column_block;
    const std::size_t last = std::min(first + column_block, columns);
    std::fill(sums + first, sums + last, 0.0f);
    for (std::size_t r = 0; r < rows; ++r) {
#pragma omp simd
      for (std::size_t c = first; c < last; ++c) sums[c] += x[r * columns + c];
    }
  });
}

int index_of_highest(const float* x, std::size_t n) {
  return static_cast<int>(std::find(x, x + n, highest_of(x, n)) - x);
}

void max_pool(const float* x, float* y, std::size_t channels, std::size_t height, std::size_t width) {
  const std::size_t out_height = windows(height, 3, 2), out_width = windows(width, 3, 2);
  share_each(channels, height * width, [&](std::size_t c) {
    for (std::size_t i = 0; i < out_height; ++i) {
      const std::size_t top = i > 0 ? 2 * i - 1 : 0, bottom = std::min(2 * i + 2, height);
      for (std::size_t j = 0; j < out_width; ++j) {
        const std::size_t left = j > 0 ? 2 * j - 1 : 0, right = std::min(2 * j + 2, width);
        float highest = x[(c * height + top) * width + left];
        for (std::size_t row = top; row < bottom; ++row) {
          for (std::size_t k = left; k < right; ++k) highest = std::max(highest, x[(c * height + row) * width + k]);
        }
        y[(c * out_height + i) * out_width + j] = highest;
      }
    }
  });
}

void average_pool(const float* x, float* y, std::size_t channels, std::size_t n) {
  for (std::size_t c = 0; c < channels; ++c) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) sum += x[c * n + i];
    y[c] = sum / static_cast<float>(n);
  }
}

void thin_product(const float* x, const float* weight, float* y, std::size_t rows, std::size_t in, std::size_t out) {
  share_each((out + weight_rows - 1) / weight_rows, in * weight_rows, [&](std::size_t number) {
    const std::size_t j = number * weight_rows, depth = rows > thin_rows ? columns_at_a_time(in) : in;
    const float* block = weight + j * in;
    const float* const after = block + (j + 2 * weight_rows <= out ? weight_rows * in : 0);
    std::size_t k = 0;
    do {
      const float* const next = k + depth < in ? block + k + depth : after;
      const WeightPart part = {block + k, in, std::min(weight_rows, out - j), std::min(depth, in - k), k == 0};
      thin_part(part, x + k, y + j, rows, out, next);
      k += depth;
    } while (k < in);
  });
}

void score_keys(const float* query, const float* keys, float* scores, std::size_t count, std::size_t width,
                const float* next) {
  if (count >= lanes) {  // the last block begins early enough to be complete
    for (std::size_t j = 0; j < count; j += lanes) {
      const std::size_t first = std::min(j, count - lanes);
      score_block(query, keys + first * width, scores + first, width, next + first * width);
    }
    return;
  }
  for (std::size_t j = 0; j < count; ++j, keys += width) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < width; ++i) sum += query[i] * keys[i];
    scores[j] = sum;
  }
}

void mix_values(const float* weights, const float* values, float* y, std::size_t count, std::size_t width,
                const float* next) {
  std::size_t i = 0;
  for (; i + 4 * lanes <= width; i += 4 * lanes) mix_block<4>(weights, values + i, y + i, count, width, next + i);
  for (; i + lanes <= width; i += lanes) mix_block<1>(weights, values + i, y + i, count, width, next + i);
  for (; i < width; ++i) {
    y[i] = 0;
    for (std::size_t j = 0; j < count; ++j) y[i] += weights[j] * values[j * width + i];
  }
}

void embed(std::span<const int> tokens, const float* table, const float* positions, float* y, std::size_t width,
           std::size_t first, std::size_t period) {
  for (std::size_t r = 0; r < tokens.size(); ++r) {
    const float* word = table + static_cast<std::size_t>(tokens[r]) * width;
    const float* position = positions + (first + r % period) * width;
    for (std::size_t i = 0; i < width; ++i) y[r * width + i] = word[i] + position[i];
  }
}

void embed_backward(std::span<const int> tokens, const float* dy, float* d_table, float* d_positions, std::size_t width,
                    std::size_t period) {
  std::fill(d_positions, d_positions + period * width, 0.0f);
  for (std::size_t r = 0; r < tokens.size(); ++r) {
    float* word = d_table + static_cast<std::size_t>(tokens[r]) * width;
    float* position = d_positions + r % period * width;
    for (std::size_t i = 0; i < width; ++i) {
      word[i] += dy[r * width + i];
      position[i] += dy[r * width + i];
    }
  }
}

void read_all(const float* x, std::size_t n) {
  constexpr std::size_t block = 4096;
  share_each((n + block - 1) / block, block, [&](std::size_t number) {
    const std::size_t first = number * block;
    const float *from = x + first, *end = x + std::min(first + block, n);
    for (; from + 8 * lanes <= end; from += 8 * lanes) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < 8; ++i) opaque(load(from + i * lanes));
    }
    for (; from < end; ++from) opaque(*from);
  });
}

void copy_rows(const float* from, std::size_t from_stride, float* to, std::size_t to_stride, std::size_t rows,
               std::size_t columns) {
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy_n(from + r * from_stride, columns, to + r * to_stride);
  }
}

void im2col(const float* x, float* y, std::size_t channels, std::size_t height, std::size_t width, std::size_t kernel,
            std::size_t stride) {
  const std::size_t rows = windows(height, kernel, stride);
  const std::size_t columns = windows(width, kernel, stride);
  const std::size_t pad = kernel / 2;
  share_each(channels * kernel * kernel, rows * columns, [&](std::size_t row) {
    const std::size_t channel = row / (kernel * kernel);
    const std::size_t di = row / kernel % kernel, dj = row % kernel;
    float* to = y + row * rows * columns;
    for (std::size_t i = 0; i < rows; ++i, to += columns) {
      std::fill(to, to + columns, 0.0f);  // the padding stays zero
      const std::size_t below = i * stride + di;
      if (below < pad || below - pad >= height) continue;
      const float* from = x + (channel * height + below - pad) * width;
      for (std::size_t j = dj < pad ? (pad - dj + stride - 1) / stride : 0;
           j < columns && j * stride + dj - pad < width; ++j) {
        to[j] = from[j * stride + dj - pad];
      }
    }
  });
}

}  // namespace hf::workload
