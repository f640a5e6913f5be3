/// \file
/// A Chromium that runs a module of WebAssembly, in processes of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "harness/measure/python_peer.hpp"  // IWYU pragma: export
#include "harness/measure/scratch_folder.hpp"

namespace hf {

/// A browser without a window, with an empty page that has the module. It asks nobody on the network for anything.
class BrowserPeer {
 public:
  /// \param program   the browser's, found along PATH
  /// \param module    a file; its functions take and give numbers, its memory is exported as "memory"
  /// \param patience  how long an answer may take
  /// \throws PeerFailed
  BrowserPeer(const std::string& program, const std::string& module,
              std::chrono::seconds patience = std::chrono::seconds(30));

  /// "HeadlessChrome/150.0.7871.100"
  const std::string& version() const { return peer_.version(); }

  // All of these throw PeerFailed where there is no sensible answer in time, after which the peer has ended, and Interrupted.

  /// A function of the module, called once. \return its result
  double call(const std::string& function, std::span<const double> numbers);

  /// More memory for the module. \return where it begins, an address in the module
  double reserve(std::int64_t mebibytes);

  /// A function, called so often. \return seconds in all, by the page's clock, which moves in steps of a tenth of a millisecond
  double seconds(std::int64_t calls, const std::string& function, std::span<const double> numbers);

 private:
  double number_from(const std::string& command);

  ScratchFolder folder_;
  PythonPeer peer_;
};

}  // namespace hf
