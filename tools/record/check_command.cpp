// record check [--publish] [--advise-speed] [--json] FILE-OR-DIR...
//   Reports the problems of each record; exit status 1 if there are any. A folder must be one of published records,
//   such as figures/records: it contains only MACHINE/NN-slug.json; each record is publishable, and is named after its
//   lab, which exists; all records in one MACHINE, a name that may be part of an address, are from one machine. With a
//   folder, the laws.json and claims.json of all labs are checked too, for `make check`.
//   With --advise-speed, a number that breaks a speed law (speed_laws.hpp) is only a warning on standard error: for
//   tests on a busy host, and for the NN-slug.refused.json that a lab has left.
//   Plain: one line for each problem on standard error, "FILE: /json/pointer: what was expected; remedy", and "FILE:
//   good" for a record without problems. With --json: one object on standard output, FILE → list of those lines, empty
//   for a good record.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "commands.hpp"
#include "record/check.hpp"
#include "record/claims.hpp"
#include "record/law.hpp"
#include "record/record.hpp"
#include "record/schema.hpp"
#include "speed_laws.hpp"

namespace hf {
namespace {

namespace fs = std::filesystem;

class Checks {
 public:
  Checks(const fs::path& labs, bool advise_speed) : labs_(labs), advise_speed_(advise_speed) {}

  // Checks every file, so that one bad record does not hide the next. `more` checks a record that is good so far.
  template <typename More>
  void file(const fs::path& file, More more) {
    Lines& lines = said_[file.string()];
    try {
      const Json record = load_json(file);
      auto problems = check(record, this_identity(), labs_);
      if (advise_speed_ && !problems.empty() && check_schema(record).empty()) warn_of_speed(file, record, problems);
      if (problems.empty()) problems = more(record);
      for (const Problem& problem : problems) lines.push_back(line(file.string(), problem));
    } catch (const std::exception& error) {  // an error in one record must not affect the others
      lines.push_back(printable(error.what()));
    }
  }

  void folder(const fs::path& folder) {
    for (const fs::path& machine : sorted(folder)) {
      if (!fs::is_directory(fs::symlink_status(machine))) {
        said_[machine.string()] = {printable(machine.string()) +
                                   ": expected a folder of one machine's records; move or remove it"};
        continue;
      }
      if (const std::string refused = refused_folder(machine); !refused.empty()) {
        said_[machine.string()] = {refused};
        continue;
      }
      std::string slug;  // of the first record in it
      for (const fs::path& record : sorted(machine)) {
        if (fs::is_symlink(record)) {
          said_[record.string()] = {printable(record.string()) +
                                    ": expected a record, not a link to one; copy it here"};
          continue;
        }
        file(record, [&](const Json& good) {
          const auto problems = check_publishable(good);
          return problems.empty() ? misplaced(record, good, slug) : problems;
        });
      }
    }
  }

  // The labs' data files: laws, definitions and claims.
  void labs() {
    if (!fs::is_directory(labs_)) return;
    for (const fs::path& lab : sorted(labs_)) {
      const std::string id = lab.filename().string();
      try {
        load_laws(labs_, id);
        load_definitions(labs_, id);
        load_claims(labs_, id);
      } catch (const FileError& error) {
        said_[lab.string()] = {error.what()};
      }
    }
  }

  void print() const {
    for (const auto& [file, lines] : said_) {
      for (const std::string& line : lines) std::cerr << line << "\n";
      if (lines.empty())
        std::cout << printable(file) << (warned_.contains(file) ? ": good, except for laws about speed\n" : ": good\n");
    }
  }

  void print_json() const { std::cout << Json(said_).dump(1, ' ', false, Json::error_handler_t::replace) << "\n"; }

  int status() const {
    return std::all_of(said_.begin(), said_.end(), [](const auto& file) { return file.second.empty(); }) ? 0 : 1;
  }

 private:
  using Lines = std::vector<std::string>;

  static std::vector<fs::path> sorted(const fs::path& folder) {
    std::vector<fs::path> entries;
    for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
    std::sort(entries.begin(), entries.end());
    return entries;
  }

  // Removes from `problems` those that a busy host may have caused.
  void warn_of_speed(const fs::path& file, const Json& record, std::vector<Problem>& problems) {
    for (const Problem& broken : broken_speed_laws(record, labs_)) {
      const auto is_it = [&](const Problem& each) {
        return each.pointer == broken.pointer && each.expected == broken.expected;
      };
      if (std::erase_if(problems, is_it) == 0) continue;
      warned_.insert(file.string());
      std::cerr << line(file.string() + ": warning", broken) << "\n";
    }
  }

  std::vector<Problem> misplaced(const fs::path& file, const Json& record, std::string& slug) const {
    std::vector<Problem> problems;
    if (!is_plain_utf8(file)) {
      problems.push_back({"", "expected UTF-8 text without a byte-order mark, and no zero bytes behind it",
                          "publish the file with make publish, which writes it so"});
    }
    const auto& id = record.at("/lab/id"_json_pointer).get_ref<const std::string&>();
    if (file.filename() != id + ".json") {
      problems.push_back({"/lab/id", "expected the file's name, not " + id, "name the file " + id + ".json"});
    }
    if (fs::is_directory(labs_) && !fs::is_directory(labs_ / id)) {
      problems.push_back({"/lab/id", "expected an existing lab, not " + id, "remove the record"});
    }
    const auto& own = record.at("/machine/slug"_json_pointer).get_ref<const std::string&>();
    if (slug.empty()) slug = own;
    if (own != slug) {
      problems.push_back({"/machine/slug", "expected " + slug + ", as in the records beside it, not " + own,
                          "give each machine a folder of its own"});
    }
    return problems;
  }

  fs::path labs_;
  bool advise_speed_;
  std::set<std::string> warned_;       // files that break a speed law, which is no reason to refuse them
  std::map<std::string, Lines> said_;  // the problems of each file; empty if it is good
};

}  // namespace

int check_command(const Tool& tool, const Files& files, bool publish, bool advise_speed, bool json) {
  Checks checks(tool.labs(), advise_speed);
  for (const std::string& each : files) {
    if (fs::is_directory(each)) {
      checks.labs();
      checks.folder(each);
    } else {
      checks.file(each, [&](const Json& good) { return publish ? check_publishable(good) : std::vector<Problem>(); });
    }
  }
  if (json) checks.print_json();
  if (!json) checks.print();
  return checks.status();
}

}  // namespace hf
