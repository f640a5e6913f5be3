// Your chain of operators: y = relu(x) · 0.5 + 1.
//
//   make yours-07            compiles this file, checks it, races it against the chapter's loops, draws the figure
//   make yours-07 WATCH=1    does so whenever you save it
//
// Each array has `count` numbers; any count can come, 0 included. The arrays don't overlap and may begin at any multiple
// of four bytes. What first, second and y contain before the call doesn't matter, nor what first and second contain
// after it. You may start threads, but the race is run on one core, and the bytes of all threads count. Keep the function's
// first line; everything else is yours.
#include <cstddef>

extern "C" void chain(std::size_t count, const float* x, float* first, float* second, float* y) {
  for (std::size_t i = 0; i < count; ++i) first[i] = x[i] > 0 ? x[i] : 0;
  for (std::size_t i = 0; i < count; ++i) second[i] = first[i] * 0.5f;
  for (std::size_t i = 0; i < count; ++i) y[i] = second[i] + 1;
}
