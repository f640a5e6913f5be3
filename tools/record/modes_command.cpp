// record modes [--json] FILE...
//   Which numbers of a record were measured in two states? Those that the record says, and in one from before there were
//   modes those whose samples fall into two groups (labs/harness/measure/samples.hpp).
//   Plain: one line for each, "FILE: bandwidth_dram_all_gbs: 15.6 GB/s in 8 of 31 samples, 38 GB/s in 23".
//   With --json: one object, FILE → id of a value → its modes, as in a record; points of series are left out.
//   Exit status: 0, or 2 where a file is no valid record (it is named on standard error, and the others are answered).
#include <cmath>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "harness/measure/samples.hpp"
#include "harness/report/terminal.hpp"
#include "record/record.hpp"

namespace hf {
namespace {

Json to_json(const Mode& mode) { return {{"median", mode.median}, {"share", mode.share}}; }

// The modes of a point or a value; null where it has none.
Json modes_of(const Json& number) {
  if (number.contains("modes")) return number.at("modes");
  if (!number.contains("samples")) return nullptr;
  const std::optional<TwoModes> modes = two_modes(number.at("samples").get<std::vector<double>>());
  return modes ? Json{to_json(modes->low), to_json(modes->high)} : Json(nullptr);
}

Json modes_of_values(const Json& record) {
  Json all = Json::object();
  for (const Json& value : record.at("values")) {
    if (Json modes = modes_of(value); !modes.is_null()) all[value.at("id").get<std::string>()] = std::move(modes);
  }
  return all;
}

void say(const std::string& what, const Json& number, const std::string& unit) {
  const Json modes = modes_of(number);
  if (modes.is_null()) return;
  const double count = static_cast<double>(number.at("samples").size());
  const auto median = [&](int i) {
    return number_text(modes[i].at("median")) + (unit == "1" ? "" : " " + unit) + " in " +
           std::to_string(std::lround(modes[i].at("share").get<double>() * count));
  };
  std::cout << printable(what) << ": " << median(0) << " of " << count << " samples, " << median(1) << "\n";
}

void say_all(const std::string& file, const Json& record) {
  for (const Json& series : record.at("series")) {
    for (const Json& point : series.at("points")) {
      const std::string place = point.value("label", number_text(point.at("x")));
      say(file + ": " + series.at("id").get<std::string>() + " at " + place, point, series.at("y").at("unit"));
    }
  }
  for (const Json& value : record.at("values")) {
    say(file + ": " + value.at("id").get<std::string>(), value, value.at("unit"));
  }
}

}  // namespace

// Every file is looked at, so that one bad record does not hide the next.
int modes_command(const Tool& tool, const Files& files, bool json) {
  Json all = Json::object();
  int status = 0;
  for (const std::string& file : files) {
    try {
      const Json record = load_record(file, tool.labs());
      if (json) all[file] = modes_of_values(record);
      if (!json) say_all(file, record);
    } catch (const FileError& error) {
      std::cerr << error.what() << "\n";
      status = 2;
    }
  }
  if (json) std::cout << all.dump(1) << "\n";
  return status;
}

}  // namespace hf
