#include "07-compilers/bench/torch_race.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/machine/cores.hpp"
#include "kit/relative_distance.hpp"

namespace hf::compilers {
namespace {

int number_of(Threads threads) { return threads == Threads::one ? 1 : static_cast<int>(usable_cores().size()); }

/// Distance of a result from the expected one, without the numbers that a dropout set to zero; infinite if the dropout
/// set too many or too few.
double distance(std::span<const float> result, std::span<const float> expected, float dropout) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (result.size() != expected.size()) return infinity;
  if (dropout == 0) return relative_distance(result, expected);
  constexpr float clearly = 1e-3f;  // smaller numbers may be zero without dropout
  std::vector<float> kept, expected_kept;
  double all = 0, dropped = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (std::abs(expected[i]) < clearly) continue;
    all += 1;
    dropped += result[i] == 0 ? 1 : 0;
    if (result[i] == 0) continue;
    kept.push_back(result[i] * (1 - dropout));
    expected_kept.push_back(expected[i]);
  }
  const double deviation = std::sqrt(dropout * (1 - dropout) * all);
  return std::abs(dropped - dropout * all) <= 6 * deviation ? relative_distance(kept, expected_kept) : infinity;
}

}  // namespace

std::string torch_id(TorchMode mode, const std::string& name, Threads threads) {
  return std::string(mode == TorchMode::eager ? "torch eager " : "torch compiled ") + name +
         (threads == Threads::one ? " one" : "");
}

TorchHost& TorchHost::shared() {
  static TorchHost host;
  return host;
}

TorchRace::TorchRace(Lab& lab, TorchHost& host) : lab_(lab), host_(host) {
  if (host_.peer == nullptr && host_.failure.empty()) {
    try {
      host_.peer = std::make_unique<TorchPeer>();
    } catch (const std::runtime_error& error) {
      host_.failure = error.what();
    }
  }
  if (!host_.failure.empty()) {
    note("not raced: " + host_.failure);
  } else if (!host_.peer->remark().empty()) {
    note(host_.peer->remark());
  }
}

TorchRace::~TorchRace() {
  try {
    if (host_.peer != nullptr && host_.failure.empty()) host_.peer->release();
  } catch (const std::exception& error) {
    host_.failure = error.what();
  }
}

/// Adds a note once, even if several races have it.
void TorchRace::note(const std::string& line) {
  if (std::ranges::find(lab_.results().notes, line) == lab_.results().notes.end()) lab_.note(line);
}

void TorchRace::fail(const char* why) {
  host_.failure = why;
  note("not raced: " + host_.failure);
}

/// Calls `ask` and adds a note about anything that PyTorch cannot do. Does nothing after PyTorch has failed.
void TorchRace::attempt(const std::string& what, const std::function<void()>& ask) {
  if (!host_.failure.empty()) return;
  lab_.tick();
  try {
    ask();
  } catch (const PeerCannot& error) {
    note(what + ": " + error.what());
  } catch (const PeerFailed& error) {
    fail(error.what());
  }
}

void TorchRace::enter(const std::string& name, const Graph& graph, std::span<const float* const> inputs,
                      std::span<const float> result, double bound, TorchEntry how) {
  const Node& last = graph.nodes().back();
  if (last.op == Op::dropout) how.dropout = last.number;
  enter(name, torch_program(graph), inputs, result, bound, how);
}

void TorchRace::enter(const std::string& name, const TorchProgram& program, std::span<const float* const> tensors,
                      std::span<const float> result, double bound, const TorchEntry& how) {
  const Task task = {program, tensors, result, bound, how.dropout};
  for (const TorchMode mode : how.modes) {
    for (const Threads threads : how.threads) {
      const TorchRacer racer = {torch_id(mode, name, threads), 0, torch_eager, number_of(threads)};
      attempt("not raced: " + racer.id, [&] {
        auto entered = mode == TorchMode::compiled ? fastest(racer, how.settings, task) : loaded(racer, task);
        if (entered) racers_.push_back(std::move(*entered));
      });
    }
  }
}

/// Loads a program, runs it once, and compares its result. \return nullopt, with a note, if the result is wrong
std::optional<TorchRacer> TorchRace::loaded(TorchRacer racer, const Task& task) {
  racer.program = host_.peer->load(task.program, task.tensors);
  racer.first_call_seconds = host_.peer->seconds(racer.program, racer.settings, racer.threads, 1);
  const double off = distance(host_.peer->result(racer.program, racer.settings), task.result, task.dropout);
  if (off <= task.bound) return racer;
  note("not raced: " + racer.id + (racer.settings == torch_eager ? "" : ", " + racer.settings) +
       ": its result differs from ours by " + number_text(off) + "; at most " + number_text(task.bound) +
       " is allowed");
  return std::nullopt;
}

/// Compiles a separate program with each of the settings and checks it, then times them alternately. \return the
/// fastest
std::optional<TorchRacer> TorchRace::fastest(const TorchRacer& racer, const std::vector<std::string>& all,
                                             const Task& task) {
  host_.peer->start_compiler();
  std::vector<TorchRacer> racers;
  for (const std::string& settings : all) {
    if (task.program.parameters.empty() && settings == "freezing") continue;
    attempt("not raced: " + racer.id + ", " + settings, [&] {
      if (auto one = loaded({racer.id, 0, settings, racer.threads}, task)) racers.push_back(std::move(*one));
    });
  }
  if (racers.empty() || !host_.failure.empty()) return std::nullopt;
  constexpr int rounds = 5;
  constexpr double sample_seconds = 5e-3;
  std::vector<double> least(racers.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < racers.size(); ++i) {
      const double once = seconds(racers[i], 1);
      const auto times = static_cast<std::int64_t>(std::ceil(sample_seconds / once));
      least[i] = std::min(least[i], seconds(racers[i], times) / static_cast<double>(times));
    }
  }
  return racers[static_cast<std::size_t>(std::ranges::min_element(least) - least.begin())];
}

double TorchRace::seconds(const TorchRacer& racer, std::int64_t times) {
  if (host_.failure.empty()) {
    try {
      return host_.peer->seconds(racer.program, racer.settings, racer.threads, times);
    } catch (const std::runtime_error& error) {  // PeerFailed, or PeerCannot although its first call succeeded
      fail(error.what());
    }
  }
  return std::numeric_limits<double>::infinity();
}

std::vector<Variant> TorchRace::variants() {
  std::vector<Variant> variants;
  for (const TorchRacer& racer : racers_) {
    variants.push_back({racer.id, [this, racer](std::int64_t times) { return seconds(racer, times); }});
  }
  return variants;
}

const TorchRacer* TorchRace::find(const std::string& id) const {
  const auto found = std::ranges::find(racers_, id, &TorchRacer::id);
  return found == racers_.end() || !host_.failure.empty() ? nullptr : &*found;
}

std::vector<double> TorchRace::first_calls(const std::vector<Graph>& graphs, std::span<const float* const> inputs) {
  std::vector<double> seconds;
  for (const Graph& graph : graphs) {
    attempt("not compiled", [&] {
      const int program = host_.peer->load(torch_program(graph), inputs);
      seconds.push_back(host_.peer->seconds(program, torch_compile_settings.front(), number_of(Threads::all), 1));
    });
  }
  return seconds;
}

}  // namespace hf::compilers
