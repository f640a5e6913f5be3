/// \file
/// How much of the processor other programs take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace hf::yours {

/// Processor time on the usable cores, in seconds, since some moment.
struct ProcessorTime {
  std::int64_t when_ns = 0;   ///< now_ns()
  std::optional<double> all;  ///< of all programs, and of the host's other guests; nothing if it cannot be read
  double own = 0;             ///< of this process
};

/// \param root  replaces "/" in tests
ProcessorTime read_processor_time(const std::filesystem::path& root = "/");

/// The share of the cores' time that other programs took between two moments; 0 if it cannot be read.
double taken_by_others(const ProcessorTime& earlier, const ProcessorTime& later);

}  // namespace hf::yours
