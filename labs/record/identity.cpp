#include "check.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <regex>
#include <set>
#include <string>
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

bool told_by_the_machine(const std::string& pointer) {
  static const std::array kPlaces = {"/machine/", "/toolchain/", "/run/notes/", "/lab/inputs/"};
  return !pointer.starts_with("/machine/isa/") && !pointer.starts_with("/lab/inputs/source:") &&
         std::any_of(kPlaces.begin(), kPlaces.end(), [&](const char* place) { return pointer.starts_with(place); });
}

bool worth_looking_for(const std::string& name) {
  static const std::set<std::string> kGeneric = {
      "root",   "user",  "users",   "admin", "runner", "localhost", "ubuntu", "debian", "fedora",  "linux",
      "docker", "build", "builder", "guest", "host",   "test",      "intel",  "server", "machine", "vagrant"};
  return name.size() >= 4 && !kGeneric.contains(name);
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_word(const std::string& text, const std::string& word) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]))) return true;
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
        look(key, (at / key).to_string());
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
    for (const Pattern& pattern : patterns()) {
      if (text.find(pattern.trait) != std::string::npos && std::regex_search(text, pattern.regex)) {
        return report(pointer, pattern.what);
      }
    }
    if (const std::string found = dishonest_characters(text); !found.empty()) return report(pointer, found);
    if (text.find('.') != std::string::npos && !holds_versions(pointer) && std::regex_search(text, ipv4())) {
      return report(pointer, "an IPv4 address");
    }
    if (identity_.home.size() > 1 && identity_.home != "/root" && text.find(identity_.home) != std::string::npos) {
      return report(pointer, "the home directory");
    }
    if (!told_by_the_machine(pointer)) return;
    if (worth_looking_for(identity_.host) && has_word(text, identity_.host)) report(pointer, "this host's name");
    if (worth_looking_for(identity_.user) && has_word(text, identity_.user)) report(pointer, "this user's name");
  }

  void report(const std::string& pointer, const std::string& what) {
    found_.push_back({pointer, "expected text without " + what, "run the lab again without it"});
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
  return identity;
}

std::vector<Problem> identifying(const Json& record, const Identity& identity) {
  Search search(identity);
  search.walk(record, Json::json_pointer());
  return search.found();
}

}  // namespace hf
