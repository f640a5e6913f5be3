#include "kit/browser/browser_peer.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>

#include "harness/measure/python_peer.hpp"
#include "kit/browser/browser_peer_py.hpp"

namespace hf {
namespace {

PeerProgram browser_program(const std::string& program, const std::string& folder, const std::string& module) {
  return {.name = program,
          .script = browser_peer_py,
          .settings = {"BROWSER_PROGRAM=" + program, "BROWSER_FOLDER=" + folder, "BROWSER_MODULE=" + module}};
}

/// The function and its arguments, each number with all its digits.
std::string words(const std::string& function, std::span<const double> numbers) {
  std::string text = function;
  for (const double number : numbers) {
    char digits[32];
    text.append(" ").append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  }
  return text;
}

}  // namespace

BrowserPeer::BrowserPeer(const std::string& program, const std::string& module, std::chrono::seconds patience)
    : peer_(browser_program(program, folder_.path().string(), module), patience) {}

double BrowserPeer::number_from(const std::string& command) {
  const std::string answer = peer_.ask(command);
  double number = 0;
  const auto [stop, error] = std::from_chars(answer.data(), answer.data() + answer.size(), number);
  if (error != std::errc() || stop != answer.data() + answer.size()) peer_.fail("says '" + answer + "' for a number");
  return number;
}

double BrowserPeer::call(const std::string& function, std::span<const double> numbers) {
  return number_from("call " + words(function, numbers));
}

double BrowserPeer::reserve(std::int64_t mebibytes) { return number_from("reserve " + std::to_string(mebibytes)); }

double BrowserPeer::seconds(std::int64_t calls, const std::string& function, std::span<const double> numbers) {
  return peer_.ask_seconds("time " + std::to_string(calls) + " " + words(function, numbers));
}

}  // namespace hf
