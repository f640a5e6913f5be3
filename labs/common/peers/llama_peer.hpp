/// \file
/// llama.cpp (github.com/ggml-org/llama.cpp), where Python's llama-cpp-python is installed, in a process of its own: structs go by
/// value through its C interface and change from version to version, and only its Python package knows its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/measure/python_peer.hpp"  // IWYU pragma: export

namespace hf {

/// A process that decodes with llama.cpp.
class LlamaPeer {
 public:
  /// \param patience  how long an answer may take
  /// \throws PeerFailed
  explicit LlamaPeer(std::chrono::seconds patience = std::chrono::seconds(30));

  // All of these throw PeerFailed where there is no sensible answer in time, and Interrupted. After PeerFailed the peer has ended.

  /// Reads a GGUF file, which is not needed afterwards. \return the model's number
  int load(const std::string& gguf);

  /// Fills the KV cache with these tokens, and nothing else.
  void prime(int model, std::span<const int> tokens);

  /// Of the last token decoded.
  std::vector<float> logits(int model);

  /// Decodes so often the token 1 after those that the cache was primed with. \return seconds in all, by the peer's own clock
  double step_seconds(int model, int threads, std::int64_t times);

 private:
  PythonPeer peer_;
};

}  // namespace hf
