// record upgrade [--tree DIR] FILE...
//   Rewrites records of schema 3 as schema 4, in place. In schema 4 a source counts by its tokens, so its text is
//   needed: it is searched in everything that the history of the checkout (or DIR) has ever had below labs/. A source
//   that is not found keeps the digest of its bytes, is named, and counts as changed.
//   Exit status: 0, or 2 if a file is not a record or would not become a good one (it is named on standard error and
//   left alone; the others are upgraded).
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "harness/measure/command.hpp"
#include "record/check.hpp"
#include "record/inputs.hpp"
#include "record/record.hpp"
#include "record/sha256.hpp"
#include "record/text.hpp"

namespace hf {
namespace {

namespace fs = std::filesystem;

using Texts = std::map<std::string, std::string>;  // SHA-256 → the text with that digest

// Everything ever committed below labs/, in sixteen parts, by the first digit of git's hash of a text, because
// output_of() keeps only the beginning of long output.
Texts history_of(const fs::path& tree) {
  const std::string tell =
      "git -C \"$0\" rev-list --all --full-history --objects --no-object-names --filter=object:type=blob "
      "--filter-provided-objects "
      "-- labs | grep \"^$1\" | git -C \"$0\" cat-file --batch";
  Texts texts;
  for (const char digit : std::string("0123456789abcdef")) {
    std::istringstream told(output_of({"sh", "-c", tell, tree.string(), {digit}}));
    std::string name, type;
    for (std::size_t size = 0; told >> name >> type >> size;) {
      std::string text(size, '\0');
      told.get();
      told.read(text.data(), static_cast<std::streamsize>(size));
      std::string digest = sha256(text);
      texts[std::move(digest)] = std::move(text);
    }
  }
  if (texts.empty()) throw FileError(tree.string() + ": expected a checkout with its history; name one with --tree");
  return texts;
}

// Whether a source, by the name it had then, can affect a number. The record format can't, nor can the parts of the instrument
// that only report or identify the machine.
bool still_counts(const std::string& source) {
  static const std::regex others(
      R"((tools|labs/record(?!/samples\.))/.*|.*/(CMakeLists\.txt|(laws|claims)\.json)|labs/harness/(commit|conditions|gpu|)"
      R"(lab|lab_record|lab_texts|lock|machine\w*|microarchitecture|plot|run_lab|system_state|table|terminal|text)\..*)");
  return !std::regex_match(source, others);
}

Inputs upgraded_inputs(const Inputs& then, const Texts& texts, std::vector<std::string>& missing) {
  const std::string prefix = "source:";
  Inputs now = {{"schema", std::to_string(kSchemaVersion)}};
  for (const auto& [name, value] : then) {
    const std::string path = name.starts_with(prefix) ? name.substr(prefix.size()) : "";
    if (path.empty()) {
      now.insert({name, value});
    } else if (still_counts(path)) {
      const auto text = texts.lower_bound(value);
      const bool found = !value.empty() && text != texts.end() && text->first.starts_with(value);
      if (!found) missing.push_back(path);
      now[name] = found ? source_digest(path, text->second) : value.substr(0, 16);
    }
  }
  return now;
}

// Instruction sets used to be part of the line that identifies a machine: "CPU; avx2 fma; 2 cores; …".
void part_instruction_sets(Inputs& inputs, const Json& isa) {
  std::string all;
  for (const std::string name : isa) {
    all += (all.empty() ? "" : " ") + name;
    inputs["isa:" + name] = "yes";
  }
  std::string& machine = inputs["machine"];
  const auto at = machine.find("; " + all + "; ");
  if (at != std::string::npos) machine.erase(at, all.size() + 2);
}

// `record` has the shape of one.
Json upgraded(Json record, const Texts& texts, std::vector<std::string>& missing) {
  Json& lab = record["lab"];
  Inputs inputs = upgraded_inputs(lab["inputs"], texts, missing);
  if (inputs.contains("machine")) part_instruction_sets(inputs, record["machine"]["isa"]);
  lab["inputs"] = inputs;
  lab["key"] = input_key(inputs);
  return record;
}

void refuse(const std::string& file, const std::vector<Problem>& problems) {
  if (!problems.empty()) throw FileError(line(file, problems.front()));
}

void upgrade(const std::string& file, const Tool& tool, std::optional<Texts>& texts) {
  Json record = load_json(file);
  const bool old = is_upgradable(record);
  if (old) record["schema"] = kSchemaVersion;
  refuse(file, check_schema(record));
  if (!old) return void(std::cout << printable(file) << ": already has schema " << kSchemaVersion << "\n");
  if (!texts) texts = history_of(tool.tree);
  std::vector<std::string> missing;
  record = upgraded(std::move(record), *texts, missing);
  refuse(file, check(record));
  write_atomically(file, record_text(record));
  std::cout << printable(file) << ": upgraded\n";
  for (const std::string& path : missing) {
    std::cout << printable(file + ": " + path) << ": this version is not in the history; it counts as changed\n";
  }
}

}  // namespace

// Upgrades every file, so that one bad record does not hide the next.
int upgrade_command(const Tool& tool, const Files& files) {
  std::optional<Texts> texts;
  int status = 0;
  for (const std::string& file : files) {
    try {
      upgrade(file, tool, texts);
    } catch (const FileError& error) {
      std::cerr << error.what() << "\n";
      status = 2;
    }
  }
  return status;
}

}  // namespace hf
