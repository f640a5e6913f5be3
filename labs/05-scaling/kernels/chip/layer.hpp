/// \file
/// Fast transformer layers that compute one token for each of many users: chapter 00's layer with its weights and its
/// KV cache in panels, and with keys and values that several heads may share (grouped-query attention; Ainslie et al.,
/// 2023). C = width, H = heads, D = C / H, G = heads that share keys and values, B = users.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/measure/memory.hpp"
#include "kit/work.hpp"

namespace hf::scaling {

// ---- Matrices in panels: laid out once so that a product with few rows reads them in order of address ----

/// Columns of a panel: the number that the micro-kernel keeps in registers.
extern const std::size_t panel_columns;

/// A view of a matrix (depth, columns) cut into panels of `panel_columns` columns, stored one after the other, each
/// (depth, panel_columns) without gaps.
struct Panels {
  float* data;
  std::size_t depth, columns;  ///< columns: a multiple of panel_columns

  float* panel(std::size_t number) const { return data + number * depth * panel_columns; }
  float& at(std::size_t row, std::size_t column) const {
    return panel(column / panel_columns)[row * panel_columns + column % panel_columns];
  }
};

/// Rows that are `stride` floats apart.
struct StridedRows {
  const float* data;
  std::size_t count, stride;
};

/// Computes y (rows, panel_columns) = x (rows, depth) · panel on this thread; adds to y if `add`. Each number of the
/// panel is fetched from memory once, then serves all rows from a nearby cache; what follows in memory is prefetched
/// meanwhile.
/// \param depth  how many rows of the panel to use, from the first
/// \param y_stride  floats from row to row of y
void multiply_panel(StridedRows x, std::size_t depth, const float* panel, bool add, float* y, std::size_t y_stride);

/// Computes y (rows, columns) = start + bias + x (rows, depth) · weights. The panels are divided among the cores.
/// \param bias  (columns)
/// \param start  (rows, columns), or null for zeros; may be y
/// \param stride  floats from row to row of y and start
void multiply_panels(StridedRows x, Panels weights, const float* bias, const float* start, float* y,
                     std::size_t stride);

// ---- Layers ----

/// The sizes of a layer: heads divides width, kv_heads divides heads, and panel_columns divides head_width().
struct LayerShape {
  std::size_t width, heads, kv_heads;

  constexpr std::size_t head_width() const { return width / heads; }
  std::size_t group() const { return heads / kv_heads; }  ///< G
  std::size_t qkv_columns() const { return width + 2 * kv_heads * head_width(); }
  std::size_t parameters() const;

  /// Numbers that one token adds to the KV cache.
  std::size_t cached_per_token() const { return 2 * kv_heads * head_width(); }
};

/// The layer of GPT-2 small: every head has keys and values of its own.
constexpr LayerShape gpt2_layer = {768, 12, 12};

/// Returns the work of a layer for one token of each of B users, without attention: products with weights, and
/// whatever is done to each token on its own. Every weight is read once; the token is read and written.
Work token_work(const LayerShape& shape, std::size_t readers);

/// Returns the work of attention when every user looks at `positions` positions, including the new one. Each user's
/// keys and values are read once: 2 G FLOPs per number, whatever B is.
Work attention_work(const LayerShape& shape, std::size_t readers, std::size_t positions);

/// One token for each of some users.
struct LayerRun {
  LayerShape shape;
  std::size_t readers;
  std::size_t positions;  ///< that each new token looks at, including itself; 0 if nothing comes before it

  std::string id() const;
  Work tokens() const { return token_work(shape, readers); }
  Work attention() const { return attention_work(shape, readers, positions); }
  double intensity() const;  ///< FLOP/byte of the whole layer

  /// Returns the seconds of one layer: products with weights, then attention, each limited by its lower roof.
  double predicted_seconds(const Roofline& roofs) const { return roofs.seconds(tokens()) + roofs.seconds(attention()); }
};

/// Returns the batch size at which arithmetic takes as long as memory traffic.
double ridge_batch(const LayerShape& shape, const Roofline& roofs);

/// The weights of some layers.
class LayerWeights {
 public:
  /// Random weights. \throws OutOfMemory
  LayerWeights(const LayerShape& shape, std::size_t layers);

  struct Layer {
    float *norm1_gain, *norm1_bias;  // (C), (C)
    Panels qkv;                      // (C, C + 2 C / G)
    float* qkv_bias;
    Panels out;  // (C, C)
    float* out_bias;
    float *norm2_gain, *norm2_bias;  // (C), (C)
    Panels up;                       // (C, 4C)
    float* up_bias;
    Panels down;  // (4C, C)
    float* down_bias;
  };

  const LayerShape& shape() const { return shape_; }
  const std::vector<Layer>& layers() const { return layers_; }

 private:
  LayerShape shape_;
  Buffer memory_;
  std::vector<Layer> layers_;
};

/// Keys and values of every layer, user and group. Keys are in panels of positions, (D, capacity), so that a query
/// times the keys is a product like the others; values are (capacity, D).
class GroupedCache {
 public:
  /// Fills the cache at random, so that a step may start anywhere.
  /// \param capacity  in tokens; rounded up to a multiple of panel_columns
  /// \throws OutOfMemory
  GroupedCache(const LayerShape& shape, std::size_t layers, std::size_t readers, std::size_t capacity);

  std::size_t capacity() const { return capacity_; }
  Panels keys(std::size_t layer, std::size_t reader, std::size_t group) const {
    return {at(layer, reader, group), head_width_, capacity_};
  }
  Panels values(std::size_t layer, std::size_t reader, std::size_t group) const {
    return {at(layer, reader, group) + head_width_ * capacity_, capacity_, head_width_};
  }

  /// Returns the bytes that such a cache takes.
  static double bytes(const LayerShape& shape, std::size_t layers, std::size_t readers, std::size_t capacity);

 private:
  float* at(std::size_t layer, std::size_t reader, std::size_t group) const {
    const std::size_t row = (layer * readers_ + reader) * kv_heads_ + group;
    return memory_.as<float>().data() + row * 2 * head_width_ * capacity_;
  }

  std::size_t readers_, kv_heads_, head_width_, capacity_;
  Buffer memory_;
};

/// Sends one token for each of some users through the layers.
class LayerStep {
 public:
  /// For tokens with nothing before them: each looks only at itself, so attention passes on its values.
  /// \throws OutOfMemory
  LayerStep(const LayerWeights& weights, std::size_t readers);

  /// \param readers  at most as many as the cache has
  /// \param context  tokens before the new one, below the cache's capacity
  /// \throws OutOfMemory
  LayerStep(const LayerWeights& weights, GroupedCache& cache, std::size_t readers, std::size_t context);

  /// Sends the tokens through all layers in order, and writes their keys and values to the cache. Uses the same tokens
  /// on every call, so it can be repeated.
  void run();

  std::span<const float> input() const { return part(0, 1); }   ///< (B, C)
  std::span<const float> output() const { return part(1, 1); }  ///< (B, C)

 private:
  std::span<float> part(std::size_t first, std::size_t width_times) const;
  void run_layer(std::size_t layer, const float* x, float* y);
  void attend(std::size_t layer, const float* qkv, float* attended);
  void hand_on_values(const float* qkv, float* attended);

  const LayerWeights& weights_;
  GroupedCache* cache_;  ///< null if nothing comes before the tokens
  std::size_t readers_, context_;
  Buffer memory_;
};

}  // namespace hf::scaling
