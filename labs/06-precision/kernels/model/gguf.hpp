/// \file
/// A GPT-2-shaped transformer as a GGUF file, which llama.cpp reads (github.com/ggml-org/ggml, docs/gguf.md; version 3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "00-workload/kernels/transformer.hpp"
#include "06-precision/kernels/formats/formats.hpp"

namespace hf::precision {

/// The number of a format in ggml (ggml.h, enum ggml_type); none where ggml has no such format.
std::optional<std::uint32_t> ggml_type(Format format);

/// Bytes of the file that write_gguf() writes.
std::uint64_t gguf_bytes(const workload::Transformer& model, Format format, std::size_t empty_tokens = 0);

/// Writes the model: its matrices, the table of tokens among them, in \p format; norms, biases and positions in fp32. The
/// table of tokens also makes the logits. There is no tokenizer: tokens are numbers.
/// \param empty_tokens  so many more tokens than the model has, whose rows in the table are zeros
/// \pre ggml_type(format) has a value
/// \throws std::runtime_error in one line where it cannot write all of it
void write_gguf(const workload::Transformer& model, Format format, const std::filesystem::path& file,
                std::size_t empty_tokens = 0);

}  // namespace hf::precision
