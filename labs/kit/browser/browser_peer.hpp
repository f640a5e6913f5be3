/// \file
/// Runs a WebAssembly module in Chromium, in separate processes.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "harness/measure/python_peer.hpp"  // IWYU pragma: export
#include "harness/measure/scratch_folder.hpp"

namespace hf {

/// A headless browser with an empty page that loads the module. It uses no network.
class BrowserPeer {
 public:
  /// \param program   the browser, found along PATH
  /// \param module    a file; its functions take and return numbers, and it exports its memory as "memory"
  /// \param patience  how long an answer may take
  /// \throws PeerFailed
  BrowserPeer(const std::string& program, const std::string& module,
              std::chrono::seconds patience = std::chrono::seconds(30));

  /// "HeadlessChrome/150.0.7871.100"
  const std::string& version() const { return peer_.version(); }

  // All of the following throw Interrupted, and PeerFailed if no sensible answer comes in time, which ends the peer.

  /// Calls a function of the module once. \return its result
  double call(const std::string& function, std::span<const double> numbers);

  /// Adds memory to the module. \return its start, an address in the module
  double reserve(std::int64_t mebibytes);

  /// Calls a function `calls` times. \return seconds in total, by the page's clock, whose resolution is 0.1 ms
  double seconds(std::int64_t calls, const std::string& function, std::span<const double> numbers);

 private:
  double number_from(const std::string& command);

  ScratchFolder folder_;
  PythonPeer peer_;
};

}  // namespace hf
