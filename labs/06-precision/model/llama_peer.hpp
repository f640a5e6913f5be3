/// \file
/// llama.cpp (github.com/ggml-org/llama.cpp), where Python's llama-cpp-python is installed, in a process of its own: structs go by
/// value through its C interface and change from version to version, and only its Python package knows its own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace hf::precision {

/// The message is one line: why llama.cpp is not there, or not any more.
struct PeerFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A process that decodes with llama.cpp. It stands still whenever it is not asked, so that its threads, which spin while they
/// wait, take no time from ours. Ends with this object, and with this process.
class LlamaPeer {
 public:
  /// \param patience  how long an answer may take
  /// \throws PeerFailed
  explicit LlamaPeer(std::chrono::seconds patience = std::chrono::seconds(30));
  ~LlamaPeer();
  LlamaPeer(const LlamaPeer&) = delete;
  LlamaPeer& operator=(const LlamaPeer&) = delete;

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
  std::string ask(const std::string& command);
  std::string read_line();
  void read(char* to, std::size_t bytes);
  void start();
  [[noreturn]] void fail(const std::string& reason);
  void end();

  std::chrono::seconds patience_;
  pid_t child_ = -1;
  int socket_ = -1;
};

}  // namespace hf::precision
