#include "check.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "characters.hpp"
#include "record.hpp"

namespace hf {
namespace {

struct Pattern {
  const char* what;
  char trait;  // a character in each match: a text without it needs no regex
  std::regex regex;
};

const std::string kBoundary = R"((^|[\s=:,;"'(\[]))";

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = {
      {"an absolute path", '/',
       std::regex(kBoundary + R"((-[A-Za-z])?/(?!(usr|lib|lib64|bin|etc|proc|sys|dev|opt)/)[\w.-]+/)")},
      {"a path in a home directory", '~', std::regex(kBoundary + R"((-[A-Za-z])?~\w*/)")},
      {"an absolute path", '\\', std::regex(R"(\b[A-Za-z]:\\)")},
      {"an e-mail address", '@', std::regex(R"([\w.%+-]@[\w-]+(\.[\w-]+)*\.[A-Za-z]{2,}\b)")},
      {"a MAC address", ':', std::regex(R"(\b([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}\b)")},
      {"a MAC address", '-', std::regex(R"(\b([0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}\b)")},
      {"a UUID", '-', std::regex(R"(\b[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b)")}};
  return all;
}

const std::regex& ipv4() {
  static const std::regex regex(R"(\b((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)\b)");
  return regex;
}

// Versions with four parts look like IPv4 addresses, and are allowed here.
bool holds_versions(const std::string& pointer) {
  return pointer.starts_with("/toolchain/libraries") || pointer.starts_with("/lab/inputs/library:") ||
         pointer.ends_with("/driver");
}

// Paths in texts that come from the machine, in which they may begin after any character that is in no name.
const std::vector<Pattern>& patterns_of_the_machine() {
  static const std::string start = R"((^|[^\w./)-]|-[A-Za-z]))";
  static const std::vector<Pattern> all = {
      {"an absolute path", '/', std::regex(start + R"(/(?!(usr|lib|lib64|bin|etc|proc|sys|dev|opt)/)[\w.-]+/)")},
      {"a path in a home directory", '/', std::regex(R"((^|[^\w-]|-[A-Za-z])(home|Users)/\w)")},
      {"a path that leaves its folder", '/', std::regex(start + R"((\.\./)+\w|/\.\./)")}};
  return all;
}

bool told_by_the_machine(const std::string& pointer) {
  static const std::array kPlaces = {"/machine/", "/toolchain/", "/run/notes/", "/lab/inputs/"};
  return !pointer.starts_with("/machine/isa/") &&
         std::any_of(kPlaces.begin(), kPlaces.end(), [&](const char* place) { return pointer.starts_with(place); });
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

// True if `text` contains `name` where `fits` accepts the characters before and after it; NUL stands for either end.
template <typename Fits>
bool has(const std::string& text, const std::string& name, Fits fits) {
  if (name.empty()) return false;
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const auto end = at + name.size();
    if (fits(at == 0 ? '\0' : text[at - 1], end == text.size() ? '\0' : text[end])) return true;
  }
  return false;
}

// Any word may be a user's name ("march") or a host's ("bookworm"). Only an address shows that it is meant as one.
bool has_user(const std::string& text, const std::string& user) {
  return has(text, user, [](char before, char after) { return !in_name(before) && after == '@'; });
}

bool has_host(const std::string& text, const std::string& host) {
  const bool qualified = host.find('.') != std::string::npos;
  const bool whole = qualified && has(text, host, [](char before, char after) {
                       return !in_name(before) && before != '.' && !in_name(after);
                     });
  const std::string first = host.substr(0, host.find('.'));
  return whole || has(text, first, [](char before, char after) { return before == '@' && !in_name(after); });
}

// Folders of the system, which are some accounts' homes (daemon, nobody) and occur in honest paths.
bool is_of_the_system(const std::string& home) {
  static const std::set<std::string> kHomes = {"",     "/root", "/usr",  "/usr/bin", "/usr/sbin", "/lib", "/bin",
                                               "/dev", "/etc",  "/proc", "/sys",     "/opt",      "/sbin"};
  return kHomes.contains(home);
}

// The text with its paths in one spelling: without escapes, quotes and backslashes, and one slash between names.
std::string plain(const std::string& text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = (text[i] == '%' || text.compare(i, 2, "\\x") == 0) && i + 2 < text.size();
    const std::string digits = escape ? text.substr(i + (text[i] == '%' ? 1 : 2), 2) : "";
    if (digits.size() == 2 && std::isxdigit(static_cast<unsigned char>(digits[0])) != 0 &&
        std::isxdigit(static_cast<unsigned char>(digits[1])) != 0) {
      shown += static_cast<char>(std::stoi(digits, nullptr, 16));
      i += text[i] == '%' ? 2 : 3;
    } else if (text[i] != '\\' && text[i] != '"' && text[i] != '\'') {
      shown += text[i];
    }
  }
  static const std::regex kSlashes(R"(([^:]|^)/(?:\.?/)+)");  // not those of an address, https://
  return std::regex_replace(shown, kSlashes, "$1/");
}

bool has_home(const std::string& text, const std::string& home) {
  std::string names = plain(home);
  while (names.ends_with('/')) names.pop_back();
  if (!names.starts_with('/') || is_of_the_system(names)) return false;
  // A folder's single name may be any word: "/data" is a path, and so is "-I/data", but "read/data" is not. Several names
  // are a path without the first slash, too.
  if (names.find('/', 1) != std::string::npos) names.erase(0, 1);
  static const std::regex kOption("-[A-Za-z]+$");
  for (auto at = text.find(names); at != std::string::npos; at = text.find(names, at + 1)) {
    const auto end = at + names.size();
    const bool ends = end == text.size() || (!in_name(text[end]) && text[end] != '.');
    const bool begins = at == 0 || !in_name(text[at - 1]) || std::regex_search(text.substr(0, at), kOption);
    if (begins && ends) return true;
  }
  return false;
}

class Search {
 public:
  explicit Search(const Identity& identity) : identity_(identity) {}

  void walk(const Json& value, const Json::json_pointer& at) {
    if (value.is_string()) look(value.get_ref<const std::string&>(), at.to_string());
    if (value.is_object()) {
      for (const auto& [key, member] : value.items()) {
        look_for_patterns(key, (at / key).to_string());
        walk(member, at / key);
      }
    }
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i].is_structured() || value[i].is_string()) walk(value[i], at / i);
      }
    }
  }

  std::vector<Problem> found() const { return found_; }

 private:
  void look(const std::string& text, const std::string& pointer) {
    if (look_for_patterns(text, pointer) || !told_by_the_machine(pointer)) return;
    const std::string spelt = plain(text);
    const auto home = [&](const std::string& each) { return has_home(spelt, each); };
    if (home(identity_.home) || std::ranges::any_of(identity_.other_homes, home)) report(pointer, "the home directory");
    if (look_for(patterns_of_the_machine(), spelt, pointer)) return;
    if (has_host(text, identity_.host)) report(pointer, "this host's name");
    if (has_user(text, identity_.user)) report(pointer, "this user's name");
  }

  bool look_for(const std::vector<Pattern>& patterns, const std::string& text, const std::string& pointer) {
    for (const Pattern& pattern : patterns) {
      if (text.find(pattern.trait) != std::string::npos && std::regex_search(text, pattern.regex)) {
        return report(pointer, pattern.what);
      }
    }
    return false;
  }

  bool look_for_patterns(const std::string& text, const std::string& pointer) {
    if (look_for(patterns(), text, pointer)) return true;
    if (const std::string found = dishonest_characters(text); !found.empty()) return report(pointer, found);
    if (text.find('.') != std::string::npos && !holds_versions(pointer) && std::regex_search(text, ipv4())) {
      return report(pointer, "an IPv4 address");
    }
    return false;
  }

  bool report(const std::string& pointer, const std::string& what) {
    found_.push_back({pointer, "expected text without " + what, "run the lab again without it"});
    return true;
  }

  const Identity& identity_;
  std::vector<Problem> found_;
};

}  // namespace

Identity this_identity() {
  Identity identity;
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) identity.host = host.data();
  const passwd* entry = ::getpwuid(::getuid());
  if (entry) identity.user = entry->pw_name;
  const char* home = std::getenv("HOME");
  identity.home = home ? home : entry ? entry->pw_dir : "";
  if (entry) identity.other_homes.emplace_back(entry->pw_dir);
  std::error_code ignored;
  identity.other_homes.push_back(std::filesystem::weakly_canonical(identity.home, ignored).string());
  return identity;
}

std::vector<Problem> identifying(const Json& record, const Identity& identity) {
  Search search(identity);
  search.walk(record, Json::json_pointer());
  return search.found();
}

}  // namespace hf
