/// \file
/// PyTorch, if it is installed, in a process of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "harness/measure/python_peer.hpp"  // IWYU pragma: export
#include "harness/measure/scratch_folder.hpp"

namespace hf::compilers {

struct TorchProgram {
  std::string source;  ///< Python: defines graph(...), with `torch` and `F`, torch.nn.functional, in scope
  std::vector<std::vector<std::size_t>> sizes;  ///< of the tensors that graph() takes
  std::vector<std::size_t> parameters = {};     ///< indices of the tensors that would be parameters of a PyTorch module
};

/// Returns the graph as a program in which every operator is one of PyTorch's; a product to which a row is added
/// becomes addmm, as in Linear. Parameters are those of Linear and LayerNorm: weights, biases, gains and shifts.
TorchProgram torch_program(const Graph& graph);

/// Modes in which a program runs: "eager", one operator after the other, or torch.compile with one of the settings that
/// torch_peer.py lists under these names.
const std::string torch_eager = "eager";
const std::vector<std::string> torch_compile_settings = {"default", "freezing", "max_autotune", "cpp_wrapper"};

/// A process that computes with PyTorch. Its compile cache is a folder that is deleted with it, so it always starts
/// empty.
class TorchPeer {
 public:
  /// \param patience  how long an answer may take
  /// \throws PeerFailed
  explicit TorchPeer(std::chrono::seconds patience = std::chrono::seconds(300));

  const std::string& version() const { return peer_.version(); }  ///< "2.15.0+cpu"
  const std::string& remark() const { return remark_; }           ///< why PyTorch may be slower than usual; else empty

  // All of these throw PeerFailed if no valid answer comes in time, which ends the peer; PeerCannot if PyTorch reports
  // that it cannot, after which the peer still runs; and Interrupted.

  /// Loads a program and a copy of its tensors. \return the program's number
  int load(const TorchProgram& program, std::span<const float* const> tensors);

  // A program runs in one mode, with a given number of threads.

  /// Returns the seconds of `times` calls. Before its first run, the program is compiled.
  double seconds(int program, const std::string& mode, int threads, std::int64_t times);

  /// Returns the result in the order of PyTorch, row by row.
  std::vector<float> result(int program, const std::string& mode);

  /// Compiles a very small program, once, so that PyTorch has loaded its compiler.
  void start_compiler();

  /// Frees all programs and the code compiled for them.
  void release();

 private:
  ScratchFolder cache_;
  std::string remark_;
  PythonPeer peer_;
  bool has_compiler_ = false;
};

}  // namespace hf::compilers
