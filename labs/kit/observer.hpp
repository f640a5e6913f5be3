/// \file
/// Sees each access of code that was compiled with -fsanitize=thread, but is linked with the library `observer` instead of that
/// sanitizer: it has the functions that the compiler calls before each load and store.
#pragma once

#include <atomic>
#include <cstddef>

namespace hf {

/// \param at_once  false if the access may be made in smaller parts, since its address need not be a multiple of its size
/// \param code  the instruction after the call
using Observer = void(const void* address, std::size_t bytes, bool writes, bool at_once, const void* code);

/// False in a build that has a sanitizer of its own.
#ifdef HF_OBSERVES
constexpr bool observes = true;
#else
constexpr bool observes = false;
#endif

/// Null while nobody is interested.
inline std::atomic<Observer*> observer = nullptr;

}  // namespace hf
