/// \file
/// What this machine is, as far as it matters to a measurement.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "microarchitecture.hpp"

namespace hf {

struct Cache {
  int level = 0;
  std::string kind;         ///< "data", "instruction" or "unified"
  std::uint64_t bytes = 0;  ///< of one cache; what a virtual machine reports can be the host's
  int shared_by = 1;        ///< how many usable cores share one
};

struct Gpu {
  std::string name;
  std::uint64_t memory_bytes = 0;  ///< 0 when unknown
  std::string driver;              ///< empty when unknown
};

/// What this machine is, as far as it matters to a measurement. Nothing in it identifies a host or a person.
struct Machine {
  std::string cpu;               ///< the name it is sold by: "AMD EPYC"
  Core core;                     ///< of the first processor this process may use
  std::string architecture;      ///< "x86_64", "aarch64" or "other"
  std::vector<std::string> isa;  ///< instruction sets that can be used, e.g. "avx2", "fma", "neon"; sorted
  int cores = 1;                 ///< logical processors this process may use
  std::vector<Cache> caches;     ///< by level; empty when the machine does not tell
  int numa_nodes = 1;
  std::uint64_t memory_bytes = 0;  ///< usable: the control group's limit where that is lower
  std::uint64_t page_bytes = 0;
  bool huge_pages = false;
  std::vector<Gpu> gpus;
  bool virtualised = false;
  bool emulated = false;  ///< its instructions are translated by software: what one costs is not the processor's
  std::string os;         ///< distribution, kernel major.minor

  bool has(std::string_view instruction_set) const;

  /// Whether it has all of these, separated by spaces; true for none.
  bool has_all(const std::string& instruction_sets) const;

  /// Bytes of the data or unified cache of a level, 0 when unknown.
  std::uint64_t cache_bytes(int level) const;

  /// Bytes of the largest data or unified cache, 0 when unknown.
  std::uint64_t last_level_cache_bytes() const;

  /// The processor's name with its microarchitecture, where that is known: "AMD EPYC (Zen 5)".
  std::string cpu_name() const;

  /// Name for files and folders, from cpu_name() and the cores: "amd-epyc-zen-5-2-cores".
  std::string slug() const;

  /// One line naming what a measurement depends on, for the record's key: cpu_name() and the numbers of its core; cores; caches;
  /// memory in GiB; GPUs. Its instruction sets are inputs of their own.
  std::string canonical() const;

  /// The `machine` object of a record.
  nlohmann::json to_json() const;
};

/// Looks at this machine. What cannot be read is left out or set to its smallest sane value; never fails.
/// \param root  stands in for "/" in front of sys, proc and etc, in tests
Machine probe_machine(const std::filesystem::path& root = "/");

/// Instruction sets that the CPU has and the operating system has switched on, sorted.
/// x86-64: cpuid and XCR0. AArch64: the kernel's HWCAP.
std::vector<std::string> probe_isa();

/// Those that probe_isa() looks for.
std::vector<std::string> known_isa();

/// NVIDIA GPUs as their driver tells: through its management library (loaded if it is there, nothing to install), else
/// by name only from proc/driver/nvidia. Empty without a driver. No serial number or UUID is read.
std::vector<Gpu> probe_gpus(const std::filesystem::path& root = "/");

/// "2 MiB", "96 KiB", "15 GiB": binary units, at most three digits.
std::string capacity_text(std::uint64_t bytes);

}  // namespace hf
