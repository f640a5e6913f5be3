#include "08-your-model/peers/model_tool.hpp"

#include <filesystem>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "08-your-model/peers/package_files.hpp"
#include "harness/measure/command.hpp"
#include "harness/measure/number_text.hpp"
#include "harness/measure/threads.hpp"
#include "record/file.hpp"

namespace hf::your_model {
namespace {

constexpr double patience_seconds = 300;

Operation operation_from(const nlohmann::json& json) {
  return {.module = json.at("module"),
          .kind = json.at("kind"),
          .shapes = json.at("shapes"),
          .waits = json.at("waits"),
          .flops = json.at("flops"),
          .bytes = json.at("bytes"),
          .predicted_s = json.at("predicted_s"),
          .seconds = json.value("seconds", std::vector<double>())};
}

}  // namespace

double Report::predicted_s() const {
  return std::accumulate(operations.begin(), operations.end(), 0.0,
                         [](double sum, const Operation& each) { return sum + each.predicted_s; });
}

Report read_report(const std::string& network, const std::string& text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    Report report = {.torch = json.at("torch"),
                     .call_s = json.at("call_ns").get<double>() * 1e-9,
                     .page_s = json.at("page_ns").get<double>() * 1e-9,
                     .whole_s = json.value("whole_s", std::vector<double>()),
                     .watched_s = json.value("watched_s", std::vector<double>()),
                     .operations = {}};
    for (const nlohmann::json& each : json.at("operations")) report.operations.push_back(operation_from(each));
    return report;
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(network + ": python3 -m model did not print a report: " + error.what());
  }
}

ModelTool::ModelTool(const std::string& roofs) {
  for (const PackageFile& file : package_files) write_atomically(folder_.path() / file.path, file.text);
  write_atomically(folder_.path() / "roofs.json", roofs);
}

Report ModelTool::predict(const std::string& network, int threads) const {
  return run(network, threads, {"--predict-only"});
}

Report ModelTool::time(const std::string& network, int threads, double seconds) const {
  return run(network, threads, {"--seconds", number_text(seconds)});
}

std::map<std::string, std::vector<double>> ModelTool::seconds(const std::string& program, int threads,
                                                              const std::string& setting) const {
  const std::string text = output_of(program, {(folder_.path() / program).string(), std::to_string(threads)}, setting);
  try {
    return nlohmann::json::parse(text).get<std::map<std::string, std::vector<double>>>();
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(program + " did not print its times: " + error.what());
  }
}

Report ModelTool::run(const std::string& network, int threads, const std::vector<std::string>& options) const {
  std::vector<std::string> arguments = {"-m",
                                        "model",
                                        (folder_.path() / network).string(),
                                        "--roofs",
                                        (folder_.path() / "roofs.json").string(),
                                        "--threads",
                                        std::to_string(threads),
                                        "--json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return read_report(network, output_of(network, arguments));
}

/// What python3 prints. \param file  of the package, for the error
std::string ModelTool::output_of(const std::string& file, const std::vector<std::string>& arguments,
                                 const std::string& setting) const {
  std::vector<std::string> command = {"env", "PYTHONPATH=" + folder_.path().string()};
  if (!setting.empty()) command.push_back(setting);
  command.insert(command.end(), {"python3", "-W", "ignore"});
  command.insert(command.end(), arguments.begin(), arguments.end());
  unpin();  // a command inherits the cores of the thread that starts it
  CommandResult result = run_command(command, patience_seconds, Listen::output);
  switch (result.end) {
    case CommandResult::End::done: return std::move(result.text);
    case CommandResult::End::out_of_time:
      throw std::runtime_error(file + ": no answer within " + std::to_string(static_cast<int>(patience_seconds)) +
                               " s");
    default:
      throw std::runtime_error("labs/08-your-model/" + file +
                               ": python3 failed; if this is a network, make model FILE=" + "labs/08-your-model/" +
                               file + " says why");
  }
}

}  // namespace hf::your_model
