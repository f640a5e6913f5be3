#include "yours/guarded.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

namespace hf::yours {
namespace {

constexpr std::byte pattern{0xa5};

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

/// What the signal handler needs of an array.
struct Known {
  char name[16];
  std::uintptr_t mapping, begin, end, mapping_end;
  std::size_t element_bytes;
  const char* why_forbidden;
};
std::array<Known, 16> known = {};  // a slot with mapping 0 is free

Known* find(std::uintptr_t mapping) {
  const auto slot = std::ranges::find(known, mapping, &Known::mapping);
  return slot == known.end() ? nullptr : &*slot;
}

/// Describes an access to `address` in `text`.
void describe(std::uintptr_t address, char* text, std::size_t size) {
  for (const Known& each : known) {
    if (each.mapping == 0 || address < each.mapping || address >= each.mapping_end) continue;
    const auto element = (static_cast<std::intptr_t>(address) - static_cast<std::intptr_t>(each.begin)) /
                         static_cast<std::intptr_t>(each.element_bytes);
    if (address >= each.end) {
      std::snprintf(text, size, "touches %s[%td], past its end: %s has %zu elements\n", each.name, element, each.name,
                    (each.end - each.begin) / each.element_bytes);
    } else if (address >= each.begin) {
      std::snprintf(text, size, "writes to %s[%td]%s\n", each.name, element,
                    each.why_forbidden != nullptr ? each.why_forbidden : "");
    } else {
      std::snprintf(text, size, "touches %s[%td], before its start\n", each.name, element);
    }
    return;
  }
  std::snprintf(text, size, "touches an address that belongs to none of its arrays\n");
}

void report_and_exit(int /*signal*/, siginfo_t* info, void* /*context*/) {
  char text[160];
  describe(reinterpret_cast<std::uintptr_t>(info->si_addr), text, sizeof text);
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, text, std::strlen(text));
  _exit(bad_access_status);
}

}  // namespace

GuardedArray::GuardedArray(const std::string& name, std::size_t count, std::size_t element_bytes) {
  const std::size_t page = page_bytes(), bytes = count * element_bytes;
  const std::size_t inner = (bytes + page - 1) / page * page + page;  // at least a page of the pattern
  mapped_ = inner + 2 * page;
  void* const mapping = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(mapping);
  mprotect(mapping_ + page, inner, PROT_READ | PROT_WRITE);
  std::byte* const end = mapping_ + page + inner;
  data_ = end - bytes;
  std::fill(mapping_ + page, end - bytes, pattern);
  Known* const slot = find(0);
  if (slot == nullptr) return;  // only the message is poorer
  const auto address = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at); };
  *slot = {{}, address(mapping_), address(data_), address(end), address(mapping_ + mapped_), element_bytes, nullptr};
  std::snprintf(slot->name, sizeof slot->name, "%s", name.c_str());
}

GuardedArray::~GuardedArray() {
  if (Known* const slot = find(reinterpret_cast<std::uintptr_t>(mapping_))) *slot = {};
  munmap(mapping_, mapped_);
}

void GuardedArray::forbid_writes(const char* why) const {
  const std::size_t page = page_bytes();
  if (Known* const slot = find(reinterpret_cast<std::uintptr_t>(mapping_))) slot->why_forbidden = why;
  mprotect(mapping_ + page, mapped_ - 2 * page, why != nullptr ? PROT_READ : PROT_READ | PROT_WRITE);
}

bool GuardedArray::intact() const {
  return std::all_of(mapping_ + page_bytes(), data_, [](std::byte each) { return each == pattern; });
}

void catch_bad_accesses() {
  struct sigaction action = {};
  action.sa_sigaction = report_and_exit;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace hf::yours
