/// \file
/// A graph, compiled: its operators are fused into few loops, the loops are written as C++, the system's compiler builds
/// them, and the result is kept for the next time.
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
#include "harness/measure/work.hpp"

namespace hf::compilers {

enum class Stores {
  automatic,  ///< past the caches where the result is larger than the last of them
  ordinary,
  nontemporal,
};

struct CompileOptions {
  Stores stores = Stores::automatic;
  bool any_rows = false;  ///< one program for every number of rows: of the result, and of the inputs that have as many
                          ///< and are not the right side of a product
  double seconds = 60;    ///< that the system's compiler may take
  std::string compiler = {};         ///< as find_toolchain() takes it
  std::filesystem::path cache = {};  ///< empty: default_cache()
};

/// Never throws for what a user may run into: a graph that cannot be compiled, no compiler, a cache that cannot be written, or
/// whose files are stale or damaged. It then runs the graph eagerly, and says why in one line.
class Compiled {
 public:
  explicit Compiled(const Graph& graph, const CompileOptions& options = {});

  /// As Eager::run(). \param rows  of the result, where it was compiled for any; 0: those of the graph
  void run(std::span<const float* const> inputs, float* result, std::size_t rows = 0);

  /// Why it runs eagerly, or had to be built anew, in one line; empty where nothing was amiss.
  const std::string& remark() const { return remark_; }
  bool is_compiled() const { return library_ != nullptr; }
  bool is_from_cache() const { return from_cache_; }              ///< whether it had been built before
  const std::string& source() const { return source_; }           ///< its loops in C++; empty where there are none
  const std::filesystem::path& library() const { return file_; }  ///< what was built of it
  std::size_t loops() const { return plan_.loops(); }             ///< how many passes the plan has
  /// What it moves and computes, by counting.
  Work work(const OpCosts& costs = counted_flops) const { return hf::compilers::work(plan_, costs); }

 private:
  struct LoopCode {
    const Loop* loop;
    void* function;       ///< its LoopFunction; of a product, its epilogue or null
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
  std::string remark_ = {}, source_ = {};
  bool from_cache_ = false;
  std::filesystem::path file_ = {};
  std::shared_ptr<void> library_ = {};            ///< null: it runs eagerly
  std::vector<std::vector<LoopCode>> code_ = {};  ///< of each band
  std::map<std::size_t, Buffer> memory_ =
      {};                                    ///< of each node whose result another band reads, or all of a band at once
  std::map<std::size_t, Eager> eager_ = {};  ///< for each number of rows
};

}  // namespace hf::compilers
