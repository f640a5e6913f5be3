#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

/// Clang's OpenMP keeps what its threads needed until the process has ended: no leak of ours.
extern "C" const char* __lsan_default_suppressions() { return "leak:libomp.so"; }
