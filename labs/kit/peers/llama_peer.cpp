#include "kit/peers/llama_peer.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "harness/measure/python_peer.hpp"
#include "kit/peers/llama_peer_py.hpp"

namespace hf {
namespace {

/// Settings: huge pages for the weights, and threads that stay on their cores and spin while a token is being decoded.
PeerProgram llama_program() {
  return {.name = "llama.cpp",
          .script = llama_peer_py,
          .settings = {"GLIBC_TUNABLES=glibc.malloc.hugetlb=1", "OMP_PROC_BIND=true", "OMP_WAIT_POLICY=active"}};
}

}  // namespace

LlamaPeer::LlamaPeer(std::chrono::seconds patience) : peer_(llama_program(), patience) {}

int LlamaPeer::load(const std::string& gguf) {
  const std::string answer = peer_.ask("load " + gguf);
  int model = -1;
  const auto [stop, error] = std::from_chars(answer.data(), answer.data() + answer.size(), model);
  if (error != std::errc() || *stop != '\0' || model < 0) peer_.fail("loads model '" + answer + "'");
  return model;
}

void LlamaPeer::prime(int model, std::span<const int> tokens) {
  std::string command = "prime " + std::to_string(model);
  for (const int token : tokens) command.append(" ").append(std::to_string(token));
  const std::string answer = peer_.ask(command);
  if (answer != "primed") peer_.fail("says '" + answer + "' to tokens");
}

std::vector<float> LlamaPeer::logits(int model) { return peer_.ask_numbers("logits " + std::to_string(model)); }

double LlamaPeer::step_seconds(int model, int threads, std::int64_t times) {
  return peer_.ask_seconds("step " + std::to_string(model) + " " + std::to_string(threads) + " " +
                           std::to_string(times));
}

double LlamaPeer::prompt_seconds(int model, int threads, std::int64_t times) {
  return peer_.ask_seconds("prompt " + std::to_string(model) + " " + std::to_string(threads) + " " +
                           std::to_string(times));
}

}  // namespace hf
