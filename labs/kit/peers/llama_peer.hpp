/// \file
/// llama.cpp (github.com/ggml-org/llama.cpp) in a separate process, if Python's llama-cpp-python is installed. Its C
/// interface passes structs by value, and their layout changes from version to version; only its Python package knows
/// the layout of its own version.
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

  const std::string& version() const { return peer_.version(); }  ///< of llama-cpp-python: "0.3.36"

  // All of these throw PeerFailed if there is no sensible answer in time, and the peer has then ended; and Interrupted.

  /// Reads a GGUF file, which may be deleted afterwards. \return the model's number
  int load(const std::string& gguf);

  /// Replaces the content of the KV cache with these tokens.
  void prime(int model, std::span<const int> tokens);

  /// The logits of the last token decoded.
  std::vector<float> logits(int model);

  /// Decodes the token 1 `times` times, after the primed tokens. \return seconds in total, by the peer's own clock
  double step_seconds(int model, int threads, std::int64_t times);

  /// Empties the KV cache and decodes the primed tokens again, all at once, `times` times. \return seconds in total, by
  /// the peer's own clock
  double prompt_seconds(int model, int threads, std::int64_t times);

 private:
  PythonPeer peer_;
};

}  // namespace hf
