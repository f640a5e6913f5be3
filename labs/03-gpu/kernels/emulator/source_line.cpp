#include "03-gpu/kernels/emulator/source_line.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <ios>
#include <memory>
#include <sstream>
#include <string>

namespace hf::emulator {

std::string source_line(const void* code) {
  std::ostringstream address;
  address << "code at " << code;
  Dl_info object = {};
  if (dladdr(code, &object) == 0) return address.str();
  std::ostringstream command;
  command << "addr2line -i -s -e '" << object.dli_fname << "' " << std::hex
          << reinterpret_cast<std::uintptr_t>(code) - reinterpret_cast<std::uintptr_t>(object.dli_fbase) - 1
          << " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> tool(popen(command.str().c_str(), "r"), pclose);
  std::string where;
  std::array<char, 300> line = {};
  while (tool && std::fgets(line.data(), line.size(), tool.get())) {
    const std::string frame = std::string(line.data()).substr(0, std::string(line.data()).find_first_of(" \n"));
    if (frame.starts_with("?") || frame.starts_with("cuda_words.hpp") || frame.starts_with("launch.hpp")) continue;
    where += (where.empty() ? "" : ", from ") + frame;
  }
  return where.empty() ? address.str() : where;
}

}  // namespace hf::emulator
