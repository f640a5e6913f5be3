/// \file
/// Writes a GPT-2-shaped transformer as a GGUF file for llama.cpp (github.com/ggml-org/ggml, docs/gguf.md; version 3).
#pragma once

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/model/format_transformer.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::precision {
namespace gguf {

static_assert(std::endian::native == std::endian::little, "GGUF is little-endian");

constexpr std::uint64_t alignment = 32;  // of the data of each tensor

constexpr std::uint64_t aligned(std::uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// A format in ggml: its number (ggml.h, enum ggml_type), and the numbers and bytes in a block.
struct GgmlFormat {
  Format format;
  std::uint32_t type, block, block_bytes;
};
inline constexpr GgmlFormat ggml_formats[] = {{Format::fp32, 0, 1, 4},
                                              {Format::fp16, 1, 1, 2},
                                              {Format::q4_0, 2, 32, 18},
                                              {Format::q8_0, 8, 32, 34},
                                              {Format::bf16, 30, 1, 2}};

/// \pre ggml supports the format
inline const GgmlFormat& in_ggml(Format format) {
  return *std::ranges::find(ggml_formats, format, &GgmlFormat::format);
}

struct Tensor {
  std::string name;
  const float* values;
  std::size_t rows, columns;  // a vector is one row
  Format format;

  std::uint64_t bytes() const { return rows * columns / in_ggml(format).block * in_ggml(format).block_bytes; }
};

/// The tensors of the model, with the names that llama.cpp uses.
inline std::vector<Tensor> tensors_of(const ModelView& model, Format format) {
  const auto& [shape, weights] = model;
  const std::size_t c = shape.width;
  std::vector<Tensor> tensors = {{"token_embd.weight", weights.token_embedding, shape.vocabulary, c, format},
                                 {"position_embd.weight", weights.position_embedding, shape.context, c, Format::fp32}};
  const auto add = [&](const std::string& name, const float* weight, std::size_t rows, std::size_t columns,
                       Format weight_format, const float* bias, std::size_t outputs) {
    tensors.push_back({name + ".weight", weight, rows, columns, weight_format});
    tensors.push_back({name + ".bias", bias, 1, outputs, Format::fp32});
  };
  const auto linear = [&](const std::string& name, const float* weight, const float* bias, std::size_t in,
                          std::size_t out) { add(name, weight, out, in, format, bias, out); };
  const auto norm = [&](const std::string& name, const float* gain, const float* bias) {
    add(name, gain, 1, c, Format::fp32, bias, c);
  };
  for (std::size_t i = 0; i < shape.layers; ++i) {
    const workload::TransformerTensors::Layer& layer = weights.layers[i];
    const std::string block = "blk." + std::to_string(i) + ".";
    norm(block + "attn_norm", layer.norm1_gain, layer.norm1_bias);
    linear(block + "attn_qkv", layer.qkv_weight, layer.qkv_bias, c, 3 * c);
    linear(block + "attn_output", layer.out_weight, layer.out_bias, c, c);
    norm(block + "ffn_norm", layer.norm2_gain, layer.norm2_bias);
    linear(block + "ffn_up", layer.up_weight, layer.up_bias, c, 4 * c);
    linear(block + "ffn_down", layer.down_weight, layer.down_bias, 4 * c, c);
  }
  norm("output_norm", weights.norm_gain, weights.norm_bias);
  return tensors;
}

/// The part of the file before the data of the tensors.
class Header {
 public:
  Header(const workload::TransformerShape& shape, std::span<const Tensor> tensors) {
    bytes_ = "GGUF";
    number(std::uint32_t{3});
    number(std::uint64_t{tensors.size()});
    describe(shape);
    std::uint64_t offset = 0;
    for (const Tensor& tensor : tensors) {
      list(tensor, offset);
      offset += aligned(tensor.bytes());
    }
    bytes_.resize(aligned(bytes_.size()));
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void describe(const workload::TransformerShape& shape) {
    number(std::uint64_t{9});  // number of keys
    key("general.architecture", "gpt2");
    key("gpt2.block_count", shape.layers);
    key("gpt2.context_length", shape.context);
    key("gpt2.embedding_length", shape.width);
    key("gpt2.feed_forward_length", 4 * shape.width);
    key("gpt2.attention.head_count", shape.heads);
    key("gpt2.attention.layer_norm_epsilon", 1e-5f);  // as in workload::layer_norm()
    key("gpt2.vocab_size", shape.vocabulary);
    key("tokenizer.ggml.model", "none");
  }

  template <class Number>
  void number(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(std::uint64_t{value.size()});
    bytes_ += value;
  }

  // The type numbers come from gguf.h, enum gguf_type.
  void begin_key(std::string_view name, std::uint32_t type) {
    text(name);
    number(type);
  }
  void key(std::string_view name, std::size_t value) {
    begin_key(name, 4);
    number(static_cast<std::uint32_t>(value));
  }
  void key(std::string_view name, float value) {
    begin_key(name, 6);
    number(value);
  }
  void key(std::string_view name, const char* value) {
    begin_key(name, 8);
    text(value);
  }

  void list(const Tensor& tensor, std::uint64_t offset) {
    text(tensor.name);
    number(std::uint32_t{tensor.rows == 1 ? 1u : 2u});
    number(std::uint64_t{tensor.columns});  // the innermost dimension first
    if (tensor.rows != 1) number(std::uint64_t{tensor.rows});
    number(in_ggml(tensor.format).type);
    number(offset);
  }

  std::string bytes_;
};

/// Tensors that are already encoded, because layers may share weights.
using Encoded = std::map<const float*, EncodedMatrix>;

inline void write_data(std::ofstream& out, const Tensor& tensor, Encoded& encoded) {
  const auto [found, is_new] = encoded.try_emplace(tensor.values);
  if (is_new)
    found->second = encode(tensor.format, {tensor.values, tensor.rows * tensor.columns}, tensor.rows, tensor.columns);
  const std::vector<std::byte>& bytes = found->second.bytes;
  const char padding[alignment] = {};
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.write(padding, static_cast<std::streamsize>(aligned(tensor.bytes()) - tensor.bytes()));
}

}  // namespace gguf

/// Size of the file that write_gguf() writes, bytes.
inline std::uint64_t gguf_bytes(const ModelView& model, Format format) {
  const std::vector<gguf::Tensor> tensors = gguf::tensors_of(model, format);
  std::uint64_t bytes = gguf::Header(model.shape, tensors).bytes().size();
  for (const gguf::Tensor& tensor : tensors) bytes += gguf::aligned(tensor.bytes());
  return bytes;
}

/// Writes the model: its matrices, including the token embedding, in \p format; norms, biases and positions in fp32.
/// The token embedding also produces the logits. The file contains no tokenizer: tokens are numbers.
/// \pre ggml supports the format
/// \throws std::runtime_error with one line if the file cannot be written completely
inline void write_gguf(const ModelView& model, Format format, const std::filesystem::path& file) {
  const std::vector<gguf::Tensor> tensors = gguf::tensors_of(model, format);
  const gguf::Header header(model.shape, tensors);
  const bool shared = model.weights.layers.front().qkv_weight == model.weights.layers.back().qkv_weight;
  gguf::Encoded encoded;
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out.write(header.bytes().data(), static_cast<std::streamsize>(header.bytes().size()));
  for (const gguf::Tensor& tensor : tensors) {
    if (out) write_data(out, tensor, encoded);
    if (!shared) encoded.clear();
  }
  out.close();
  if (out) return;
  const std::string reason = std::generic_category().message(errno);
  throw std::runtime_error("a file of " + std::to_string((gguf_bytes(model, format) >> 20) + 1) + " MiB: " + reason +
                           "; set TMPDIR to a folder with that much room");
}

}  // namespace hf::precision
