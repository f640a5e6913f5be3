#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "record/check.hpp"
#include "record/file.hpp"
#include "record/record.hpp"
#include "record/schema.hpp"
#include "record/text.hpp"

namespace hf {
namespace {

namespace fs = std::filesystem;

std::string slug_of(const Json& record) { return record.at("/machine/slug"_json_pointer); }

// figures/browsers/NAME for figures/records/NAME: a record from a reader's browser is published separately.
fs::path folder_of(const Json& record, const fs::path& machines) {
  return is_browsers(record) ? machines.parent_path().parent_path() / "browsers" / machines.filename() : machines;
}

Json load_publishable(const std::string& file, const Tool& tool) {
  Json record = load_record(file, tool.labs());
  const auto problems = is_browsers(record) ? std::vector<Problem>{} : check_publishable(record);
  if (!problems.empty()) throw FileError(line(file, problems.front()));
  if (record.at("toolchain").value("dirty", false)) {
    std::cerr << printable(file) << ": warning: published, although its sources had uncommitted changes\n";
  }
  return record;
}

// A record in the folder, or about to be: its file, its source, and its machine.
struct Publication {
  fs::path to;
  std::string from, slug;
};

void refuse_second(const std::vector<Publication>& all, const Publication& next) {
  for (const Publication& other : all) {
    if (other.to != next.to) continue;
    throw FileError(printable(next.from) + ": /lab/id: expected each lab once, but " + printable(other.from) +
                    " is of the same lab; name only one of them");
  }
}

// A folder belongs to one machine: the records published now, and those already there.
void refuse_other_machine(const std::vector<Publication>& all) {
  const fs::path folder = all.front().to.parent_path();
  std::map<fs::path, std::string> slugs;
  if (fs::is_directory(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".json") slugs[entry.path()] = slug_of(load_record(entry.path()));
    }
  }
  for (const Publication& each : all) slugs[each.to] = each.slug;
  for (const Publication& each : all) {
    for (const auto& [file, slug] : slugs) {
      if (slug == each.slug) continue;
      throw FileError(printable(each.from) + ": /machine/slug: expected " + slug + ", as in " +
                      printable(file.string()) + ", not " + each.slug + "; give each machine a folder of its own");
    }
  }
}

}  // namespace

// Checks all records before it writes any, and writes all or none: a refused record or a full disk publishes nothing.
int publish_command(const Tool& tool, const Files& files, const std::string& directory) {
  if (const std::string refused = refused_folder(directory); !refused.empty()) throw FileError(refused);
  std::vector<Publication> all;
  std::vector<Writing> changed;
  std::string said;
  for (const std::string& file : files) {
    const Json record = load_publishable(file, tool);
    const auto name = record.at("/lab/id"_json_pointer).get<std::string>() + ".json";
    const Publication next = {folder_of(record, directory) / name, file, slug_of(record)};
    refuse_second(all, next);
    all.push_back(next);
    const Writing writing = {next.to, record_text(record)};
    const bool same = holds(writing.file, writing.text);
    said += printable(next.to.string()) + (same ? ": already published\n" : ": published\n");
    if (!same) changed.push_back(writing);
  }
  refuse_other_machine(all);
  write_atomically(changed);
  std::cout << said;
  return 0;
}

}  // namespace hf
