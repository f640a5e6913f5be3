/// \file
/// Races PyTorch, if it is installed, against ours on the same graphs and inputs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"  // IWYU pragma: export
#include "07-compilers/peers/torch_peer.hpp"        // IWYU pragma: export
#include "harness/report/lab.hpp"                   // IWYU pragma: export

namespace hf::compilers {

enum class TorchMode {
  eager,
  compiled,  ///< by torch.compile, with its fastest settings for this program
};

/// How to enter a program.
struct TorchEntry {
  std::vector<TorchMode> modes = {TorchMode::eager, TorchMode::compiled};
  std::vector<Threads> threads = {Threads::all};
  std::vector<std::string> settings = torch_compile_settings;  ///< to try if it is compiled
  float dropout = 0;  ///< probability that the last operator sets a number to zero
};

/// "torch eager NAME" or "torch compiled NAME", with " one" appended on one thread.
std::string torch_id(TorchMode mode, const std::string& name, Threads threads = Threads::all);

/// A program in the race.
struct TorchRacer {
  std::string id;
  int program;
  std::string settings;  ///< torch_eager, or settings of torch.compile
  int threads;
  double first_call_seconds = 0;  ///< including compilation
};

/// One PyTorch process for several races, because it takes seconds to start.
struct TorchHost {
  std::unique_ptr<TorchPeer> peer = {};
  std::string failure = {};  ///< why there is no peer, in one line; empty otherwise

  /// The host of all races in this process.
  static TorchHost& shared();
};

/// PyTorch programs as variants, sampled together with ours. PyTorch's process is stopped between its samples. If
/// PyTorch or one of its requirements is missing, adds a note and races without it.
class TorchRace {
 public:
  /// Starts PyTorch, unless it is running already. Both arguments must outlive this object.
  explicit TorchRace(Lab& lab, TorchHost& host = TorchHost::shared());
  ~TorchRace();
  TorchRace(const TorchRace&) = delete;
  TorchRace& operator=(const TorchRace&) = delete;

  /// Enters a graph: PyTorch compiles it with each of the settings, and each result is compared with ours. The race
  /// uses the fastest. Skips settings that do not apply, such as freezing for a program without parameters.
  /// \param inputs  in the graph's order; they are copied
  /// \param result  the expected result. If the last operator is a dropout, the result without it: compares the nonzero
  ///        numbers, and the share of zeros
  /// \param bound  of the distance, relative_distance() in kit/; a result beyond it is noted, and not raced
  void enter(const std::string& name, const Graph& graph, std::span<const float* const> inputs,
             std::span<const float> result, double bound, TorchEntry how = {});

  /// Enters a PyTorch program instead of a graph.
  void enter(const std::string& name, const TorchProgram& program, std::span<const float* const> tensors,
             std::span<const float> result, double bound, const TorchEntry& how = {});

  /// Returns one variant for each mode and number of threads of each entry, named by torch_id(). This object must
  /// outlive them. After PyTorch has failed, they return infinite times.
  std::vector<Variant> variants();

  /// True if a variant was sampled to the end.
  bool is_there(const std::string& variant) const { return find(variant) != nullptr; }

  /// The program compiled by torch.compile, on all threads; null if there is none.
  const TorchRacer* best(const std::string& name) const { return find(torch_id(TorchMode::compiled, name)); }

  /// Seconds of the first call of each graph, including compilation with the default settings. These graphs are not
  /// raced.
  std::vector<double> first_calls(const std::vector<Graph>& graphs, std::span<const float* const> inputs);

 private:
  /// A program with its tensors, the expected result, and the bound of the distance from it.
  struct Task {
    const TorchProgram& program;
    std::span<const float* const> tensors;
    std::span<const float> result;
    double bound;
    float dropout;
  };
  const TorchRacer* find(const std::string& id) const;
  void attempt(const std::string& what, const std::function<void()>& ask);
  std::optional<TorchRacer> loaded(TorchRacer racer, const Task& task);
  std::optional<TorchRacer> fastest(const TorchRacer& racer, const std::vector<std::string>& all, const Task& task);
  double seconds(const TorchRacer& racer, std::int64_t times);
  void note(const std::string& line);
  void fail(const char* why);

  Lab& lab_;
  TorchHost& host_;
  std::vector<TorchRacer> racers_;
};

}  // namespace hf::compilers
