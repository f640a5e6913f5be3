// Attention without its matrix: the recurrence, and the fast version.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "07-compilers/kernels/attention/attention.hpp"
#include "07-compilers/kernels/attention/attention_kernels.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/vector.hpp"
#include "kit/loop_team.hpp"
#include "kit/product.hpp"
#include "kit/work.hpp"

namespace hf::compilers {

// ---- The recurrence ----

std::size_t online_attention(const Head& head, const float* q, const float* k, const float* v, std::size_t i,
                             std::span<double> out) {
  const std::size_t d = head.d;
  double highest = -std::numeric_limits<double>::infinity(), sum = 0;
  std::size_t new_highs = 0;
  std::ranges::fill(out, 0);
  for (std::size_t j = 0; j < head.visible(i); ++j) {
    const double score = reference_dot(q + i * d, k + j * d, d).value / std::sqrt(as_double(d));
    if (score > highest) ++new_highs;
    // [begin: online-softmax]
    const double higher = std::max(highest, score);
    const double shrink = std::exp(highest - higher);  // 1 if highest stays
    const double exponential = std::exp(score - higher);
    highest = higher;
    sum = sum * shrink + exponential;
    for (std::size_t e = 0; e < d; ++e) {
      out[e] = out[e] * shrink + exponential * double{v[j * d + e]};
    }
    // [end: online-softmax]
  }
  for (double& x : out) x /= sum;
  return new_highs;
}

double expected_new_highs(std::size_t n) {
  double sum = 0;
  for (std::size_t j = 1; j <= n; ++j) sum += 1 / as_double(j);
  return sum;
}

// ---- A block of keys at a time, in registers ----

namespace {

constexpr std::size_t widest = flash_vectors * lanes;

/// Queries that share the keys in the level-2 cache, in blocks of the widest kind, and of two registers at the end.
constexpr std::size_t group_queries = 8 * widest, most_blocks = 9;

/// How many keys stay in the level-2 cache, and for how many of them (a chunk) the weights stay in the level-1 cache.
struct KeyBlocks {
  std::size_t keys, chunk;
};
KeyBlocks key_blocks(std::size_t d) {
  constexpr std::size_t chunk = 128, numbers = 1 << 15;  // 128 KiB of keys, and as much of values
  return {std::max(chunk, numbers / d / chunk * chunk), chunk};
}

/// The kernels for blocks of one, two or three registers of queries, and for each number of rows up to that of a tile.
template <std::size_t vectors, std::size_t... rows>
constexpr auto weighing(std::index_sequence<rows...>) {
  return std::array{weigh_keys<rows + 1, vectors>...};
}
template <std::size_t vectors, std::size_t... rows>
constexpr auto adding(std::index_sequence<rows...>) {
  return std::array{add_values<rows + 1, vectors>...};
}
constexpr auto tiles = std::make_index_sequence<flash_rows>();
constexpr std::array weigh = {weighing<1>(tiles), weighing<2>(tiles), weighing<3>(tiles)};
constexpr std::array add = {adding<1>(tiles), adding<2>(tiles), adding<3>(tiles)};

/// Returns at least `bytes` of memory, kept from one call to the next.
float* memory_of(Buffer& buffer, std::size_t bytes) {
  if (buffer.size() < bytes) buffer = Buffer(bytes, Pages::base);
  return buffer.as<float>().data();
}

/// Returns how many registers of queries the next block has: as many as a tile, but of the last four, two and two.
std::size_t next_vectors(std::size_t left) { return left == flash_vectors + 1 ? 2 : std::min(left, flash_vectors); }

/// Floats that a block of queries needs until it has seen all keys.
std::size_t block_floats(std::size_t width, std::size_t d) { return (2 * d + 2) * width; }

struct Operands {
  const float *q, *k, *v;
  float* out;
};

/// Swaps the lanes of `upper` whose number has the bit `step` with the lanes of `lower` whose number has not.
template <std::size_t step, std::size_t... lane>
inline void exchange(Floats& upper, Floats& lower, std::index_sequence<lane...>) {
  const Floats a = upper, b = lower;
  upper = __builtin_shufflevector(a, b, ((lane & step) != 0 ? lanes + lane - step : lane)...);
  lower = __builtin_shufflevector(a, b, ((lane & step) != 0 ? lanes + lane : lane + step)...);
}

/// Transposes the square: halves first, then quarters, down to single numbers.
template <std::size_t step = lanes / 2>
inline void transpose(Floats (&rows)[lanes]) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < lanes; ++i) {
    if ((i & step) == 0) exchange<step>(rows[i], rows[i + step], std::make_index_sequence<lanes>());
  }
  if constexpr (step > 1) transpose<step / 2>(rows);
}

/// queries (d, width) = q (count, d), transposed and scaled; missing queries are zeros.
void pack_queries(const float* q, std::size_t count, std::size_t d, std::size_t width, float* queries) {
  const auto scale = static_cast<float>(1 / (std::log(2.0) * std::sqrt(as_double(d))));
  for (std::size_t i = 0; i < width; i += lanes) {
    for (std::size_t e = 0; e < d; e += lanes) {
      Floats tile[lanes];
      for (std::size_t r = 0; r < lanes; ++r) {
        tile[r] = i + r < count ? scale * load_some(q + (i + r) * d + e, d - e, 0) : Floats{};
      }
      transpose(tile);
      for (std::size_t c = 0; c < std::min(lanes, d - e); ++c) store(queries + (e + c) * width + i, tile[c]);
    }
  }
}

/// out (count, d) = outputs (d, width) / sums, transposed back.
void unpack_outputs(const QueryBlock& block, std::size_t count, std::size_t width, float* out) {
  const std::size_t d = block.d;
  for (std::size_t i = 0; i < count; i += lanes) {
    const Floats factor = 1 / load(block.sums + i);
    for (std::size_t e = 0; e < d; e += lanes) {
      Floats tile[lanes];
      for (std::size_t c = 0; c < lanes; ++c) {
        tile[c] = e + c < d ? factor * load(block.outputs + (e + c) * width + i) : Floats{};
      }
      transpose(tile);
      for (std::size_t r = 0; r < std::min(lanes, count - i); ++r) store_some(out + (i + r) * d + e, d - e, tile[r]);
    }
  }
}

/// Queries that are processed together: each block of keys is fetched into the level-2 cache once for all of them.
class QueryGroup {
 public:
  QueryGroup(const Head& head, const Operands& operands, std::size_t first, std::size_t last)
      : head_(head), operands_(operands), blocks_(key_blocks(head.d)) {
    static thread_local Buffer memory;
    const std::size_t d = head.d;
    float* at = memory_of(memory, flash_scratch_bytes(d));
    float* const weights = at;
    at += blocks_.chunk * widest;
    for (std::size_t left = (last - first + lanes - 1) / lanes; left > 0; left -= members_[size_++].vectors) {
      Member& member = members_[size_];
      member.vectors = next_vectors(left);
      const std::size_t width = member.vectors * lanes;
      member.first = first;
      member.count = std::min(width, last - first);
      first += member.count;
      float *const queries = at, *const outputs = at + d * width, *const highest = outputs + d * width;
      at += block_floats(width, d);
      member.block = {queries, outputs, highest, highest + width, weights, d, 0, 0};
      if (head.causal) member.block.last_key = static_cast<std::int32_t>(head.visible(member.first)) - 1;
      pack_queries(operands.q + member.first * d, member.count, d, width, queries);
      std::fill_n(outputs, d * width, 0.0f);
      std::fill_n(highest, width, -std::numeric_limits<float>::infinity());
      std::fill_n(highest + width, width, 0.0f);
    }
  }

  FlashCounts attend() {
    for (std::size_t from = 0; from < head_.keys; from += blocks_.keys) {
      const std::size_t to = std::min(head_.keys, from + blocks_.keys);
      for (std::size_t i = 0; i < size_; ++i) attend(members_[i], from, to);
    }
    FlashCounts counts = {size_, 0};
    for (std::size_t i = 0; i < size_; ++i) {
      const Member& member = members_[i];
      unpack_outputs(member.block, member.count, member.vectors * lanes, operands_.out + member.first * head_.d);
      counts.rescalings += member.block.rescalings;
    }
    return counts;
  }

 private:
  struct Member {
    QueryBlock block;
    std::size_t vectors, first, count;
  };

  /// Processes the keys in [from, to) that the block's queries see, a chunk at a time.
  void attend(Member& member, std::size_t from, std::size_t to) {
    to = std::min(to, head_.visible(member.first + member.count - 1));
    for (; from < to; from += blocks_.chunk) attend_chunk(member, from, std::min(blocks_.chunk, to - from));
  }

  /// Computes the weights of a chunk's keys, which stay in the level-1 cache, then adds the values.
  void attend_chunk(Member& member, std::size_t key, std::size_t keys) {
    const std::size_t d = head_.d, kind = member.vectors - 1;
    const float *k = operands_.k + key * d, *v = operands_.v + key * d;
    const std::size_t all_see = head_.visible(member.first);
    for (std::size_t j = 0; j < keys; j += flash_rows) {
      const std::size_t rows = std::min(flash_rows, keys - j);
      const bool masked = key + j + rows > all_see;
      weigh[kind][rows - 1](member.block, k + j * d, j, key + j, masked);
    }
    for (std::size_t e = 0; e < d; e += flash_rows) {
      const std::size_t columns = std::min(flash_rows, d - e);
      add[kind][columns - 1](member.block, v, keys, e);
    }
  }

  const Head& head_;
  const Operands& operands_;
  KeyBlocks blocks_;
  std::array<Member, most_blocks> members_;
  std::size_t size_ = 0;
};

}  // namespace

double Head::weights() const {
  const double q = as_double(queries), k = as_double(keys);
  return causal ? q * k - q * (q - 1) / 2 : q * k;
}

std::size_t flash_scratch_bytes(std::size_t d) {
  return sizeof(float) * (block_floats(group_queries, d) + key_blocks(d).chunk * widest);
}

FlashCounts flash_attention(const Head& head, const float* q, const float* k, const float* v, float* out) {
  const Operands operands = {q, k, v, out};
  std::atomic<std::size_t> blocks = 0, rescalings = 0;
  const std::size_t registers = (head.queries + lanes - 1) / lanes, cost = lanes * head.keys * head.d / 8;
  share(registers, cost, [&](std::size_t first, std::size_t last) {
    const std::size_t end = std::min(head.queries, last * lanes);
    for (std::size_t i = first * lanes; i < end; i += group_queries) {
      const FlashCounts counts = QueryGroup(head, operands, i, std::min(end, i + group_queries)).attend();
      blocks += counts.blocks;
      rescalings += counts.rescalings;
    }
  });
  return {blocks, rescalings};
}

double flash_instructions_per_score() {
  return power_of_two_instructions + 3;  // maximum, difference, sum
}

Work flash_work(const Head& head) {
  const double results = 4 * as_double(head.queries * head.d), keys = 4 * as_double(head.keys * head.d);
  const double others = 2 * flash_instructions_per_score() * head.weights();
  return {head.flops() + others, 2 * results + 2 * keys, results};
}

}  // namespace hf::compilers
