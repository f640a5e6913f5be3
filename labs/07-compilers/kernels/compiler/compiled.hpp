/// \file
/// A compiled graph: its operators are fused into few loops, the loops are written as C++, the system's compiler builds
/// them, and the library is loaded.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/plan.hpp"
#include "harness/measure/memory.hpp"
#include "kit/work.hpp"

namespace hf::compilers {

enum class Stores {
  automatic,  ///< past the caches if the result is larger than the last-level cache
  ordinary,
  nontemporal,
};

struct CompileOptions {
  Stores stores = Stores::automatic;
  bool any_rows = false;  ///< one program for any number of rows: of the result, and of the inputs that have as many
                          ///< rows and are not the right side of a product
  double seconds = 60;    ///< time limit for the system's compiler
  std::string compiler = {};          ///< as for find_toolchain()
  std::filesystem::path folder = {};  ///< for built libraries; empty: libraries_of_this_run()
};

/// Never throws for problems that a user may have: a graph that cannot be compiled, no compiler, a folder that cannot be
/// written. It then runs the graph eagerly, and remark() gives the reason in one
/// line.
class Compiled {
 public:
  explicit Compiled(const Graph& graph, const CompileOptions& options = {});

  /// Runs the graph, as Eager::run() does. \param rows  of the result, if compiled with any_rows; 0: those of the graph
  void run(std::span<const float* const> inputs, float* result, std::size_t rows = 0);

  /// Why it runs eagerly, in one line; empty if it is compiled.
  const std::string& remark() const { return remark_; }
  bool is_compiled() const { return library_ != nullptr; }
  const std::string& source() const { return source_; }    ///< its loops in C++; empty if it runs eagerly
  const std::string& program() const { return program_; }  ///< all C++ that the compiler reads
  std::size_t loops() const { return plan_.loops(); }      ///< number of passes in the plan
  /// Returns the counted bytes and FLOPs.
  Work work(const OpCosts& costs = counted_flops) const { return hf::compilers::work(plan_, costs); }

 private:
  struct LoopCode {
    const Loop* loop;
    void* function;       ///< its LoopFunction; for a product, the epilogue or null
    std::size_t scratch;  ///< floats
  };

  void compile();
  void find_functions();
  void run_eagerly(std::span<const float* const> inputs, float* result, std::size_t rows);
  std::size_t columns_of(Ref ref) const { return plan_.graph.node(ref).shape.columns; }
  std::size_t block_rows(const Band& band, std::size_t rows) const;
  void run_band(std::size_t band, std::vector<float*>& values, std::size_t rows);
  void run_whole(const LoopCode& code, float* const* values, std::size_t rows) const;
  void run_block(std::size_t band, std::vector<float*> values, std::size_t first, std::size_t last) const;
  void run_part(const LoopCode& code, float* const* values, std::size_t first, std::size_t last) const;

  Graph graph_;
  CompileOptions options_;
  FusionPlan plan_ = {};
  std::string remark_ = {}, source_ = {}, program_ = {};
  std::filesystem::path file_ = {};
  std::shared_ptr<void> library_ = {};            ///< null if it runs eagerly
  std::vector<std::vector<LoopCode>> code_ = {};  ///< of each band
  std::map<std::size_t, Buffer> memory_ = {};     ///< for each node whose result is stored whole, in or between bands
  std::map<std::size_t, Eager> eager_ = {};       ///< for each number of rows
};

}  // namespace hf::compilers
