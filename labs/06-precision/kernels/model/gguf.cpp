#include "06-precision/kernels/model/gguf.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "00-workload/kernels/transformer.hpp"
#include "06-precision/kernels/formats/formats.hpp"

namespace hf::precision {
namespace {

static_assert(std::endian::native == std::endian::little, "GGUF is little-endian");

constexpr std::uint64_t alignment = 32;  // of the data of each tensor

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// A format as ggml has it: numbers come in blocks.
struct GgmlFormat {
  Format format;
  std::uint32_t type, block, block_bytes;
};

constexpr std::array ggml_formats = {GgmlFormat{Format::fp32, 0, 1, 4}, GgmlFormat{Format::fp16, 1, 1, 2},
                                     GgmlFormat{Format::q4_0, 2, 32, 18}, GgmlFormat{Format::q8_0, 8, 32, 34},
                                     GgmlFormat{Format::bf16, 30, 1, 2}};

const GgmlFormat* ggml_format(Format format) {
  for (const GgmlFormat& known : ggml_formats) {
    if (known.format == format) return &known;
  }
  return nullptr;
}

struct GgufTensor {
  std::string name;
  const float* values;
  std::size_t rows, columns;  // a vector is one row
  Format format;
  std::size_t empty_rows = 0;  // after those, zeros

  std::size_t all_rows() const { return rows + empty_rows; }
  std::uint64_t bytes() const {
    const GgmlFormat& ggml = *ggml_format(format);
    return all_rows() * columns / ggml.block * ggml.block_bytes;
  }
};

/// The tensors of the model by the names that llama.cpp knows them by.
std::vector<GgufTensor> tensors_of(const workload::Transformer& model, Format format, std::size_t empty_tokens) {
  const workload::TransformerShape& shape = model.shape();
  const workload::TransformerTensors& weights = model.weights();
  const std::size_t c = shape.width;
  std::vector<GgufTensor> tensors = {
      {"token_embd.weight", weights.token_embedding, shape.vocabulary, c, format, empty_tokens},
      {"position_embd.weight", weights.position_embedding, shape.context, c, Format::fp32}};
  const auto vector = [&](const std::string& name, const float* values, std::size_t length) {
    tensors.push_back({name, values, 1, length, Format::fp32});
  };
  const auto linear = [&](const std::string& name, const float* weight, const float* bias, std::size_t in,
                          std::size_t out) {
    tensors.push_back({name + ".weight", weight, out, in, format});
    vector(name + ".bias", bias, out);
  };
  const auto norm = [&](const std::string& name, const float* gain, const float* bias) {
    vector(name + ".weight", gain, c);
    vector(name + ".bias", bias, c);
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

/// What stands before the data of the tensors.
class Header {
 public:
  Header(workload::TransformerShape shape, std::size_t empty_tokens, std::span<const GgufTensor> tensors) {
    shape.vocabulary += empty_tokens;
    bytes_ = "GGUF";
    number(std::uint32_t{3});
    number(static_cast<std::uint64_t>(tensors.size()));
    const std::size_t count_at = bytes_.size();
    number(std::uint64_t{0});
    describe(shape);
    std::memcpy(bytes_.data() + count_at, &keys_, sizeof keys_);
    std::uint64_t offset = 0;
    for (const GgufTensor& tensor : tensors) {
      list(tensor, offset);
      offset += aligned(tensor.bytes());
    }
    bytes_.resize(aligned(bytes_.size()));
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void describe(const workload::TransformerShape& shape) {
    key("general.architecture", "gpt2");
    key("gpt2.block_count", as_number(shape.layers));
    key("gpt2.context_length", as_number(shape.context));
    key("gpt2.embedding_length", as_number(shape.width));
    key("gpt2.feed_forward_length", as_number(4 * shape.width));
    key("gpt2.attention.head_count", as_number(shape.heads));
    key("gpt2.attention.layer_norm_epsilon", 1e-5f);  // as in workload::layer_norm()
    key("gpt2.vocab_size", as_number(shape.vocabulary));
    key("tokenizer.ggml.model", "none");
  }

  static std::uint32_t as_number(std::size_t value) { return static_cast<std::uint32_t>(value); }

  template <class Number>
  void number(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<std::uint64_t>(value.size()));
    bytes_ += value;
  }

  // The numbers of the types are those of gguf.h, enum gguf_type.
  void key(std::string_view name, std::uint32_t value) {
    key(name, 4, [&] { number(value); });
  }
  void key(std::string_view name, float value) {
    key(name, 6, [&] { number(value); });
  }
  void key(std::string_view name, const char* value) {
    key(name, 8, [&] { text(value); });
  }
  void key(std::string_view name, std::uint32_t type, const std::invocable auto& add_value) {
    text(name);
    number(type);
    add_value();
    ++keys_;
  }

  void list(const GgufTensor& tensor, std::uint64_t offset) {
    text(tensor.name);
    number(std::uint32_t{tensor.all_rows() == 1 ? 1u : 2u});
    number(static_cast<std::uint64_t>(tensor.columns));  // the innermost dimension first
    if (tensor.all_rows() != 1) number(static_cast<std::uint64_t>(tensor.all_rows()));
    number(ggml_format(tensor.format)->type);
    number(offset);
  }

  std::string bytes_;
  std::uint64_t keys_ = 0;
};

void write_rows(std::ofstream& out, Format format, std::span<const float> values, std::size_t columns) {
  if (format == Format::fp32) {
    out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
  } else {
    const EncodedMatrix encoded = encode(format, values, values.size() / columns, columns);
    out.write(reinterpret_cast<const char*>(encoded.bytes.data()), static_cast<std::streamsize>(encoded.bytes.size()));
  }
}

void write_data(std::ofstream& out, const GgufTensor& tensor) {
  const char padding[alignment] = {};
  const std::vector<float> zeros(tensor.empty_rows * tensor.columns);
  write_rows(out, tensor.format, {tensor.values, tensor.rows * tensor.columns}, tensor.columns);
  if (!zeros.empty()) write_rows(out, tensor.format, zeros, tensor.columns);
  out.write(padding, static_cast<std::streamsize>(aligned(tensor.bytes()) - tensor.bytes()));
}

}  // namespace

std::optional<std::uint32_t> ggml_type(Format format) {
  const GgmlFormat* known = ggml_format(format);
  return known != nullptr ? std::optional(known->type) : std::nullopt;
}

std::uint64_t gguf_bytes(const workload::Transformer& model, Format format, std::size_t empty_tokens) {
  const std::vector<GgufTensor> tensors = tensors_of(model, format, empty_tokens);
  std::uint64_t bytes = Header(model.shape(), empty_tokens, tensors).bytes().size();
  for (const GgufTensor& tensor : tensors) bytes += aligned(tensor.bytes());
  return bytes;
}

void write_gguf(const workload::Transformer& model, Format format, const std::filesystem::path& file,
                std::size_t empty_tokens) {
  const std::vector<GgufTensor> tensors = tensors_of(model, format, empty_tokens);
  const Header header(model.shape(), empty_tokens, tensors);
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out.write(header.bytes().data(), static_cast<std::streamsize>(header.bytes().size()));
  for (const GgufTensor& tensor : tensors) {
    if (out) write_data(out, tensor);
  }
  out.close();
  if (out) return;
  const std::string reason = std::generic_category().message(errno);
  throw std::runtime_error("a file of " + std::to_string((gguf_bytes(model, format, empty_tokens) >> 20) + 1) +
                           " MiB: " + reason + "; set TMPDIR to a folder with that much room");
}

}  // namespace hf::precision
