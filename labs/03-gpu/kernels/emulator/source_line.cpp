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
  command << "addr2line -s -e '" << object.dli_fname << "' " << std::hex
          << reinterpret_cast<std::uintptr_t>(code) - reinterpret_cast<std::uintptr_t>(object.dli_fbase) - 1
          << " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> tool(popen(command.str().c_str(), "r"), pclose);
  std::array<char, 300> line = {};
  if (!tool || !std::fgets(line.data(), line.size(), tool.get()) || line[0] == '?') return address.str();
  const std::string found = line.data();
  return found.substr(0, found.find_first_of(" \n"));
}

}  // namespace hf::emulator
