#include "yours/trial.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/measure/statistics.hpp"
#include "harness/report/lock.hpp"
#include "yours/guarded.hpp"
#include "yours/others.hpp"

namespace hf::yours {
namespace {

std::string now_tried;

bool is_quick() {
  const char* const budget = std::getenv("BUDGET");
  return budget != nullptr && std::string_view(budget) == "quick";
}

/// True if another thread of this process computes or would, had it a core.
bool others_compute() {
  std::error_code gone;  // a thread may end while this reads
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task", gone)) {
    if (each.path().filename() == std::to_string(gettid())) continue;
    std::ifstream file(each.path() / "stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};  // "17 (name) R …"
    const std::size_t name_end = text.rfind(')');
    if (name_end != std::string::npos && text.compare(name_end, 3, ") R") == 0) return true;
  }
  return false;
}

nlohmann::json to_json(const std::vector<Heat>& heats, const std::string& unit, const std::string& disturbed) {
  nlohmann::json result = {{"unit", unit}, {"disturbed", disturbed}, {"heats", nlohmann::json::array()}};
  for (const Heat& heat : heats) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Row& row : heat.rows) {
      rows.push_back({{"id", row.id},
                      {"label", row.label},
                      {"median", round_significant(row.speed.median, 6)},
                      {"low", round_significant(row.speed.low, 6)},
                      {"high", round_significant(row.speed.high, 6)},
                      {"of_roof", round_significant(row.of_roof.median, 4)}});
    }
    result["heats"].push_back({{"name", heat.name}, {"x", heat.x}, {"rows", rows}});
    if (heat.noise) result["heats"].back()["noise"] = round_significant(*heat.noise, 4);
  }
  return result;
}

nlohmann::json to_json(const std::vector<Count>& counts) {
  nlohmann::json result = nlohmann::json::array();
  for (const Count& each : counts) {
    nlohmann::json others = nlohmann::json::array();
    for (const auto& [label, value] : each.others)
      others.push_back({{"label", label}, {"value", round_significant(value, 4)}});
    result.push_back({{"what", each.what}, {"yours", round_significant(each.yours, 4)}, {"others", others}});
  }
  return result;
}

nlohmann::json race(const Trial& trial, void* kernel) {
  if (!trial.timed) return to_json(trial.race(kernel, is_quick()), trial.unit, "");
  const MeasuringLock alone([](double) {
    std::printf("waiting for another measurement to end\n");
    std::fflush(stdout);
  });
  const ProcessorTime before = read_processor_time();
  const std::vector<Heat> heats = trial.race(kernel, is_quick());
  return to_json(heats, trial.unit, disturbance(heats, taken_by_others(before, read_processor_time())));
}

nlohmann::json result_of(const Trial& trial, std::string_view job, void* kernel) {
  if (job == "race") return race(trial, kernel);
  nlohmann::json result = {{"right", true}};
  if (job == "count")
    result = to_json(trial.count(kernel));
  else
    trial.check(kernel);
  check_that_nothing_runs();
  return result;
}

}  // namespace

void trying(const std::string& what) {
  now_tried = what;
  still_trying();
}

void still_trying() {
  std::printf("trying %s\n", now_tried.c_str());
  std::fflush(stdout);
}

void refuse(const std::string& element, float got, double expected, const std::string& where) {
  if (std::isnan(got))
    throw Wrong(element + " is not a number: perhaps it was never written, or something was added to its old value (" +
                where + ")");
  char numbers[64];  // with as many digits as a float has
  std::snprintf(numbers, sizeof numbers, " is %.7g, expected %.7g (", double{got}, expected);
  throw Wrong(element + numbers + where + ")");
}

std::string disturbance(const std::vector<Heat>& heats, double others) {
  constexpr double most_taken = 0.1;
  const auto percent = [](double share) { return std::to_string(std::lround(100 * share)) + "%"; };
  if (others > most_taken) return "other programs took " + percent(others) + " of the processor's time";
  for (const Heat& heat : heats) {
    if (heat.noise.value_or(0) > most_noise)
      return "the same code, timed twice, differed by " + percent(*heat.noise) + " (" + heat.name + ")";
  }
  return "";
}

void check_that_nothing_runs() {
  constexpr int enough = 5, most = 200;  // of 5 ms: a team of OpenMP's threads spins for a while before it sleeps
  int idle = 0;
  for (int times = 0; times < most; ++times) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    idle = others_compute() ? 0 : idle + 1;
    if (idle == enough) return;
  }
  throw Wrong("threads are still computing after it has returned; join them first");
}

int run_trial(const Trial& trial, int argc, char** argv) {
  const std::string_view job = argc == 3 ? argv[1] : "";
  if (job != "check" && job != "count" && job != "race") {
    std::cerr << "usage: yours-" << trial.id << " check|count|race LIBRARY\n";
    return 2;
  }
  void* const library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  void* const kernel = library != nullptr ? dlsym(library, trial.function.c_str()) : nullptr;
  if (kernel == nullptr) {
    std::cout << (library == nullptr ? dlerror() : "the file has no function extern \"C\" " + trial.function) << '\n';
    return 2;
  }
  catch_bad_accesses();
  try {
    std::cout << result_of(trial, job, kernel).dump() << '\n';
    return 0;
  } catch (const Wrong& wrong) {
    std::cout << wrong.what() << '\n';
    return 1;
  } catch (const std::exception& error) {
    std::cout << "throws an exception: " << error.what() << '\n';
    return 1;
  }
}

}  // namespace hf::yours
