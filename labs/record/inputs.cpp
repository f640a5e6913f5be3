#include "inputs.hpp"

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>

#include "record.hpp"
#include "sha256.hpp"

namespace hf {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSourceBytes = std::size_t{16} << 20;
const std::string kSource = "source:";

std::optional<std::string> included_name(const std::string& line) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)")re");
  std::smatch match;
  if (line.size() > 4096 || !std::regex_search(line, match, include)) return std::nullopt;
  return match[1];
}

class Scanner {
 public:
  Scanner(const fs::path& root, const std::vector<fs::path>& include_directories)
      : root_(fs::weakly_canonical(root)), include_directories_(include_directories) {}

  // The path of `file` relative to the root, empty where it lies outside.
  std::string name(const fs::path& file) const {
    const fs::path relative = fs::weakly_canonical(file).lexically_relative(root_);
    return relative.empty() || *relative.begin() == ".." ? "" : relative.generic_string();
  }

  void scan(const fs::path& file) {
    const std::string name = this->name(file);
    if (name.empty() || found_.contains(kSource + name)) return;
    const std::string text = read_file(file, kMaxSourceBytes);
    found_[kSource + name] = sha256(text);

    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const auto included = included_name(line);
      if (!included) continue;
      if (const auto target = resolve(file.parent_path(), *included)) scan(*target);
    }
  }

  Inputs found() const { return found_; }

 private:
  // A name that is found nowhere belongs to the system, or to a branch of #if that this build does not take.
  std::optional<fs::path> resolve(const fs::path& beside, const std::string& included) const {
    if (fs::is_regular_file(beside / included)) return beside / included;
    for (const fs::path& directory : include_directories_) {
      if (fs::is_regular_file(directory / included)) return directory / included;
    }
    return std::nullopt;
  }

  fs::path root_;
  std::vector<fs::path> include_directories_;
  Inputs found_;
};

// "GNU 12.2.0 → 13.1.0": the new compiler's name is left out where it is the old one's.
std::string without_same_name(const std::string& then, const std::string& now) {
  const auto space = now.find(' ');
  const bool name_and_version = space != std::string::npos && now.find(' ', space + 1) == std::string::npos;
  return name_and_version && then.starts_with(now.substr(0, space + 1)) ? now.substr(space + 1) : now;
}

std::string change(const std::string& name, const std::string* then, const std::string* now) {
  const bool source = name.starts_with(kSource);
  const std::string shown = printable(source ? name.substr(kSource.size()) : name);
  if (!then) return shown + (source ? " is new" : ": none → " + printable(*now));
  if (!now) return shown + (source ? " is gone" : ": " + printable(*then) + " → none");
  return shown + (source ? " changed" : ": " + printable(*then) + " → " + printable(without_same_name(*then, *now)));
}

}  // namespace

std::string input_key(const Inputs& inputs) {
  std::string text;
  for (const auto& [name, value] : inputs) (text += name + '\0' + value) += '\n';
  return "sha256:" + sha256(text);
}

Inputs inputs_from(const nlohmann::json& json, const std::string& name) {
  const auto text = [](const nlohmann::json& value) { return value.is_string(); };
  if (!json.is_object() || !std::all_of(json.begin(), json.end(), text)) {
    throw FileError(name + ": expected an object of texts, as `record inputs` writes; build again");
  }
  return json.get<Inputs>();
}

Inputs source_inputs(const fs::path& root, const std::vector<fs::path>& sources,
                     const std::vector<fs::path>& include_directories) {
  Scanner scanner(root, include_directories);
  for (const fs::path& source : sources) {
    if (scanner.name(source).empty()) {
      throw FileError(source.string() + ": expected a source inside " + root.string() + "; correct --root");
    }
    scanner.scan(source);
  }
  return scanner.found();
}

std::vector<std::string> changes(const Inputs& then, const Inputs& now) {
  Inputs either = then;
  either.insert(now.begin(), now.end());
  std::vector<std::string> lines;
  for (const auto& [name, ignored] : either) {
    const auto before = then.find(name);
    const auto after = now.find(name);
    const std::string* old_value = before == then.end() ? nullptr : &before->second;
    const std::string* new_value = after == now.end() ? nullptr : &after->second;
    if (old_value && new_value && *old_value == *new_value) continue;
    lines.push_back(change(name, old_value, new_value));
  }
  return lines;
}

std::vector<std::string> changed_sources(const Inputs& then, const fs::path& root) {
  if (!fs::is_directory(root)) throw FileError(root.string() + ": no such folder; name the checkout with --tree");
  Inputs named, present;
  for (const auto& [name, hash] : then) {
    if (!name.starts_with(kSource)) continue;
    named[name] = hash;
    const fs::path file = fs::path(name.substr(kSource.size())).lexically_normal();
    const bool inside = file.is_relative() && !file.empty() && *file.begin() != "..";
    if (inside && fs::is_regular_file(root / file)) present[name] = sha256(read_file(root / file, kMaxSourceBytes));
  }
  return changes(named, present);
}

std::vector<std::string> staleness(const nlohmann::json& record, const Inputs& now, const std::string& budget) {
  auto lines = changes(record.at("lab").at("inputs").get<Inputs>(), now);
  if (budget == "full" && record.at("run").at("budget") == "quick") lines.push_back("budget: quick → full");
  return lines;
}

}  // namespace hf
