#include "build_inputs.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
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

// What the linker put into a program.
struct Linked {
  std::set<fs::path> objects;  // with those that were taken from a library of this build
  std::set<fs::path> libraries;
};

// "libmatmul.a" → "matmul".
std::string target_of(const fs::path& archive) { return archive.stem().string().substr(3); }

bool is_inside(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// Whether a word of a compiler's command can change what it makes: not where things are, what is warned of, and what the
// program is called. Architectures of GPUs are in Build::cuda.
bool counts(const std::string& word, const Build& build) {
  const auto without = {"-I",
                        "-isystem",
                        "-o",
                        "-c",
                        "-M",
                        "-W",
                        "-x",
                        "-Xcompiler=-W",
                        "-forward-unknown-to-host-compiler",
                        "--generate-code",
                        "-DHARDWARE_FIRST_VERSION"};
  return word.starts_with("-") && word.find(build.root.string()) == std::string::npos &&
         std::ranges::none_of(without, [&](const char* start) { return word.starts_with(start); });
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

// "-mavx2 no -march=native": where the flags of an object are not those of the lab.
std::string other_flags(const std::vector<std::string>& command, const Build& build) {
  const std::vector<std::string> usual = words_of(build.flags);
  std::string text;
  for (const std::string& word : command) {
    if (counts(word, build) && std::ranges::find(usual, word) == usual.end()) text += " " + word;
  }
  for (const std::string& word : usual) {
    if (std::ranges::find(command, word) == command.end()) text += " no " + word;
  }
  return text;
}

// The objects that this build makes, by its own list, and the flags of each: where a source moved, what was made of it before
// still lies about.
std::map<fs::path, std::string> compiled_objects(const Build& build, const fs::path& home) {
  std::map<fs::path, std::string> objects;
  for (const Json& step : Json::parse(read_file(home / "compile_commands.json", kMaxMapBytes))) {
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

// The parts of a map that can come after the members of archives. Newer linkers tell how they merged the properties of objects,
// some of which they also write as ARCHIVE(MEMBER).
bool ends_members(const std::string& line) {
  const auto after = {"As-needed library included", "Merging program properties", "Discarded input sections",
                      "Allocating common symbols", "Memory Configuration"};
  return std::ranges::any_of(after, [&](const char* heading) { return line.starts_with(heading); });
}

// A map begins with the members that were taken from archives, "ARCHIVE(MEMBER)" with who needed it after it or, indented,
// below it; then come the shared libraries in the same form. Later it lists what was opened, "LOAD FILE".
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
  if (linked.objects.empty()) {
    throw FileError(build.map.string() + ": expected the map of a program as GNU ld writes it; link with it");
  }
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
    if (object.filename() == "cmake_device_link.o") return;  // nvcc made it of the other objects
    const fs::path list = object.string() + ".read";
    if (!fs::exists(list)) {
      throw FileError(list.string() + ": expected what the compiler read for it; remove the object, and build again");
    }
    const std::vector<fs::path> files = read_rule(list);
    for (const fs::path& file : files)
      add_file(fs::weakly_canonical(build_.folder / file), &file == files.data() ? flags : "");
    if (object.string().ends_with(".cu.o")) inputs_["library:CUDA"] = build_.cuda;
  }

  void add_library(const fs::path& file) {
    const std::string name = library_name(file);
    if (is_of_the_language(name)) return;
    const bool shared = file.extension() != ".a";
    inputs_["library:" + name] = shared ? kFoundAt + file.string() : library_identity(file);
  }

  Inputs inputs() const { return inputs_; }

 private:
  // With the flags that it was compiled with, where it was: one that is compiled in several ways has those of each.
  void add_file(const fs::path& file, const std::string& flags) {
    if (is_inside(file, built_)) return add_origins(file, flags);
    const std::string source = file.lexically_relative(root_).generic_string();
    // Libraries' headers are no sources, wherever they are unpacked.
    if (!is_inside(file, root_ / "labs") || !can_move_a_number(source)) return;
    std::string& value =
        inputs_.try_emplace("source:" + source, source_digest(file, read_file(file, kMaxSourceBytes))).first->second;
    if (value.find(flags) == std::string::npos) value += flags;
  }

  void add_origins(const fs::path& generated, const std::string& flags) {
    const std::string text = read_file(generated, kMaxSourceBytes), start = "// Generated from ";
    if (!text.starts_with(start)) {
      throw FileError(generated.string() + ": expected its first line to say \"" + start + "FILE and FILE\"; add it");
    }
    std::istringstream words(text.substr(start.size(), text.find('\n') - start.size()));
    for (std::string word; words >> word;) {
      if (word != "and") add_file(root_ / word, flags);
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
};

}  // namespace

Inputs build_inputs(const Build& build) {
  const std::map<fs::path, std::string> compiled = compiled_objects(build, fs::weakly_canonical(build.folder));
  const Linked linked = read_map(build, compiled);
  Collector collector(build);
  for (const fs::path& object : linked.objects) {
    const auto known = compiled.find(object);
    collector.add_object(object, known == compiled.end() ? "" : known->second);
  }
  for (const fs::path& library : linked.libraries) collector.add_library(library);
  return collector.inputs();
}

}  // namespace hf
