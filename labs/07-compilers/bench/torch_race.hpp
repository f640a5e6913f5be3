/// \file
/// PyTorch beside ours, at the same graphs with the same inputs, where it is installed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"      // IWYU pragma: export
#include "07-compilers/kernels/pytorch/torch_peer.hpp"  // IWYU pragma: export
#include "harness/report/lab.hpp"                       // IWYU pragma: export

namespace hf::compilers {

enum class TorchMode {
  eager,
  compiled,  ///< by torch.compile, with those of its settings that were the fastest for this program
};

/// How a program is entered.
struct TorchEntry {
  std::vector<TorchMode> modes = {TorchMode::eager, TorchMode::compiled};
  std::vector<Threads> threads = {Threads::all};
  std::vector<std::string> settings = torch_compile_settings;  ///< that are tried where it is compiled
  float dropout = 0;  ///< the probability with which the last operator sets numbers to zero
};

/// "torch eager NAME", "torch compiled NAME"; on one thread with " one" after it.
std::string torch_id(TorchMode mode, const std::string& name, Threads threads = Threads::all);

/// A program in the race.
struct TorchRacer {
  std::string id;
  int program;
  std::string settings;  ///< torch_eager, or those of torch.compile
  int threads;
  double first_call_seconds = 0;  ///< compiled, and run once
};

/// One PyTorch for several races: to start it takes seconds.
struct TorchHost {
  std::unique_ptr<TorchPeer> peer = {};
  std::string failure = {};  ///< why there is none, or not any more, in one line

  /// That of all races of this process. It ends with the process.
  static TorchHost& shared();
};

/// Programs in PyTorch as variants that are sampled among ours; between its turns PyTorch's process stands still. Where PyTorch, or
/// something that it needs, is missing, that is a note, and the race is without it.
class TorchRace {
 public:
  /// Starts PyTorch, unless that was done already. Both must outlive this.
  explicit TorchRace(Lab& lab, TorchHost& host = TorchHost::shared());
  ~TorchRace();
  TorchRace(const TorchRace&) = delete;
  TorchRace& operator=(const TorchRace&) = delete;

  /// Gives PyTorch a graph, has it compiled with each of the settings, and compares what each gives with ours. The fastest of
  /// those is raced. What cannot do what a setting is for (a program without parameters has nothing to freeze) tries fewer.
  /// \param inputs  in the graph's order; they are copied
  /// \param result  what it should be; where the last operator is a dropout, without it: what is not zero is compared, and
  ///        how much is zero
  /// \param bound  of the distance, relative_distance() in common/; what is farther off is noted, and not raced
  void enter(const std::string& name, const Graph& graph, std::span<const float* const> inputs,
             std::span<const float> result, double bound, TorchEntry how = {});

  /// The same for a program of its own.
  void enter(const std::string& name, const TorchProgram& program, std::span<const float* const> tensors,
             std::span<const float> result, double bound, const TorchEntry& how = {});

  /// One for each mode and number of threads of each entry, named by torch_id(). This must outlive them. Once PyTorch has failed
  /// they take infinitely long.
  std::vector<Variant> variants();

  /// After sampling: whether a variant was there, to its end.
  bool is_there(const std::string& variant) const { return find(variant) != nullptr; }

  /// What torch.compile made of it, on all threads; null where that is not there.
  const TorchRacer* best(const std::string& name) const { return find(torch_id(TorchMode::compiled, name)); }

  /// Seconds of first calls with the default settings, which are compiled, for programs that are not raced: one for each.
  std::vector<double> first_calls(const std::vector<Graph>& graphs, std::span<const float* const> inputs);

 private:
  /// What the result should be, and how far it may be from it.
  struct Right {
    std::span<const float> result;
    double bound;
    float dropout;
  };
  const TorchRacer* find(const std::string& id) const;
  void attempt(const std::string& what, const std::function<void()>& ask);
  std::optional<TorchRacer> checked(TorchRacer racer, const Right& right);
  std::optional<TorchRacer> fastest(const TorchRacer& racer, const std::vector<std::string>& all_settings,
                                    const TorchProgram& program, std::span<const float* const> tensors,
                                    const Right& right);
  double seconds(const TorchRacer& racer, std::int64_t times);
  void note(const std::string& line);
  void fail(const char* why);

  Lab& lab_;
  TorchHost& host_;
  std::vector<TorchRacer> racers_;
};

}  // namespace hf::compilers
