#include "build_inputs.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "record/inputs.hpp"
#include "record/record.hpp"

namespace hf {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSourceBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxMapBytes = std::size_t{256} << 20;

// The files that the linker put into a program.
struct Linked {
  std::set<fs::path> objects;  // including those taken from a library of this build
  std::set<fs::path> libraries;
};

// "libmatmul.a" → "matmul".
std::string target_of(const fs::path& archive) { return archive.stem().string().substr(3); }

bool is_inside(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// Splits a command as a shell does: blanks in quotes do not separate words.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      words.back() += c == '\\' && quote != '\'' && i + 1 < text.size() ? text[++i] : c;
    }
  }
  return words;
}

bool begins(const std::string& word, std::initializer_list<const char*> starts) {
  return std::ranges::any_of(starts, [&](const char* start) { return word.starts_with(start); });
}

// True if an option of a compiler's command can change the output: not paths, warnings, and the program's version.
// Architectures of GPUs are in Build::cuda.
bool counts(const std::string& word) {
  static const std::set<std::string> others = {"-o",  "-c",  "-x",  "-isystem",
                                               "-MD", "-MT", "-MF", "-forward-unknown-to-host-compiler"};
  const bool warns = word.starts_with("-W") && !begins(word, {"-Wa,", "-Wp,", "-Wl,"});
  return word.starts_with('-') && !warns && !others.contains(word) &&
         !begins(word, {"-I", "-Xcompiler=-W", "--generate-code=", "-DHARDWARE_FIRST_VERSION="});
}

// The flags of a command, without this checkout's path, if they differ from the lab's; empty otherwise.
std::string other_flags(const std::vector<std::string>& command, const Build& build) {
  std::vector<std::string> flags, usual = words_of(build.flags);
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (counts(command[i]) || (i > 0 && command[i - 1] == "--param")) flags.push_back(command[i]);
  }
  std::string text;
  for (const std::string& flag : flags) text += " " + flag;
  for (const fs::path& place : {build.folder, build.root}) {
    for (std::size_t at = 0; (at = text.find(place.string(), at)) != std::string::npos;)
      text.replace(at, place.string().size(), ".");
  }
  std::erase_if(usual, [](const std::string& flag) { return !counts(flag); });
  std::ranges::sort(flags);
  std::ranges::sort(usual);
  return flags == usual ? "" : without_paths(text);
}

// The objects of this build from its own list, with the flags of each. Objects of moved sources may be left over.
std::map<fs::path, std::string> compiled_objects(const Build& build, const fs::path& home) {
  const fs::path file = home / "compile_commands.json";
  std::map<fs::path, std::string> objects;
  for (const Json& step : load_json(file)) {
    if (!step.contains("command"))
      throw FileError(file.string() + ": expected a command in each step; configure again");
    const std::vector<std::string> words = words_of(step.at("command").get<std::string>());
    const auto output = std::ranges::find(words, "-o");
    if (output == words.end() || output + 1 == words.end()) continue;
    objects[(home / *(output + 1)).lexically_normal()] = other_flags(words, build);
  }
  return objects;
}

// Finds the object file that CMake packed into an archive: below DIR/CMakeFiles/TARGET.dir for DIR/libTARGET.a.
void add_member(const fs::path& archive, const std::string& member, const std::map<fs::path, std::string>& compiled,
                Linked& linked) {
  const fs::path folder = archive.parent_path() / "CMakeFiles" / (target_of(archive) + ".dir");
  bool found = false;
  for (const auto& [object, flags] : compiled) {
    if (object.filename() != member || !is_inside(object, folder)) continue;
    linked.objects.insert(object);
    found = true;
  }
  if (!found)
    throw FileError(archive.string() + ": expected " + member + " below " + folder.string() + "; build again");
}

// The parts of a map that can follow the members of archives. Newer linkers list how they merged the objects' properties, and
// write some of those objects as ARCHIVE(MEMBER) too.
bool ends_members(const std::string& line) {
  const auto after = {"As-needed library included", "Merging program properties", "Discarded input sections",
                      "Allocating common symbols", "Memory Configuration"};
  return std::ranges::any_of(after, [&](const char* heading) { return line.starts_with(heading); });
}

// Every object of the program itself is linked; the folder of its objects has the program's name, like its map. Other
// linkers' maps (gold's, lld's, mold's) name none or only some of them, and an edit of the others would go unnoticed.
void refuse_incomplete(const Build& build, const std::map<fs::path, std::string>& compiled, const Linked& linked) {
  const std::string own = build.map.stem().string() + ".dir";
  const auto is_own = [&](const fs::path& object) {
    return std::ranges::any_of(object, [&](const fs::path& folder) { return folder == own; });
  };
  for (const auto& [object, flags] : compiled) {
    if (!is_own(object) || linked.objects.contains(object)) continue;
    throw FileError(
        build.map.string() + ": expected " + object.filename().string() +
        " in it, as in a map of GNU ld; link with GNU ld (without -fuse-ld in LDFLAGS), and configure again");
  }
  if (!linked.objects.empty()) return;
  throw FileError(build.map.string() + ": expected a map of GNU ld; link with GNU ld (without -fuse-ld in LDFLAGS)");
}

// A map begins with the archive members that were linked, "ARCHIVE(MEMBER)", each followed by the object that needed it, on the
// same line or indented below. Shared libraries follow in the same form. Later come the opened files, "LOAD FILE".
Linked read_map(const Build& build, const std::map<fs::path, std::string>& compiled) {
  std::istringstream lines(read_file(build.map, kMaxMapBytes));
  const std::string load = "LOAD ";
  const fs::path home = fs::weakly_canonical(build.folder);
  bool members = false;
  Linked linked;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Archive member included")) members = true;
    if (ends_members(line)) members = false;
    const auto member = members && line[0] != ' ' ? line.find(".a(") : std::string::npos;
    if (member != std::string::npos) {
      const fs::path archive = fs::weakly_canonical(build.folder / line.substr(0, member + 2));
      const std::string name = line.substr(member + 3, line.find(')', member) - member - 3);
      is_inside(archive, home) ? add_member(archive, name, compiled, linked) : void(linked.libraries.insert(archive));
    } else if (line.starts_with(load)) {
      const fs::path file = fs::absolute(build.folder / line.substr(load.size())).lexically_normal();
      if (is_inside(file, home)) {
        if (file.extension() == ".o") linked.objects.insert(file);
      } else if (file.extension() != ".o" && file.extension() != ".a") {
        linked.libraries.insert(file);
      }
    }
  }
  refuse_incomplete(build, compiled, linked);
  return linked;
}

// The files of a rule for make, "object: file file \↵ file": a space in a name has a backslash before it.
std::vector<fs::path> read_rule(const fs::path& file) {
  const std::string text = read_file(file, kMaxSourceBytes);
  const auto colon = text.find(": ");
  if (colon == std::string::npos) throw FileError(file.string() + ": expected a rule for make; build again");
  std::vector<fs::path> files;
  std::string name;
  for (std::size_t i = colon + 1; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : '\n';
    const char next = i + 1 < text.size() ? text[i + 1] : '\n';
    if (c == '\\' && next != '\n') {
      name += text[++i];
    } else if (c == '$' && next == '$') {
      name += text[++i];
    } else if (c != ' ' && c != '\n' && c != '\\') {
      name += c;
    } else if (!name.empty()) {
      files.emplace_back(std::exchange(name, ""));
    }
  }
  return files;
}

class Collector {
 public:
  explicit Collector(const Build& build)
      : build_(build), root_(fs::weakly_canonical(build.root)), built_(fs::weakly_canonical(build.folder)) {}

  void add_object(const fs::path& object, const std::string& flags) {
    const fs::path list = object.string() + ".read";
    if (!fs::exists(list)) {
      throw FileError(list.string() +
                      ": expected a list of the files that the compiler read; remove the object and build again");
    }
    const std::vector<fs::path> files = read_rule(list);
    for (const fs::path& file : files) {
      add_file(fs::weakly_canonical(build_.folder / file), &file == files.data() ? std::optional(flags) : std::nullopt);
    }
    if (object.string().ends_with(".cu.o")) inputs_["library:CUDA"] = without_paths(build_.cuda);
  }

  void add_library(const fs::path& file) {
    const std::string name = library_name(file);
    if (is_of_the_language(name)) return;
    const fs::path sources = file.parent_path() / kInstrumentFile;
    const bool shared = file.extension() != ".a";
    if (!shared && fs::exists(sources)) {
      const std::string key = input_key(inputs_from(load_json(sources), sources.string()));  // "sha256:…"
      inputs_["library:press"] = "sources, sha256 " + key.substr(7, 12);
      return;
    }
    inputs_["library:" + name] = shared ? kFoundAt + file.string() : library_identity(file);
  }

  // A source compiled in several ways has the flags of each: " -mavx | -mavx2".
  Inputs inputs() const {
    Inputs inputs = inputs_;
    for (const auto& [source, ways] : flags_) {
      if (ways == std::set<std::string>{""}) continue;
      std::string text;
      for (const std::string& flags : ways) text += (text.empty() ? "" : " |") + (flags.empty() ? " as most" : flags);
      inputs[source] += text;
    }
    return inputs;
  }

 private:
  // `flags`: those that the file was compiled with, if it was compiled.
  void add_file(const fs::path& file, const std::optional<std::string>& flags) {
    if (is_inside(file, built_)) return add_origins(file, flags);
    const std::string source = file.lexically_relative(root_).generic_string();
    // Headers of libraries are not sources, wherever they are unpacked.
    if (!is_inside(file, root_ / "labs") || !can_move_a_number(source)) return;
    inputs_["source:" + source] = source_digest(file, read_file(file, kMaxSourceBytes));
    if (flags) flags_["source:" + source].insert(*flags);
  }

  void add_origins(const fs::path& generated, const std::optional<std::string>& flags) {
    const std::string text = read_file(generated, kMaxSourceBytes), start = "// Generated from ";
    if (!text.starts_with(start)) {
      throw FileError(generated.string() + ": expected its first line to say \"" + start + "FILE and FILE\"; add it");
    }
    std::istringstream words(text.substr(start.size(), text.find('\n') - start.size()));
    for (std::string word; words >> word;) {
      if (word == "and") continue;
      if (!can_move_a_number(word)) return;  // nor can its template
      add_file(root_ / word, flags);
    }
  }

  static bool is_of_the_language(const std::string& name) {
    static const std::set<std::string> names = {"libc",      "libm",   "libmvec",   "libstdc++",     "libgcc",
                                                "libgcc_s",  "libdl",  "librt",     "libpthread",    "libutil",
                                                "libatomic", "libc++", "libc++abi", "libc_nonshared"};
    return names.contains(name) || name.starts_with("ld-linux");
  }

  const Build& build_;
  fs::path root_, built_;
  Inputs inputs_;
  std::map<std::string, std::set<std::string>> flags_;  // by source
};

}  // namespace

Inputs build_inputs(const Build& build) {
  const std::map<fs::path, std::string> compiled = compiled_objects(build, fs::weakly_canonical(build.folder));
  const Linked linked = read_map(build, compiled);
  Collector collector(build);
  for (const fs::path& object : linked.objects) {
    if (object.filename() == "cmake_device_link.o") continue;  // nvcc made it of the other objects
    const auto known = compiled.find(object);
    if (known == compiled.end())
      throw FileError(object.string() + ": missing from compile_commands.json; configure again");
    collector.add_object(object, known->second);
  }
  for (const fs::path& library : linked.libraries) collector.add_library(library);
  return collector.inputs();
}

Inputs instrument_inputs(const fs::path& root, const fs::path& folder) {
  Inputs inputs;
  for (const auto& [source, digest] : source_digests(root)) {
    if (source.starts_with("labs/harness/measure/")) inputs["source:" + source] = digest;
  }
  if (inputs.empty())
    throw FileError((root / "labs/harness/measure").string() +
                    ": expected the instrument's sources; name the checkout with --root");
  Build build;
  build.root = root, build.folder = folder;
  for (const Json& step : load_json(folder / "compile_commands.json")) {
    const fs::path source = fs::path(step.at("file").get<std::string>()).lexically_relative(root);
    const auto input = inputs.find("source:" + source.generic_string());
    if (input != inputs.end()) input->second += other_flags(words_of(step.at("command").get<std::string>()), build);
  }
  return inputs;
}

}  // namespace hf
