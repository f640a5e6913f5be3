#include "yours/trial.hpp"

#include <dlfcn.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/measure/statistics.hpp"
#include "harness/report/lock.hpp"
#include "yours/guarded.hpp"

namespace hf::yours {
namespace {

std::string now_tried;

bool is_quick() {
  const char* const budget = std::getenv("BUDGET");
  return budget != nullptr && std::string_view(budget) == "quick";
}

double process_cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

nlohmann::json to_json(const std::vector<Heat>& heats, const std::string& unit) {
  nlohmann::json result = {{"unit", unit}, {"heats", nlohmann::json::array()}};
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

nlohmann::json result_of(const Trial& trial, std::string_view job, void* kernel) {
  if (job == "count") return to_json(trial.count(kernel));
  if (job == "race") {
    const MeasuringLock alone([](double) {
      std::printf("waiting for another measurement to end\n");
      std::fflush(stdout);
    });
    return to_json(trial.race(kernel, is_quick()), trial.unit);
  }
  trial.check(kernel);
  check_that_nothing_runs();
  return {{"right", true}};
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
  if (std::isnan(got)) throw Wrong(element + " is not a number: perhaps it was never written (" + where + ")");
  char numbers[64];  // with as many digits as a float has
  std::snprintf(numbers, sizeof numbers, " is %.7g, expected %.7g (", double{got}, expected);
  throw Wrong(element + numbers + where + ")");
}

void check_that_nothing_runs() {
  constexpr std::chrono::milliseconds moment(50);
  std::this_thread::sleep_for(moment);  // a team of OpenMP's threads spins for a few milliseconds before it sleeps
  const double before = process_cpu_seconds();
  std::this_thread::sleep_for(moment);
  if (process_cpu_seconds() - before > 0.025)
    throw Wrong("threads still compute after it has returned; join them first");
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
    std::cout << (library == nullptr ? dlerror() : "has no function extern \"C\" " + trial.function) << '\n';
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
