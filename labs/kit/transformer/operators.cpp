#include "kit/transformer/operators.hpp"
#include "kit/transformer/loops.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <span>

#include "harness/measure/as_double.hpp"
#include "harness/measure/blas.hpp"
#include "kit/loop_team.hpp"
#include "kit/transformer/account.hpp"
#include "kit/work.hpp"

namespace hf::workload {
namespace {

using enum OperatorClass;

/// Up to this many rows, thin_product() is faster; a single row goes to the library's product with a vector.
constexpr std::size_t few_rows = 32;

/// The work of an operator that reads this many floats and writes this many of them back.
Work in_place_work(double flops, std::size_t read, std::size_t written) {
  return {flops, 4 * as_double(read + written), 0};
}

/// Fills in the strides that are not given: rows are contiguous.
Product with_strides(Product p) {
  if (p.lda == 0) p.lda = p.transpose_a == Transpose::no ? p.k : p.m;
  if (p.ldb == 0) p.ldb = p.transpose_b == Transpose::no ? p.n : p.k;
  if (p.ldc == 0) p.ldc = p.n;
  return p;
}

/// Makes the library single-threaded for calls from this thread. A library built with OpenMP needs this call from every
/// thread, because OpenMP has a separate setting for each.
void claim_one_core() {
  static std::mutex mutex;
  thread_local bool claimed = false;
  if (claimed) return;
  const std::lock_guard lock(mutex);
  Blas::get().set_threads(1);
  claimed = true;
}

void multiply_here(const Blas& blas, const Product& p, const float* a, const float* b, float* c) {
  claim_one_core();
  blas.gemm(p.transpose_a, p.transpose_b, p.m, p.n, p.k, 1, a, p.lda, b, p.ldb, 0, c, p.ldc);
}

/// The number of rows and columns of blocks in a product.
struct Grid {
  std::size_t rows, columns;
};

/// The grid of `blocks` blocks with the fewest reads in total: a block of c needs its rows of a and its columns of b.
Grid grid_of(std::size_t m, std::size_t n, std::size_t blocks) {
  Grid best = {1, blocks};
  for (std::size_t rows = 1; rows <= blocks; ++rows) {
    if (blocks % rows != 0) continue;
    const auto read = [&](const Grid& grid) { return m * grid.columns + n * grid.rows; };
    const Grid grid = {rows, blocks / rows};
    if (read(grid) < read(best)) best = grid;
  }
  return best;
}

/// The size of a block: a multiple of 16, so that blocking adds no ragged edges.
std::size_t block_size(std::size_t whole, std::size_t parts) {
  return std::max<std::size_t>((whole / parts + 15) / 16 * 16, 16);
}

/// A product whose blocks the cores take one by one; each core calls the library single-threaded. A library that
/// divides a product itself makes its threads wait for each other all the time, and thus for the slowest of them.
void multiply_shared(const Blas& blas, const Product& p, const float* a, const float* b, float* c) {
  const std::size_t flops_as_numbers = p.m * p.n * p.k / 8;  // a core does 8 products while it touches one number
  const Grid grid = grid_of(p.m, p.n, flops_as_numbers < (1 << 15) ? 1 : 2 * sharing_cores());
  const std::size_t rows = block_size(p.m, grid.rows), columns = block_size(p.n, grid.columns);
  const std::size_t down = (p.m + rows - 1) / rows, across = (p.n + columns - 1) / columns;
  share_each(down * across, flops_as_numbers, [&](std::size_t number) {
    const std::size_t i = number / across * rows, j = number % across * columns;
    Product block = p;
    block.m = std::min(rows, p.m - i);
    block.n = std::min(columns, p.n - j);
    multiply_here(blas, block, a + (p.transpose_a == Transpose::no ? i * p.lda : i),
                  b + (p.transpose_b == Transpose::no ? j : j * p.ldb), c + i * p.ldc + j);
  });
}

}  // namespace

// [begin: product-work]
Work product_work(std::size_t m, std::size_t n, std::size_t k) {
  const double flops = 2 * as_double(m) * as_double(n) * as_double(k);
  return streaming_work(flops, m * k + k * n, m * n);
}
// [end: product-work]

Work streaming_work(double flops, std::size_t read, std::size_t written) {
  return {flops, 4 * as_double(read + written), 4 * as_double(written)};
}

void Operators::multiply(const Product& product, const float* a, const float* b, float* c) {
  const Product p = with_strides(product);
  ledger_.run(p.kind, p.name, product_work(p.m, p.n, p.k), [&] {
    const bool rows_of_weights = p.transpose_a == Transpose::no && p.transpose_b == Transpose::yes && p.ldb == p.k;
    const bool packed = p.lda == p.k && p.ldc == p.n;
    if (rows_of_weights && packed && p.m > 1 && p.m <= few_rows) return thin_product(a, b, c, p.m, p.k, p.n);
    multiply_shared(blas_, p, a, b, c);
  });
}

void Operators::multiply_heads(const Product& product, std::span<const Factors> heads) {
  const Product p = with_strides(product);
  Work work = product_work(p.m, p.n, p.k);
  const double count = as_double(heads.size());
  work = {count * work.flops, count * work.bytes, count * work.allocated_bytes};
  ledger_.run(p.kind, p.name, work, [&] {
    share_each(heads.size(), p.m * p.n * p.k / 8,
               [&](std::size_t i) { multiply_here(blas_, p, heads[i].a, heads[i].b, heads[i].c); });
  });
}

void Operators::linear(std::string_view name, const float* x, const float* weight, const float* bias, float* y,
                       std::size_t rows, std::size_t in, std::size_t out) {
  const std::size_t n = rows * out;
  const Work one_pass = in_place_work(as_double(n), n + out, n);
  Product product = {gemm, name, rows, out, in};
  // [begin: linear]
  // y (rows, out) = x (rows, in) · weightᵀ (in, out)
  product.transpose_b = Transpose::yes;
  multiply(product, x, weight, y);
  // y += bias, in every row
  const auto pass = [&] { add_bias(y, bias, rows, out); };
  ledger_.run(elementwise, "bias", one_pass, pass);
  // [end: linear]
}

void Operators::linear_backward(std::string_view name, const float* x, const float* weight, const float* dy, float* dx,
                                float* d_weight, float* d_bias, std::size_t rows, std::size_t in, std::size_t out) {
  // [begin: linear-backward]
  // dx (rows, in) = dy (rows, out) · weight (out, in)
  multiply({gemm, name, rows, in, out}, dy, weight, dx);
  // d_weight (out, in) = dyᵀ (out, rows) · x (rows, in)
  multiply({gemm, name, out, in, rows, Transpose::yes}, dy, x, d_weight);
  // d_bias (out) = the sums of dy's columns
  // [end: linear-backward]
  const Work sums = streaming_work(as_double(rows * out), rows * out, out);
  ledger_.run(reduction, "bias gradients", sums, [&] { column_sums(dy, d_bias, rows, out); });
}

void Operators::add(std::string_view name, const float* a, const float* b, float* y, std::size_t n) {
  const Work work = y == a || y == b ? in_place_work(as_double(n), 2 * n, n) : streaming_work(as_double(n), 2 * n, n);
  ledger_.run(elementwise, name, work, [&] { workload::add(a, b, y, n); });
}

void Operators::relu(float* y, std::size_t n) {
  ledger_.run(elementwise, "ReLU", in_place_work(as_double(n), n, n), [&] { workload::relu(y, n); });
}

void Operators::scale_and_shift(float* x, const float* scale, const float* shift, std::size_t channels, std::size_t n) {
  ledger_.run(elementwise, "batch norm", in_place_work(2 * as_double(channels * n), channels * (n + 2), channels * n),
              [&] { workload::scale_and_shift(x, scale, shift, channels, n); });
}

void Operators::gelu(const float* x, float* y, std::size_t n) {
  ledger_.run(elementwise, "GELU", streaming_work(gelu_flops * as_double(n), n, n), [&] { workload::gelu(x, y, n); });
}

void Operators::gelu_backward(const float* x, float* dy, std::size_t n) {
  ledger_.run(elementwise, "GELU, backward", in_place_work(gelu_backward_flops * as_double(n), 2 * n, n),
              [&] { workload::gelu_backward(x, dy, n); });
}

void Operators::sgd(float* parameters, const float* gradients, float rate, std::size_t n) {
  ledger_.run(elementwise, "update of the weights", in_place_work(2 * as_double(n), 2 * n, n),
              [&] { workload::sgd(parameters, gradients, rate, n); });
}

void Operators::layer_norm(const float* x, const float* gain, const float* bias, float* y, std::size_t rows,
                           std::size_t columns) {
  const std::size_t n = rows * columns;
  ledger_.run(reduction, "layer norm", streaming_work(layer_norm_flops * as_double(n), n + 2 * columns, n),
              [&] { workload::layer_norm(x, gain, bias, y, rows, columns); });
}

void Operators::layer_norm_backward(const float* x, const float* gain, const float* dy, float* dx, float* d_gain,
                                    float* d_bias, std::size_t rows, std::size_t columns) {
  const std::size_t n = rows * columns;
  ledger_.run(reduction, "layer norm, backward",
              in_place_work(layer_norm_backward_flops * as_double(n), 3 * n + columns, n + 2 * columns),
              [&] { workload::layer_norm_backward(x, gain, dy, dx, d_gain, d_bias, rows, columns); });
}

void Operators::causal_softmax(float* x, float factor, std::size_t rows, std::size_t columns, std::size_t first,
                               std::size_t period) {
  const std::size_t n = rows * columns;
  ledger_.run(attention_softmax, "softmax", in_place_work(softmax_flops * as_double(n), n, n),
              [&] { workload::causal_softmax(x, factor, rows, columns, first, period); });
}

void Operators::softmax(float* x, std::size_t rows, std::size_t columns) {
  const std::size_t n = rows * columns;
  ledger_.run(reduction, "softmax", in_place_work(softmax_flops * as_double(n), n, n),
              [&] { workload::softmax(x, rows, columns); });
}

void Operators::softmax_backward(const float* y, float* dy, float factor, std::size_t rows, std::size_t columns) {
  const std::size_t n = rows * columns;
  ledger_.run(attention_softmax, "softmax, backward", in_place_work(5 * as_double(n), 2 * n, n),
              [&] { workload::softmax_backward(y, dy, factor, rows, columns); });
}

double Operators::cross_entropy(float* logits, std::span<const int> targets, std::size_t columns) {
  const std::size_t n = targets.size() * columns;
  double loss = 0;
  ledger_.run(reduction, "cross-entropy", in_place_work(softmax_flops * as_double(n), n, n),
              [&] { loss = workload::cross_entropy(logits, targets, columns); });
  return loss;
}

void Operators::max_pool(const float* x, float* y, std::size_t channels, std::size_t height, std::size_t width) {
  const std::size_t out = channels * windows(height, 3, 2) * windows(width, 3, 2);
  ledger_.run(reduction, "max pool", streaming_work(8 * as_double(out), channels * height * width, out),
              [&] { workload::max_pool(x, y, channels, height, width); });
}

void Operators::average_pool(const float* x, float* y, std::size_t channels, std::size_t n) {
  ledger_.run(reduction, "average pool", streaming_work(as_double(channels * n), channels * n, channels),
              [&] { workload::average_pool(x, y, channels, n); });
}

int Operators::index_of_highest(const float* x, std::size_t n) {
  int index = 0;
  ledger_.run(reduction, "choice of the token", streaming_work(as_double(n), n, 0),
              [&] { index = workload::index_of_highest(x, n); });
  return index;
}

void Operators::embed(std::span<const int> tokens, const float* table, const float* positions, float* y,
                      std::size_t width, std::size_t first, std::size_t period) {
  const std::size_t n = tokens.size() * width;
  ledger_.run(copying, "embedding", streaming_work(as_double(n), 2 * n, n),
              [&] { workload::embed(tokens, table, positions, y, width, first, period); });
}

void Operators::embed_backward(std::span<const int> tokens, const float* dy, float* d_table, float* d_positions,
                               std::size_t width, std::size_t period) {
  const std::size_t n = tokens.size() * width;
  ledger_.run(copying, "embedding, backward", in_place_work(2 * as_double(n), 2 * n, n + period * width),
              [&] { workload::embed_backward(tokens, dy, d_table, d_positions, width, period); });
}

void Operators::im2col(const float* x, float* y, std::size_t channels, std::size_t height, std::size_t width,
                       std::size_t kernel, std::size_t stride) {
  const std::size_t out = channels * kernel * kernel * windows(height, kernel, stride) * windows(width, kernel, stride);
  ledger_.run(copying, "im2col", streaming_work(0, channels * height * width, out),
              [&] { workload::im2col(x, y, channels, height, width, kernel, stride); });
}

}  // namespace hf::workload
