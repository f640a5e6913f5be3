/// \file
/// A graph, compiled: its operators are fused into few loops, the loops are written as C++, the system's compiler builds
/// them, and the result is kept for the next time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "harness/work.hpp"

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
  std::string compiler = {};  ///< empty: $CXX, else the one that built this program, else c++
  std::filesystem::path cache =
      {};  ///< empty: $HARDWARE_FIRST_CACHE, else $XDG_CACHE_HOME/hardware-first, else ~/.cache/hardware-first
};

/// Never throws for what a user may run into: a graph that cannot be compiled, no compiler, a cache that cannot be written, or
/// whose files are stale or damaged. It then runs the graph eagerly, and says why in one line.
class Compiled {
 public:
  explicit Compiled(const Graph& graph, const CompileOptions& options = {});
  ~Compiled();
  Compiled(Compiled&&) noexcept;
  Compiled& operator=(Compiled&&) noexcept;

  /// As Eager::run(). \param rows  of the result, where it was compiled for any; 0: those of the graph
  void run(std::span<const float* const> inputs, float* result, std::size_t rows = 0);

  /// Why it runs eagerly, or had to be built anew, in one line; empty where nothing was amiss.
  const std::string& remark() const;
  bool is_compiled() const;
  bool is_from_cache() const;             ///< whether the system's compiler had built it before
  const std::string& source() const;      ///< its loops in C++; empty where there are none
  std::filesystem::path library() const;  ///< what was built of it
  std::size_t loops() const;              ///< how many passes the plan has
  Work work() const;                      ///< what the plan moves and computes, by counting

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hf::compilers
