/// \file
/// The machine's properties that affect a measurement.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "microarchitecture.hpp"
#include "surroundings.hpp"

namespace hf {

struct Cache {
  int level = 0;
  std::string kind;         ///< "data", "instruction" or "unified"
  std::uint64_t bytes = 0;  ///< of one cache; a virtual machine may report its host's
  int shared_by = 1;        ///< how many usable cores share one
};

struct Gpu {
  std::string name;
  std::uint64_t memory_bytes = 0;  ///< 0 when unknown
  std::string driver;              ///< empty when unknown
};

/// The machine's properties that affect a measurement. None of them identifies a host or a person.
struct Machine {
  std::string cpu;                 ///< the brand name: "AMD EPYC"
  Core core;                       ///< of the first processor this process may use
  std::string architecture;        ///< "x86_64", "aarch64" or "other"
  std::vector<std::string> isa;    ///< instruction sets that can be used, e.g. "avx2", "fma", "neon"; sorted
  int cores = 1;                   ///< logical processors this process may use
  std::vector<Cache> caches;       ///< by level; empty when unknown
  int numa_nodes = 1;              ///< that have memory
  std::uint64_t memory_bytes = 0;  ///< the control group's limit if that is lower
  std::uint64_t page_bytes = 0;
  bool huge_pages = false;
  std::vector<Gpu> gpus;
  bool virtualised = false;
  bool emulated = false;  ///< software translates its instructions, so their cost isn't the processor's
  std::string os;         ///< distribution, kernel major.minor
  Surroundings surroundings;

  bool has(std::string_view instruction_set) const;

  /// True if it has all of these, separated by spaces; true for an empty list.
  bool has_all(const std::string& instruction_sets) const;

  /// Bytes of the data or unified cache of a level, 0 when unknown.
  std::uint64_t cache_bytes(int level) const;

  /// Bytes of the largest data or unified cache, 0 when unknown.
  std::uint64_t last_level_cache_bytes() const;

  /// The processor's name with its microarchitecture, if known: "AMD EPYC (Zen 5)".
  std::string cpu_name() const;

  /// Name for files and folders, from cpu_name() and the cores: "amd-epyc-zen-5-2-cores".
  std::string slug() const;

  /// One line for the record's key with the properties that a measurement depends on: cpu_name() and the core's
  /// numbers, cores, caches, memory in GiB, GPUs. Instruction sets are separate inputs.
  std::string canonical() const;

  /// The `machine` object of a record.
  nlohmann::json to_json() const;
};

/// Detects this machine. Leaves out what cannot be read, or sets it to its smallest sane value; never fails.
/// \param root  replaces "/" as the parent of sys, proc and etc, in tests
Machine probe_machine(const std::filesystem::path& root = "/");

/// Instruction sets that the CPU has and the operating system has switched on, sorted.
/// x86-64: cpuid and XCR0. AArch64: the kernel's HWCAP.
std::vector<std::string> probe_isa();

/// All instruction sets that probe_isa() looks for.
std::vector<std::string> known_isa();

/// NVIDIA GPUs, as reported by the driver's management library, which is loaded if present; without it, only their
/// names, from proc/driver/nvidia. Empty without a driver. Reads no serial number or UUID.
std::vector<Gpu> probe_gpus(const std::filesystem::path& root = "/");

/// "2 MiB", "96 KiB", "15 GiB": binary units, at most three digits.
std::string capacity_text(std::uint64_t bytes);

}  // namespace hf
