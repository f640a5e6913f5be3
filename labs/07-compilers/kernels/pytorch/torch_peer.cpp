#include "07-compilers/kernels/pytorch/torch_peer.hpp"

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/pytorch/torch_peer_py.hpp"
#include "harness/machine_registers.hpp"
#include "harness/python_peer.hpp"
#include "harness/scratch_folder.hpp"

namespace hf::compilers {
namespace {

/// Tensors on huge pages, which are kept for the next call instead of being
/// given back and cleared again; threads that stay on their cores and spin.
const std::vector<std::string> torch_settings = {
    "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0"
    ":glibc.malloc.trim_threshold=1099511627776:glibc.malloc.top_pad=16777216",
    "OMP_PROC_BIND=true",
    "OMP_WAIT_POLICY=active",
};

/// MKL, which multiplies for PyTorch, asks this, and is slower on processors of
/// other makers than it could be there. A library that is loaded before answers.
const char* const as_on_intel = R"(
extern "C" int mkl_serv_intel_cpu_true() { return 1; }
)";

bool may_run_mkl_slowly() {
#if defined(__x86_64__)
  return vendor_signature() != "GenuineIntel";
#else
  return false;
#endif
}

/// \return the setting by which that library is loaded \throws BuildError
std::string preloaded(const ScratchFolder& cache) {
  constexpr double patience = 60;  // seconds
  const std::string library = build(as_on_intel, find_toolchain("", patience), cache.path(), patience).library.string();
  const char* const others = std::getenv("LD_PRELOAD");
  return "LD_PRELOAD=" + library + (others != nullptr ? std::string(":") + others : "");
}

/// Its compiler finds nothing done already, and leaves no processes behind, and no files where it is interrupted.
PeerProgram torch_script(const ScratchFolder& cache, std::string& remark) {
  PeerProgram program = {.name = "PyTorch", .script = torch_peer_py, .settings = torch_settings};
  if (may_run_mkl_slowly()) {
    try {
      program.settings.push_back(preloaded(cache));
    } catch (const BuildError& error) {
      remark = std::string("PyTorch's MKL runs as it is, slower than it could: ") + error.what();
    }
  }
  program.settings.push_back("TORCHINDUCTOR_CACHE_DIR=" + cache.path().string());
  program.settings.push_back("TMPDIR=" + cache.path().string());
  program.settings.emplace_back("TORCHINDUCTOR_COMPILE_THREADS=1");
  return program;
}

}  // namespace

TorchPeer::TorchPeer(std::chrono::seconds patience) : peer_(torch_script(cache_, remark_), patience) {}

int TorchPeer::load(const TorchProgram& program, std::span<const float* const> tensors) {
  for (std::size_t i = 0; i < program.sizes.size(); ++i) {
    std::string command = "tensor";
    for (std::size_t size : program.sizes[i]) command.append(" ").append(std::to_string(size));
    peer_.ask(command, {tensors[i], program.numbers(i)});
  }
  const nlohmann::json text = {{"source", program.source}, {"parameters", program.parameters}};
  const std::string answer = peer_.ask("program " + text.dump());
  int number = -1;
  const auto [stop, error] = std::from_chars(answer.data(), answer.data() + answer.size(), number);
  if (error != std::errc() || *stop != '\0' || number < 0) peer_.fail("loads program '" + answer + "'");
  return number;
}

double TorchPeer::seconds(int program, const std::string& mode, int threads, std::int64_t times) {
  return peer_.ask_seconds("seconds " + std::to_string(program) + " " + mode + " " + std::to_string(threads) + " " +
                           std::to_string(times));
}

std::vector<float> TorchPeer::result(int program, const std::string& mode) {
  return peer_.ask_numbers("result " + std::to_string(program) + " " + mode);
}

void TorchPeer::start_compiler() {
  if (!has_compiler_) peer_.ask("start");
  has_compiler_ = true;
}

void TorchPeer::release() { peer_.ask("release"); }

}  // namespace hf::compilers
