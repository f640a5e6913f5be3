// Your sum of an array.
//
//   make yours-@N@            compiles this file, checks it, and races it against the chapter's sums
//   make yours-@N@ WATCH=1    does so whenever you save it
//
// Any count can come, 0 included; the numbers may be added in any order. Keep the function's first line; everything else
// is yours.
#include <cstddef>

extern "C" float sum(std::size_t count, const float* x) {
  float total = 0;
  for (std::size_t i = 0; i < count; ++i) total += x[i];
  return total;
}
