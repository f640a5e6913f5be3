#include "inputs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "file.hpp"
#include "record.hpp"
#include "sha256.hpp"

namespace hf {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSourceBytes = std::size_t{16} << 20;
const std::string kSource = "source:";

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

bool only_prints(const std::string& source) {
  static const std::set<std::string> sources = {"labs/harness/terminal.cpp", "labs/harness/terminal.hpp",
                                                "labs/harness/text.hpp", "labs/record/claims.cpp",
                                                "labs/record/claims.hpp"};
  return sources.contains(source);
}

std::string source_digest(std::string_view text) { return sha256(text).substr(0, 16); }

bool is_digest_of(const std::string& recorded, std::string_view text) {
  return recorded.starts_with(source_digest(text)) && sha256(text).starts_with(recorded);
}

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
    if (!name.starts_with(kSource) || only_prints(name.substr(kSource.size()))) continue;
    named[name] = hash;
    const fs::path file = fs::path(name.substr(kSource.size())).lexically_normal();
    const bool inside = file.is_relative() && !file.empty() && *file.begin() != "..";
    if (!inside || !fs::is_regular_file(root / file)) continue;
    const std::string text = read_file(root / file, kMaxSourceBytes);
    present[name] = is_digest_of(hash, text) ? hash : source_digest(text);
  }
  return changes(named, present);
}

std::vector<std::string> staleness(const nlohmann::json& record, const Inputs& now, const std::string& budget) {
  auto lines = changes(record.at("lab").at("inputs").get<Inputs>(), now);
  if (budget == "full" && record.at("run").at("budget") == "quick") lines.push_back("budget: quick → full");
  return lines;
}

std::string library_name(const fs::path& file) {
  const std::string name = file.filename().string();
  for (const char* suffix : {".so", ".a"}) {
    const auto at = name.rfind(suffix);
    if (at != std::string::npos) return name.substr(0, at);
  }
  return name;
}

std::string library_identity(const fs::path& file) {
  constexpr std::uintmax_t most = std::uintmax_t{32} << 20;
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  const std::uintmax_t bytes = error ? 0 : fs::file_size(real, error);
  if (error) return "none";
  const std::string name = real.filename().string();
  if (bytes > most) return name + ", " + std::to_string(bytes) + " bytes";
  return name + ", sha256 " + sha256(read_file(real, most)).substr(0, 12);
}

}  // namespace hf
