// The model as a file, read back by an independent reader.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <ios>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "06-precision/bench/gguf.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "harness/measure/scratch_file.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::precision {
namespace {

using workload::Transformer;
using workload::TransformerShape;

constexpr TransformerShape small = {2, 64, 2, 97, 24};

struct Tensor {
  std::vector<std::uint64_t> sizes;  // the innermost first
  std::uint32_t type;
  std::uint64_t offset;  // in the file
};

/// From the specification: github.com/ggml-org/ggml, docs/gguf.md.
struct Reader {
  std::string bytes;
  std::size_t at = 0;
  std::map<std::string, std::string> texts;
  std::map<std::string, double> numbers;
  std::map<std::string, Tensor> tensors;

  explicit Reader(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
    REQUIRE(bytes.substr(0, 4) == "GGUF");
    at = 4;
    REQUIRE(take<std::uint32_t>() == 3);
    const auto tensor_count = take<std::uint64_t>(), key_count = take<std::uint64_t>();
    for (std::uint64_t i = 0; i < key_count; ++i) read_key();
    for (std::uint64_t i = 0; i < tensor_count; ++i) read_tensor();
    at = (at + 31) / 32 * 32;
    for (auto& [name, tensor] : tensors) tensor.offset += at;
  }

  template <class Number>
  Number take() {
    REQUIRE(at + sizeof(Number) <= bytes.size());
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    at += sizeof number;
    return number;
  }
  std::string take_text() {
    const auto length = take<std::uint64_t>();
    REQUIRE(at + length <= bytes.size());
    at += length;
    return bytes.substr(at - length, length);
  }
  void read_key() {
    const std::string key = take_text();
    const auto type = take<std::uint32_t>();
    REQUIRE((type == 4 || type == 6 || type == 8));
    if (type == 4) numbers[key] = take<std::uint32_t>();
    if (type == 6) numbers[key] = static_cast<double>(take<float>());
    if (type == 8) texts[key] = take_text();
  }
  void read_tensor() {
    const std::string name = take_text();
    Tensor& tensor = tensors[name];
    const auto dimensions = take<std::uint32_t>();
    for (std::uint32_t i = 0; i < dimensions; ++i) tensor.sizes.push_back(take<std::uint64_t>());
    tensor.type = take<std::uint32_t>();
    tensor.offset = take<std::uint64_t>();
    CHECK(tensor.offset % 32 == 0);
  }

  std::vector<double> values(const std::string& name);
};

double half(const char* from) {
  std::uint16_t bits;
  std::memcpy(&bits, from, sizeof bits);
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

/// One number of a tensor, by the definition of ggml's types.
double number(const char* data, std::uint32_t type, std::uint64_t i) {
  if (type == 1) return half(data + 2 * i);
  if (type == 0 || type == 30) {
    std::uint32_t bits = 0;
    if (type == 0) std::memcpy(&bits, data + 4 * i, 4);
    if (type == 30) std::memcpy(reinterpret_cast<char*>(&bits) + 2, data + 2 * i, 2);
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<double>(value);
  }
  const std::uint64_t block = i / 32, j = i % 32;
  if (type == 8) {
    const char* from = data + 34 * block;
    return half(from) * static_cast<signed char>(from[2 + j]);
  }
  REQUIRE(type == 2);
  const char* from = data + 18 * block;
  const auto pair = static_cast<unsigned char>(from[2 + j % 16]);
  return half(from) * ((j < 16 ? pair & 15 : pair >> 4) - 8);
}

std::vector<double> Reader::values(const std::string& name) {
  REQUIRE(tensors.contains(name));
  const Tensor& tensor = tensors[name];
  std::uint64_t count = 1;
  for (std::uint64_t size : tensor.sizes) count *= size;
  const auto bits = [&] { return tensor.type == 0 ? 32 : tensor.type == 8 ? 8.5 : tensor.type == 2 ? 4.5 : 16; };
  REQUIRE(static_cast<double>(tensor.offset) + bits() / 8 * static_cast<double>(count) <=
          static_cast<double>(bytes.size()));
  std::vector<double> values;
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(number(bytes.data() + tensor.offset, tensor.type, i));
  return values;
}

/// The possible error of an encoded number, relative to the largest of its block of 32: the scale, in fp16, is rounded
/// too.
double allowed(std::uint32_t type) {
  return type == 0 ? 0 : type == 1 ? 1.0 / 2048 : type == 30 ? 1.0 / 256 : type == 8 ? 0.57 / 127 : 1.01 / 8;
}

void check_tensor(Reader& file, const std::string& name, const float* right, std::uint32_t type,
                  const std::vector<std::uint64_t>& sizes) {
  CAPTURE(name);
  const std::vector<double> values = file.values(name);
  CHECK(file.tensors[name].type == type);
  CHECK(file.tensors[name].sizes == sizes);
  for (std::size_t first = 0; first < values.size(); first += 32) {
    const std::size_t last = std::min(first + 32, values.size());
    double largest = 0;
    for (std::size_t i = first; i < last; ++i) largest = std::max(largest, std::abs(static_cast<double>(right[i])));
    for (std::size_t i = first; i < last; ++i) {
      REQUIRE(std::abs(values[i] - static_cast<double>(right[i])) <= allowed(type) * largest);
    }
  }
}

TEST_CASE("every tensor stands in the file under its name, in its format, and is what it was") {
  const Transformer model(small);
  const workload::TransformerTensors& weights = model.weights();
  const std::map<Format, std::uint32_t> types = {
      {Format::fp32, 0}, {Format::fp16, 1}, {Format::bf16, 30}, {Format::q8_0, 8}, {Format::q4_0, 2}};
  for (const auto& each : types) {
    const std::uint32_t type = each.second;
    CAPTURE(type);
    CHECK(gguf::in_ggml(each.first).type == type);
    const ScratchFile scratch;
    write_gguf(model, each.first, scratch.path());
    Reader file(scratch.path());
    CHECK(file.bytes.size() == gguf_bytes(model, each.first));
    CHECK(file.tensors.size() == 4 + 12 * small.layers);
    check_tensor(file, "token_embd.weight", weights.token_embedding, type, {64, 97});
    check_tensor(file, "position_embd.weight", weights.position_embedding, 0, {64, 24});
    check_tensor(file, "output_norm.weight", weights.norm_gain, 0, {64});
    check_tensor(file, "output_norm.bias", weights.norm_bias, 0, {64});
    for (std::size_t i = 0; i < small.layers; ++i) {
      const auto& layer = weights.layers[i];
      const std::string block = "blk." + std::to_string(i) + ".";
      check_tensor(file, block + "attn_norm.weight", layer.norm1_gain, 0, {64});
      check_tensor(file, block + "attn_norm.bias", layer.norm1_bias, 0, {64});
      check_tensor(file, block + "attn_qkv.weight", layer.qkv_weight, type, {64, 192});
      check_tensor(file, block + "attn_qkv.bias", layer.qkv_bias, 0, {192});
      check_tensor(file, block + "attn_output.weight", layer.out_weight, type, {64, 64});
      check_tensor(file, block + "attn_output.bias", layer.out_bias, 0, {64});
      check_tensor(file, block + "ffn_norm.weight", layer.norm2_gain, 0, {64});
      check_tensor(file, block + "ffn_norm.bias", layer.norm2_bias, 0, {64});
      check_tensor(file, block + "ffn_up.weight", layer.up_weight, type, {64, 256});
      check_tensor(file, block + "ffn_up.bias", layer.up_bias, 0, {256});
      check_tensor(file, block + "ffn_down.weight", layer.down_weight, type, {256, 64});
      check_tensor(file, block + "ffn_down.bias", layer.down_bias, 0, {64});
    }
  }
}

TEST_CASE("the file says what network it is, and that tokens are numbers") {
  const ScratchFile scratch;
  write_gguf(Transformer(small), Format::fp32, scratch.path());
  Reader file(scratch.path());
  CHECK(file.texts["general.architecture"] == "gpt2");
  CHECK(file.texts["tokenizer.ggml.model"] == "none");
  CHECK(file.numbers["gpt2.block_count"] == 2);
  CHECK(file.numbers["gpt2.context_length"] == 24);
  CHECK(file.numbers["gpt2.embedding_length"] == 64);
  CHECK(file.numbers["gpt2.feed_forward_length"] == 256);
  CHECK(file.numbers["gpt2.attention.head_count"] == 2);
  CHECK(file.numbers["gpt2.attention.layer_norm_epsilon"] == doctest::Approx(1e-5));
  CHECK(file.numbers["gpt2.vocab_size"] == 97);
}

TEST_CASE("layers that share their weights are written as often as there are layers") {
  Transformer model({1, 64, 2, 97, 24});
  model.weights().layers.resize(2, model.weights().layers[0]);
  for (const Format format : {Format::fp32, Format::q4_0}) {
    const ScratchFile scratch;
    write_gguf({small, model.weights()}, format, scratch.path());
    Reader file(scratch.path());
    CHECK(file.bytes.size() == gguf_bytes(Transformer(small), format));
    CHECK(file.numbers["gpt2.block_count"] == 2);
    for (const char* name : {"blk.0.ffn_up.weight", "blk.1.ffn_up.weight"}) {
      check_tensor(file, name, model.weights().layers[0].up_weight, gguf::in_ggml(format).type, {64, 256});
    }
  }
}

TEST_CASE("a full disk, or a folder that is not there, is one line with the remedy") {
  const Transformer model(small);
  for (const char* file : {"/dev/full", "/nowhere/at/all", ""}) {
    CAPTURE(file);
    CHECK_THROWS_WITH_AS(write_gguf(model, Format::q8_0, file),
                         doctest::Contains("; set TMPDIR to a folder with that much room"), std::runtime_error);
  }
}

}  // namespace
}  // namespace hf::precision
