#include "07-compilers/kernels/compiler/build.hpp"

#include <dlfcn.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "harness/measure/scratch_folder.hpp"
#include "record/sha256.hpp"

namespace hf::compilers {
namespace {

namespace fs = std::filesystem;

std::string key_of(const std::string& source, const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) text += word + '\n';
  return sha256(text + '\n' + source);
}

void* opened(const fs::path& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw BuildError("compiled loops: cannot be loaded: " + std::string(dlerror()) +
                     "; name another folder in TMPDIR, one that isn't mounted noexec, or another compiler in CXX");
  return library;
}

/// Throws if the library cannot be loaded. Loading runs its initializers.
std::string try_to_load(const fs::path& library) {
  std::signal(SIGTERM, SIG_DFL);  // there is nothing to clean up
  opened(library);
  return "";
}

[[noreturn]] void refuse(const fs::path& file) {
  throw BuildError(file.string() + ": cannot be written; make room, or name another folder in TMPDIR");
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) refuse(file);
}

/// Builds in a scratch folder of its own, so that the library appears at once and whole.
void make(const fs::path& library, const std::string& source, std::vector<std::string> command, double seconds) {
  const std::string name = "compiler " + command[0];
  const ScratchFolder draft;
  const fs::path cpp = draft.path() / "loops.cpp", made = draft.path() / "loops.so";
  write(cpp, source);
  command.insert(command.end(), {"-o", made.string(), cpp.string()});
  run_compiler(command, seconds);
  std::error_code error;
  if (fs::file_size(made, error) == 0 || error) throw BuildError(name + ": wrote nothing; name another in CXX");
  in_child(name + ": loading what it built", seconds, [&] { return try_to_load(made); });
  fs::rename(made, library, error);
  if (error) refuse(library);
}

}  // namespace

const fs::path& libraries_of_this_run() {
  static const ScratchFolder folder;
  return folder.path();
}

Built build(const std::string& source, const Toolchain& toolchain, const fs::path& folder, double seconds) {
  std::vector<std::string> command = toolchain.command;
  command.insert(command.end(), toolchain.flags.begin(), toolchain.flags.end());
  const fs::path library = folder / (key_of(source, command) + ".so");
  constexpr double phases = 3;  // compile and test-load, each with this limit; and store
  if (!fs::exists(library)) {
    in_child("compiler " + command[0] + ": building", phases * seconds + 1, [&] {
      make(library, source, command, seconds);
      return "";
    });
  }
  return {library, {opened(library), [](void* code) { dlclose(code); }}};
}

}  // namespace hf::compilers
