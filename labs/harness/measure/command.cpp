#include "command.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "child_process.hpp"

namespace hf {

CommandResult run_command(const std::vector<std::string>& command, double seconds, Listen listen) {
  const auto start = [&](int to) {
    return ChildProcess(command, {.output = to, .errors = listen == Listen::output ? -1 : to});
  };
  Ended ended = hear_child(seconds, std::chrono::seconds(1), start);
  const auto end = ended.error != 0 ? CommandResult::End::not_started
                   : !ended.in_time ? CommandResult::End::out_of_time
                   : ended.well()   ? CommandResult::End::done
                                    : CommandResult::End::failed;
  return {end, std::move(ended.text)};
}

std::string output_of(const std::vector<std::string>& command) {
  constexpr double seconds = 600;
  CommandResult result = run_command(command, seconds, Listen::output);
  return result.end == CommandResult::End::done ? std::move(result.text) : "";
}

}  // namespace hf
