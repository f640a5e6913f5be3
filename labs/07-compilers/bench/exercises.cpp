#include "07-compilers/bench/exercises.hpp"

#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "07-compilers/bench/exercises_py.hpp"
#include "harness/command.hpp"
#include "harness/statistics.hpp"

namespace hf::compilers {
namespace {

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

Exercises run_exercises(const std::string& device, std::size_t side, int samples, double seconds) {
  const CommandResult result =
      run_command({"python3", "-c", exercises_py, device, std::to_string(side), std::to_string(samples)}, seconds);
  const std::string line = last_line(result.text), name = "PyTorch's exercises: ";
  switch (result.end) {
    case CommandResult::End::not_started: throw ExercisesFailed(name + "python3 cannot be started");
    case CommandResult::End::out_of_time: throw ExercisesFailed(name + "stopped, for they took too long");
    case CommandResult::End::failed: throw ExercisesFailed(name + line);
    case CommandResult::End::done: break;
  }
  try {
    const nlohmann::json said = nlohmann::json::parse(line);
    const auto estimate_of = [&](const char* which) {
      return estimate(said.at("milliseconds").at(which).get<std::vector<double>>());
    };
    const auto kernels_of = [&](const char* which) { return said.at("kernels").at(which).get<double>(); };
    return {said.at("device").get<std::string>(), estimate_of("unfused"), estimate_of("fused"), kernels_of("unfused"),
            kernels_of("fused")};
  } catch (const std::exception& error) {
    throw ExercisesFailed(name + "said '" + line.substr(0, 100) + "'");
  }
}

}  // namespace hf::compilers
