#include "07-compilers/kernels/compiler/build.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "record/sha256.hpp"

namespace hf::compilers {
namespace {

namespace fs = std::filesystem;

std::string key_of(const std::string& source, const Toolchain& toolchain) {
  constexpr std::size_t digits = 32;
  std::string text;
  for (const std::vector<std::string>* words : {&toolchain.command, &toolchain.flags}) {
    for (const std::string& word : *words) text += word + '\n';
    text += '\n';
  }
  return sha256(text + toolchain.identity + '\n' + source).substr(0, digits);
}

void* opened(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw BuildError("cache: cannot be loaded: " + std::string(dlerror()) + "; name another compiler in CXX");
  return library;
}

/// Throws if the library cannot be loaded. Loading runs its initializers.
std::string try_to_load(const fs::path& library) {
  std::signal(SIGTERM, SIG_DFL);  // there is nothing to clean up
  opened(library);
  return "";
}

void make(const Cache& cache, const std::string& key, const std::string& source, const Toolchain& toolchain,
          double seconds) {
  umask(S_IRWXG | S_IRWXO);
  const Cache::Draft draft(cache, key);
  draft.write_source(source);
  std::vector<std::string> command = toolchain.command;
  command.insert(command.end(), toolchain.flags.begin(), toolchain.flags.end());
  command.insert(command.end(), {"-o", draft.library().string(), draft.source().string()});
  run_compiler(command, seconds);
  const std::string name = "compiler " + toolchain.command[0];
  std::error_code error;
  if (fs::file_size(draft.library(), error) == 0 || error)
    throw BuildError(name + ": wrote nothing; name another in CXX");
  in_child(name + ": loading what it built", seconds, [&] { return try_to_load(draft.library()); });
  draft.keep();
}

/// Loads the file that was checked, even if its name now belongs to another: through its descriptor, which stays open
/// as long as the library, so that no other library can get the same name.
std::shared_ptr<void> load(Descriptor file) {
  void* const library = opened("/proc/self/fd/" + std::to_string(file.number()));
  return {library, [kept = std::make_shared<Descriptor>(std::move(file))](void* code) { dlclose(code); }};
}

}  // namespace

Built build(const std::string& source, const Toolchain& toolchain, const fs::path& folder, double seconds) {
  const Cache cache(folder);
  const std::string key = key_of(source, toolchain);
  const fs::path library = cache.library(key);
  Cache::Entry entry = cache.find(key);
  if (entry.file) return {library, load(std::move(entry.file)), true, ""};
  cache.tidy();
  constexpr double phases = 3;  // compile and test-load, each with this limit; and store
  in_child("compiler " + toolchain.command[0] + ": building", phases * seconds + 1, [&] {
    make(cache, key, source, toolchain, seconds);
    return "";
  });
  Cache::Entry made = cache.find(key);
  if (!made.file)
    throw BuildError("cache " + library.string() + ": is gone again; name another folder in HARDWARE_FIRST_CACHE");
  return {library, load(std::move(made.file)), false, entry.remark};
}

}  // namespace hf::compilers
