/// \file
/// Layers of a transformer that write one token for each of many readers, at the speed of the machine: chapter 00's layer
/// with its weights and its KV cache in panels, and with keys and values that several heads may share (grouped-query
/// attention; Ainslie et al., 2023). C = width, H = heads, D = C / H, G = heads that share keys and values, B = readers.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/measure/memory.hpp"
#include "harness/measure/work.hpp"

namespace hf::scaling {

// ---- Matrices in panels: laid out once so that a product with few rows reads them from the first number to the last ----

/// Columns of a panel: as many as the micro-kernel keeps in registers.
extern const std::size_t panel_columns;

/// A matrix (depth, columns) cut into panels of `panel_columns` columns, which lie one after the other, each (depth,
/// panel_columns) without gaps. It does not own its numbers.
struct Panels {
  float* data;
  std::size_t depth, columns;  ///< columns: a multiple of panel_columns

  float* panel(std::size_t number) const { return data + number * depth * panel_columns; }
  float& at(std::size_t row, std::size_t column) const {
    return panel(column / panel_columns)[row * panel_columns + column % panel_columns];
  }
};

/// StridedRows that lie `stride` floats apart.
struct StridedRows {
  const float* data;
  std::size_t count, stride;
};

/// y (rows, panel_columns) = x (rows, depth) · panel, added to what is there if `add`. Each number of the panel is
/// fetched once and serves all rows from then on from a near cache; what lies behind it in memory is fetched on the way. On
/// this thread.
/// \param depth  how many rows of the panel, the first ones
/// \param y_stride  floats from row to row of y
void multiply_panel(StridedRows x, std::size_t depth, const float* panel, bool add, float* y, std::size_t y_stride);

/// y (rows, columns) = start + bias + x (rows, depth) · weights. The cores share the panels.
/// \param bias  (columns)
/// \param start  (rows, columns), or null for zeros; may be y
/// \param stride  floats from row to row of y and start
void multiply_panels(StridedRows x, Panels weights, const float* bias, const float* start, float* y,
                     std::size_t stride);

// ---- Layers ----

/// Heads divide the width, groups the heads, and panels a head.
struct LayerShape {
  std::size_t width, heads, kv_heads;

  constexpr std::size_t head_width() const { return width / heads; }
  std::size_t group() const { return heads / kv_heads; }  ///< G
  std::size_t qkv_columns() const { return width + 2 * kv_heads * head_width(); }
  std::size_t parameters() const;

  /// Keys and values that one token leaves.
  std::size_t cached_per_token() const { return 2 * kv_heads * head_width(); }
};

/// The layer of GPT-2 small: every head has keys and values of its own.
constexpr LayerShape gpt2_layer = {768, 12, 12};

/// What one token for each of B readers costs a layer in its matrix products with weights and all that is done to one
/// token by itself. Every weight is read once, the token read and written.
Work token_work(const LayerShape& shape, std::size_t readers);

/// What attention costs, every reader looking at so many positions, the new one among them. Each reader's keys and values
/// are read once: 2 G FLOPs for each number, whatever B is.
Work attention_work(const LayerShape& shape, std::size_t readers, std::size_t positions);

/// One token for each of some readers.
struct LayerRun {
  LayerShape shape;
  std::size_t readers;
  std::size_t positions;  ///< that each new token looks at, itself among them; 0 for one with nothing before it

  std::string id() const;
  Work tokens() const { return token_work(shape, readers); }
  Work attention() const { return attention_work(shape, readers, positions); }
  double intensity() const;  ///< FLOP/byte, all together

  /// Seconds for one layer: its products with weights and its attention come one after the other, each against the roof
  /// that is lower for it.
  double predicted_seconds(const Roofline& roofs) const { return roofs.seconds(tokens()) + roofs.seconds(attention()); }
};

/// The batch at which arithmetic on the weights takes as long as reading them.
double ridge_batch(const LayerShape& shape, const Roofline& roofs);

/// The weights of some layers.
class LayerWeights {
 public:
  /// Random ones. \throws OutOfMemory
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

/// Keys and values of every layer, reader and group: keys in panels of positions, (D, capacity), so that a query times the
/// keys is a product of the same kind as the others; values (capacity, D).
class GroupedCache {
 public:
  /// Random ones, so that a step may start anywhere. \param capacity  in tokens; made a multiple of panel_columns
  /// \throws OutOfMemory
  GroupedCache(const LayerShape& shape, std::size_t layers, std::size_t readers, std::size_t capacity);

  std::size_t capacity() const { return capacity_; }
  Panels keys(std::size_t layer, std::size_t reader, std::size_t group) const {
    return {at(layer, reader, group), head_width_, capacity_};
  }
  Panels values(std::size_t layer, std::size_t reader, std::size_t group) const {
    return {at(layer, reader, group) + head_width_ * capacity_, capacity_, head_width_};
  }

  /// Bytes that it would take.
  static double bytes(const LayerShape& shape, std::size_t layers, std::size_t readers, std::size_t capacity);

 private:
  float* at(std::size_t layer, std::size_t reader, std::size_t group) const {
    const std::size_t row = (layer * readers_ + reader) * kv_heads_ + group;
    return memory_.as<float>().data() + row * 2 * head_width_ * capacity_;
  }

  std::size_t readers_, kv_heads_, head_width_, capacity_;
  Buffer memory_;
};

/// One token each for some readers, sent through the layers.
class LayerStep {
 public:
  /// Tokens with nothing before them: each looks at itself alone, so attention hands on its values.
  /// \throws OutOfMemory
  LayerStep(const LayerWeights& weights, std::size_t readers);

  /// \param readers  at most as many as the cache has
  /// \param context  tokens before the new one, below the cache's capacity
  /// \throws OutOfMemory
  LayerStep(const LayerWeights& weights, GroupedCache& cache, std::size_t readers, std::size_t context);

  /// Sends them through all layers, one after the other, and leaves the new keys and values in the cache. Always the same
  /// tokens, so it can be done again.
  void run();

  std::span<const float> input() const { return part(0, 1); }   ///< (B, C)
  std::span<const float> output() const { return part(1, 1); }  ///< (B, C)

 private:
  std::span<float> part(std::size_t first, std::size_t width_times) const;
  void run_layer(std::size_t layer, const float* x, float* y);
  void attend(std::size_t layer, const float* qkv, float* attended);
  void hand_on_values(const float* qkv, float* attended);

  const LayerWeights& weights_;
  GroupedCache* cache_;  ///< null where nothing was before
  std::size_t readers_, context_;
  Buffer memory_;
};

}  // namespace hf::scaling
