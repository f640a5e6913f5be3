/// \file
/// PyTorch, where it is installed, in a process of its own.
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
  std::string source;  ///< Python: defines graph(...), with `torch` and `F`, its functional, at hand
  std::vector<std::vector<std::size_t>> sizes;  ///< of the tensors it is called with
  std::vector<std::size_t> parameters = {};     ///< those of the tensors that a module of PyTorch would hold as its own
};

/// Every operator is one of PyTorch's, and a product to which a row is added is addmm, as in its Linear. Parameters are what
/// its Linear and its LayerNorm have: weights, biases, gains and shifts.
TorchProgram torch_program(const Graph& graph);

/// How a program is run: "eager", one operator after the other, or by torch.compile, with settings that torch_peer.py lists by
/// the names that these are.
const std::string torch_eager = "eager";
const std::vector<std::string> torch_compile_settings = {"default", "freezing", "max_autotune", "cpp_wrapper"};

/// A process that computes with PyTorch. What it compiles is kept in a folder that goes with it: nothing is compiled already.
class TorchPeer {
 public:
  /// \param patience  how long an answer may take
  /// \throws PeerFailed
  explicit TorchPeer(std::chrono::seconds patience = std::chrono::seconds(300));

  const std::string& version() const { return peer_.version(); }  ///< "2.15.0+cpu"
  const std::string& remark() const { return remark_; }           ///< why it is slower than it could be; else empty

  // All of these throw PeerFailed where there is no sensible answer in time, after which the peer has ended; PeerCannot where
  // PyTorch says that it cannot, after which it has not; and Interrupted.

  /// Gives it a program and its tensors, which are copied. \return the program's number
  int load(const TorchProgram& program, std::span<const float* const> tensors);

  // A program is run in one mode, with one number of threads.

  /// Seconds of so many calls. The first is compiled before it is run.
  double seconds(int program, const std::string& mode, int threads, std::int64_t times);

  /// Numbers in the order in which PyTorch has them, row by row.
  std::vector<float> result(int program, const std::string& mode);

  /// Has a very small program compiled, once: PyTorch then has read its compiler.
  void start_compiler();

  /// Forgets all programs, and what was compiled for them.
  void release();

 private:
  ScratchFolder cache_;
  std::string remark_;
  PythonPeer peer_;
  bool has_compiler_ = false;
};

}  // namespace hf::compilers
