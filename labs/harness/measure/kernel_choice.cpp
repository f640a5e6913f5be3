#include "kernel_choice.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "child_process.hpp"
#include "clock.hpp"
#include "scratch_file.hpp"
#include "shared_library.hpp"

namespace hf {
namespace {

using Speeds = decltype(Trial::speeds);

/// During its lifetime, an environment variable has this value; for "", it is unset.
class Setting {
 public:
  Setting(const char* variable, const std::string& value) : variable_(variable) {
    if (const char* const before = std::getenv(variable)) before_ = before;
    set(value.empty() ? std::nullopt : std::optional(value));
  }
  ~Setting() { set(before_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  void set(const std::optional<std::string>& value) {
    if (value) setenv(variable_, value->c_str(), 1);
    if (!value) unsetenv(variable_);
  }

  const char* variable_;
  std::optional<std::string> before_;
};

/// For how long this thread has computed, in ns. While another program has the core, this clock is stopped.
std::int64_t computed_ns() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// The shortest time of a product of n × n matrices, in seconds; infinite if the product is wrong.
double shortest(const Kernels& kernels, std::size_t n) {
  constexpr std::int64_t enough_ns = 10'000'000;
  const std::vector<float> a(n * n, 1.25f), b(n * n, 0.75f);
  std::vector<float> c(n * n);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const std::int64_t begin = now_ns();
  for (int turn = 0; turn < 3 || now_ns() - begin < enough_ns; ++turn) {
    const std::int64_t start = computed_ns();
    kernels.multiply(n, n, n, a.data(), b.data(), c.data());
    least = std::min(least, computed_ns() - start);
  }
  const float expected = 1.25f * 0.75f * static_cast<float>(n);  // all sums on the way to it are exact
  const bool right = std::ranges::all_of(c, [expected](float x) { return x == expected; });
  return right ? static_cast<double>(least) * 1e-9 : std::numeric_limits<double>::infinity();
}

/// Measures kernels at each size in turn, until they are far behind.
/// \param most  the highest speeds of others
Speeds measure(const Kernels& kernels, const Speeds& most) {
  constexpr double too_long = 0.1;  // seconds
  if (kernels.set_threads) kernels.set_threads(1);
  Speeds speeds = {};
  double seconds_per_n3 = 0;  // at the size before
  for (std::size_t i = 0; i < trial_sizes.size(); ++i) {
    const double n3 = std::pow(static_cast<double>(trial_sizes[i]), 3);
    if (seconds_per_n3 * n3 > too_long) break;
    const double seconds = shortest(kernels, trial_sizes[i]);
    seconds_per_n3 = seconds / n3;
    speeds[i] = 1 / seconds;
    if (speeds[i] < 0.5 * most[i]) break;
  }
  return speeds;
}

/// Tries one value in a child. Its speeds are 0 if it crashes, or the library is missing.
Trial try_value(const KernelChoice& choice, const std::string& value, const Speeds& most) {
  const Ended ended = run_in_child(60, [&] {
    keep_quiet();
    const Setting setting(choice.variable, value);
    const Kernels kernels = choice.find(choice.load());
    std::ostringstream text;
    if (kernels.multiply) {
      for (const double speed : measure(kernels, most)) text << speed << ' ';
      text << kernels.name;
    }
    return text.str();
  });
  Trial trial = {value, ""};
  if (!ended.well()) return trial;
  std::istringstream text(ended.text);
  for (double& speed : trial.speeds) text >> speed;
  text >> trial.name;
  return trial;
}

Speeds highest(const std::vector<Trial>& trials) {
  Speeds most = {};
  for (const Trial& trial : trials) {
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], trial.speeds[i]);
  }
  return most;
}

/// True if a trial reached this share of the highest speed at one of the sizes.
bool comes_within(double share, const Trial& trial, const Speeds& most) {
  for (std::size_t i = 0; i < most.size(); ++i) {
    if (most[i] > 0 && trial.speeds[i] >= share * most[i]) return true;
  }
  return false;
}

/// The share of the highest speeds, averaged over the sizes.
double mean_share(const Trial& trial, const Speeds& most) {
  double sum = 0;
  for (std::size_t i = 0; i < most.size(); ++i) sum += most[i] > 0 ? trial.speeds[i] / most[i] : 1;
  return sum / static_cast<double>(most.size());
}

/// The trials of kernels with different names: a value that the library does not know leaves the choice to the library.
std::vector<Trial> try_all(const KernelChoice& choice) {
  std::vector<Trial> trials = {try_value(choice, "", {})};
  if (trials.front().speeds.front() == 0) return trials;  // missing, or without the memory that it needs
  for (const std::string& value : choice.values) {
    if (value == trials.front().name) continue;
    Trial trial = try_value(choice, value, highest(trials));
    if (trial.name.empty() || std::ranges::find(trials, trial.name, &Trial::name) == trials.end())
      trials.push_back(std::move(trial));
  }
  // Chance only slows a trial, so those that came close are tried again.
  const Speeds most = highest(trials);
  for (Trial& trial : trials) {
    if (!comes_within(0.9, trial, most)) continue;
    const Trial again = try_value(choice, trial.value, most);
    for (std::size_t i = 0; i < most.size(); ++i) trial.speeds[i] = std::max(trial.speeds[i], again.speeds[i]);
  }
  return trials;
}

/// Loads another copy of a library's file, since the linker loads each file once.
SharedLibrary load_copy(const SharedLibrary& library) {
  static std::deque<ScratchFile> files;  // stay open: the linker also recognizes a file by its path
  const ScratchFile& file = files.emplace_back();
  std::error_code error;
  std::filesystem::copy_file(library.file(), file.path(), std::filesystem::copy_options::overwrite_existing, error);
  return SharedLibrary{file.path().c_str()};
}

}  // namespace

std::vector<std::string> winners(const std::vector<Trial>& trials) {
  constexpr double clearly = 1.01;
  const Speeds most = highest(trials);
  const Trial* best = &trials.front();
  for (const Trial& trial : trials) {
    if (mean_share(trial, most) > clearly * mean_share(*best, most)) best = &trial;
  }
  std::vector<std::string> values = {best->value};
  Speeds reached = best->speeds;
  for (std::size_t i = 0; i < most.size(); ++i) {
    if (most[i] <= clearly * reached[i]) continue;
    const auto fastest = std::ranges::max_element(trials, {}, [i](const Trial& trial) { return trial.speeds[i]; });
    values.push_back(fastest->value);
    for (std::size_t j = 0; j < most.size(); ++j) reached[j] = std::max(reached[j], fastest->speeds[j]);
  }
  return values;
}

std::vector<std::string> fastest_values(const KernelChoice& choice) {
  if (choice.values.empty()) return {""};
  return winners(try_all(choice));
}

SharedLibrary load_with(const KernelChoice& choice, const std::string& value) {
  const Setting setting(choice.variable, value);
  return choice.load();
}

std::vector<Kernels> load_side_by_side(const KernelChoice& choice, const std::vector<std::string>& values) {
  std::vector<Kernels> all;
  std::optional<SharedLibrary> original;
  for (const std::string& value : values) {
    const Setting setting(choice.variable, value);
    const SharedLibrary library = original ? load_copy(*original) : choice.load();
    if (!original) original = library;
    if (Kernels kernels = choice.find(library); kernels.multiply) all.push_back(std::move(kernels));
  }
  return all;
}

}  // namespace hf
