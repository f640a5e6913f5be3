#include "07-compilers/bench/torch_race.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/pytorch/torch_peer.hpp"
#include "common/relative_distance.hpp"
#include "harness/lab.hpp"
#include "harness/sampling.hpp"
#include "harness/terminal.hpp"
#include "harness/threads.hpp"

namespace hf::compilers {
namespace {

int number_of(TorchThreads threads) {
  return threads == TorchThreads::one ? 1 : static_cast<int>(usable_cores().size());
}

/// How far off a result is, without what a dropout set to zero; infinite where that is not as much as it should be.
double distance(std::span<const float> result, std::span<const float> expected, float dropout) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (result.size() != expected.size()) return infinity;
  if (dropout == 0) return relative_distance(result, expected);
  constexpr float clearly = 1e-3f;  // not zero before the dropout either
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

std::string torch_id(TorchMode mode, const std::string& name, TorchThreads threads) {
  return std::string(mode == TorchMode::eager ? "torch eager " : "torch compiled ") + name +
         (threads == TorchThreads::one ? " one" : "");
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

void TorchRace::note(const std::string& line) {
  const std::vector<std::string>& notes = lab_.results().notes;
  if (std::find(notes.begin(), notes.end(), line) == notes.end()) lab_.note(line);
}

void TorchRace::enter(const std::string& name, const Graph& graph, std::span<const float* const> inputs,
                      std::span<const float> result, double bound, TorchEntry how) {
  const Node& last = graph.nodes().back();
  if (last.op == Op::dropout) how.dropout = last.number;
  enter(name, torch_program(graph), inputs, result, bound, how);
}

void TorchRace::enter_attention(const std::string& name, std::size_t heads, std::size_t tokens, std::size_t width,
                                std::span<const float* const> q_k_v, std::span<const float> result, double bound,
                                std::vector<TorchThreads> threads) {
  const TorchProgram program = {"def graph(q, k, v):\n    return F.scaled_dot_product_attention(q, k, v)\n",
                                std::vector(3, std::vector<std::size_t>{1, heads, tokens, width})};
  enter(name, program, q_k_v, result, bound, {.modes = {TorchMode::eager}, .threads = std::move(threads)});
}

void TorchRace::enter(const std::string& name, const TorchProgram& program, std::span<const float* const> tensors,
                      std::span<const float> result, double bound, const TorchEntry& how) {
  const Right right = {result, bound, how.dropout};
  for (TorchMode mode : how.modes) {
    for (TorchThreads threads : how.threads) {
      if (!host_.failure.empty()) return;
      lab_.tick();
      const std::string id = torch_id(mode, name, threads);
      try {
        std::optional<Racer> racer =
            mode == TorchMode::eager
                ? checked({id, host_.peer->load(program, tensors), torch_eager, number_of(threads)}, right)
                : fastest(id, how.settings, number_of(threads), program, tensors, right);
        if (racer) racers_.push_back(std::move(*racer));
      } catch (const PeerCannot& error) {
        note("not raced: " + id + ": " + error.what());
      } catch (const PeerFailed& error) {
        host_.failure = error.what();
        note("not raced: " + host_.failure);
      }
    }
  }
}

/// Runs it once, and compares. \return nothing, with a note, where it is wrong
std::optional<TorchRace::Racer> TorchRace::checked(Racer racer, const Right& right) {
  racer.first_call_seconds = host_.peer->seconds(racer.program, racer.mode, racer.threads, 1);
  const double off = distance(host_.peer->result(racer.program, racer.mode), right.result, right.dropout);
  if (off > right.bound) {
    note("not raced: " + racer.id + (racer.mode == torch_eager ? "" : ", " + racer.mode) + ": its result is " +
         number_text(off) + " from ours, and may be " + number_text(right.bound));
    return std::nullopt;
  }
  return racer;
}

/// Each of the settings is compiled as a program of its own, and checked; then they are timed in turns.
std::optional<TorchRace::Racer> TorchRace::fastest(const std::string& id, const std::vector<std::string>& all_settings,
                                                   int threads, const TorchProgram& program,
                                                   std::span<const float* const> tensors, const Right& right) {
  host_.peer->start_compiler();
  std::vector<Racer> racers;
  for (const std::string& settings : all_settings) {
    if (program.parameters.empty() && settings == "freezing") continue;
    try {
      lab_.tick();
      if (auto racer = checked({id, host_.peer->load(program, tensors), settings, threads}, right))
        racers.push_back(std::move(*racer));
    } catch (const PeerCannot& error) {
      note("not raced: " + id + ", " + settings + ": " + error.what());
    }
  }
  if (racers.empty()) return std::nullopt;
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

double TorchRace::seconds(const Racer& racer, std::int64_t times) {
  if (host_.failure.empty()) {
    try {
      return host_.peer->seconds(racer.program, racer.mode, racer.threads, times);
    } catch (const PeerCannot& error) {
      host_.failure = error.what();
    } catch (const PeerFailed& error) {
      host_.failure = error.what();
    }
    note("not raced: " + host_.failure);
  }
  return std::numeric_limits<double>::infinity();
}

std::vector<Variant> TorchRace::variants() {
  std::vector<Variant> variants;
  for (const Racer& racer : racers_) {
    variants.push_back({racer.id, [this, racer](std::int64_t times) { return seconds(racer, times); }});
  }
  return variants;
}

const TorchRace::Racer* TorchRace::find(const std::string& id) const {
  const auto found = std::find_if(racers_.begin(), racers_.end(), [&](const Racer& racer) { return racer.id == id; });
  return found == racers_.end() || !host_.failure.empty() ? nullptr : &*found;
}

bool TorchRace::is_there(const std::string& variant) const { return find(variant) != nullptr; }

std::optional<TorchTrial> TorchRace::best(const std::string& name) const {
  const Racer* const racer = find(torch_id(TorchMode::compiled, name));
  if (racer == nullptr) return std::nullopt;
  return TorchTrial{racer->mode, racer->first_call_seconds};
}

std::vector<double> TorchRace::first_calls(const std::vector<Graph>& graphs, std::span<const float* const> inputs) {
  std::vector<double> seconds;
  for (const Graph& graph : graphs) {
    if (!host_.failure.empty()) return {};
    lab_.tick();
    try {
      const int program = host_.peer->load(torch_program(graph), inputs);
      seconds.push_back(host_.peer->seconds(program, torch_compile_settings.front(), number_of(TorchThreads::all), 1));
    } catch (const PeerCannot& error) {
      note(std::string("not compiled: ") + error.what());
    } catch (const PeerFailed& error) {
      host_.failure = error.what();
      note("not raced: " + host_.failure);
    }
  }
  return seconds;
}

}  // namespace hf::compilers
