// record read FILE...
//   Each record as its readers see it (record/reading.hpp): one JSON object, FILE → record.
// record table FILE [--out DIRECTORY]
//   The same in the form that gnuplot reads.
// record definitions FILE...
//   The derived values in each definitions.json: one JSON object, FILE → list of {"id", "unit", "factors"}, a product
//   of the factors; each is {"id"} or {"number"}, with "divides": true for a divisor. Values for rows are left out.
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "commands.hpp"
#include "record/check.hpp"
#include "record/file.hpp"
#include "record/law.hpp"
#include "record/reading.hpp"
#include "record/record.hpp"
#include "record/text.hpp"

namespace hf {
namespace {

Json load_as_read(const Tool& tool, const std::string& file) {
  return as_read(load_record(file, tool.labs()), tool.labs());
}

Json to_json(const Law& definition) {
  Json factors = Json::array();
  for (const Law::Factor& factor : definition.product) {
    factors.push_back(factor.id.empty() ? Json{{"number", factor.number}} : Json{{"id", factor.id}});
    if (factor.divides) factors.back()["divides"] = true;
  }
  return {{"id", definition.subject}, {"unit", definition.units.front()}, {"factors", factors}};
}

}  // namespace

int read_command(const Tool& tool, const Files& files) {
  Json all = Json::object();
  for (const std::string& file : files) all[file] = load_as_read(tool, file);
  std::cout << all << "\n";
  return 0;
}

int table_command(const Tool& tool, const std::string& file, const std::string& directory) {
  for (const auto& [name, text] : tables(load_as_read(tool, file))) {
    if (directory.empty()) {
      std::cout << "# " << name << "\n" << text << "\n\n";  // two empty lines: the next index in gnuplot
    } else {
      write_if_changed(std::filesystem::path(directory) / name, text);
    }
  }
  return 0;
}

int definitions_command(const Files& files) {
  Json all = Json::object();
  for (const std::string& file : files) {
    all[file] = Json::array();
    for (const Law& definition : parse_definitions(read_file(file, kMostLawsBytes), file)) {
      if (definition.subject.find('[') == std::string::npos) all[file].push_back(to_json(definition));
    }
  }
  std::cout << all << "\n";
  return 0;
}

}  // namespace hf
