#include "inputs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "file.hpp"
#include "record.hpp"
#include "sha256.hpp"
#include "tokens.hpp"

namespace hf {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSourceBytes = std::size_t{16} << 20;
constexpr std::string_view kSource = "source:";

// "GNU 12.2.0 → 13.1.0": omits the new compiler's name if it is the old one's.
std::string without_same_name(const std::string& then, const std::string& now) {
  const auto space = now.find(' ');
  const bool name_and_version = space != std::string::npos && now.find(' ', space + 1) == std::string::npos;
  return name_and_version && then.starts_with(now.substr(0, space + 1)) ? now.substr(space + 1) : now;
}

// The digest of a source without its flags: "6b1cbb94b81246a0" for "6b1cbb94b81246a0 -mavx2".
std::string digest_of(const std::string& value) { return value.substr(0, value.find(' ')); }

std::string flags_of(const std::string& value) {
  const auto space = value.find(' ');
  return space == std::string::npos ? "as most" : value.substr(space + 1);
}

std::string change_of_source(const std::string& name, const std::string* then, const std::string* now) {
  const std::string shown = printable(name.substr(kSource.size()));
  if (!then) return shown + " is new";
  if (!now) return shown + " is gone";
  if (digest_of(*then) != digest_of(*now)) return shown + " changed";
  return shown + ": its flags: " + printable(flags_of(*then)) + " → " + printable(flags_of(*now));
}

std::string change(const std::string& name, const std::string* then, const std::string* now) {
  if (name.starts_with(kSource)) return change_of_source(name, then, now);
  const std::string shown = printable(name);
  if (!then) return shown + ": none → " + printable(*now);
  if (!now) return shown + ": " + printable(*then) + " → none";
  return shown + ": " + printable(*then) + " → " + printable(without_same_name(*then, *now));
}

std::set<std::string> contents(const Inputs& inputs) {
  std::set<std::string> values;
  for (const auto& [name, value] : inputs) {
    if (name.starts_with(kSource)) values.insert(value);
  }
  return values;
}

bool is_cpp(const fs::path& source) {
  static const std::set<std::string> extensions = {".cpp", ".hpp", ".cu", ".cuh"};
  return extensions.contains(source.extension().string());
}

}  // namespace

bool can_move_a_number(const std::string& source) {
  const auto says_only = {"labs/record/", "labs/harness/report/", "labs/harness/machine/"};
  return source.starts_with("labs/") &&
         std::ranges::none_of(says_only, [&](const char* room) { return source.starts_with(room); });
}

std::string source_digest(const fs::path& source, std::string_view text) {
  const std::optional<std::string> tokens = is_cpp(source) ? tokens_of(text) : std::nullopt;
  return sha256(tokens ? *tokens : text).substr(0, 16);
}

std::string input_key(const Inputs& inputs) {
  std::string text;
  for (const auto& [name, value] : inputs) {
    if (!name.starts_with(kSource)) (text += name + '\0' + value) += '\n';
  }
  for (const std::string& content : contents(inputs)) text += content + '\n';
  return "sha256:" + sha256(text);
}

Inputs inputs_from(const nlohmann::json& json, const std::string& name) {
  const auto text = [](const nlohmann::json& value) { return value.is_string(); };
  if (!json.is_object() || !std::all_of(json.begin(), json.end(), text)) {
    throw FileError(name + ": expected an object of texts, as `record inputs` writes; build again");
  }
  return json.get<Inputs>();
}

std::vector<std::string> changes(const Inputs& then, Inputs now) {
  // Some published records do not contain the flags of single files.
  if (std::ranges::none_of(contents(then),
                           [](const std::string& value) { return value.find(' ') != std::string::npos; })) {
    for (auto& [name, value] : now) value = name.starts_with(kSource) ? digest_of(value) : value;
  }
  const std::set<std::string> contents_then = contents(then), contents_now = contents(now);
  Inputs either = then;
  either.insert(now.begin(), now.end());
  std::vector<std::string> lines;
  for (const auto& [name, ignored] : either) {
    const Inputs::const_iterator before = then.find(name), after = now.find(name);
    const std::string* old_value = before == then.end() ? nullptr : &before->second;
    const std::string* new_value = after == now.end() ? nullptr : &after->second;
    if (old_value && new_value && *old_value == *new_value) continue;
    if ((name.starts_with("isa:") || name.starts_with("has:")) && !(old_value && new_value)) continue;
    const bool kept = !old_value || contents_now.contains(*old_value),
               known = !new_value || contents_then.contains(*new_value);
    if (name.starts_with(kSource) && kept && known) continue;
    lines.push_back(change(name, old_value, new_value));
  }
  return lines;
}

std::map<std::string, std::string> source_digests(const fs::path& root) {
  if (!fs::is_directory(root)) throw FileError(root.string() + ": no such folder; name the checkout with --tree");
  std::map<std::string, std::string> digests;
  if (!fs::is_directory(root / "labs")) return digests;
  for (const auto& entry : fs::recursive_directory_iterator(root / "labs")) {
    const std::string name = entry.path().lexically_relative(root).generic_string();
    // Skips symbolic links and files that are too large to be a source.
    if (entry.is_symlink() || !entry.is_regular_file() || entry.file_size() > kMaxSourceBytes ||
        !can_move_a_number(name))
      continue;
    digests[name] = source_digest(name, read_file(entry.path(), kMaxSourceBytes));
  }
  return digests;
}

std::vector<std::string> changed_sources(const Inputs& then, const std::map<std::string, std::string>& checkout) {
  std::set<std::string> present, recorded;
  for (const auto& [name, digest] : checkout) present.insert(digest);
  for (const std::string& content : contents(then)) recorded.insert(digest_of(content));
  std::vector<std::string> lines;
  for (const auto& [name, value] : then) {
    if (!name.starts_with(kSource)) continue;
    const auto now = checkout.find(name.substr(kSource.size()));
    // Reports a changed file even if a copy of its old content exists elsewhere, unless its new content was recorded
    // too.
    const bool known = now == checkout.end() || recorded.contains(now->second);
    if (known && present.contains(digest_of(value))) continue;
    lines.push_back(change_of_source(name, &value, now == checkout.end() ? nullptr : &now->second));
  }
  return lines;
}

std::vector<std::string> staleness(const nlohmann::json& record, const Inputs& now, const std::string& budget) {
  auto lines = changes(record.at("lab").at("inputs").get<Inputs>(), now);
  if (budget == "full" && record.at("run").at("budget") == "quick") lines.push_back("budget: quick → full");
  return lines;
}

std::string without_paths(const std::string& flags) {
  // A path begins after anything but a name, or after the letters of an option. It may be quoted, and may contain blanks
  // that have a backslash before them. A relative one may leave its folder.
  static const std::string before = R"re((^|[^\w./)-]|-[A-Za-z]|-i[a-z]+))re",
                           start = R"re((?:~[\w-]*|(?:[\w.+][\w.+-]*/)*\.\.)?/)re",
                           rest = R"re((?:\\.|[^\s=:,;"'\\{}()<>|])*)re";
  static const std::regex path(before + "(\"" + start + "[^\"]*\"|'" + start + "[^']*'|" + start + rest + ")");
  return std::regex_replace(flags, path, "$1…");
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
