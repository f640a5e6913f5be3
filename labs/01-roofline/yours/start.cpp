// Your loop: a dot on this machine's roofline.
//
//   make yours-01            compiles this file, checks it, counts its FLOPs and bytes, times it, draws the figure
//   make yours-01 WATCH=1    does so whenever you save it
//
// x and y have n elements each and don't overlap; n can be 0. Both hold numbers around 1 before the call, y too. The loop may
// read both and write y. Compute whatever you like: the right result is that of the same code with more digits.
//
// Number is float when the loop is timed, and a type that counts when its FLOPs are counted. It has + − · /, comparisons, and
// sqrt(), abs() and fma(); write Number(0.5) for a constant. Keep the names and the loop's first two lines.
#include <cstddef>

// For each element: additions, subtractions, multiplications, divisions and roots; an fma() is two.
constexpr double flops = 3;
// For each element: bytes that must be read, once, and bytes that must be written, once, even with perfect caches.
constexpr double bytes = 8;

template <class Number>
void loop(std::size_t n, const Number* x, Number* y) {
  Number smooth = 1;
  for (std::size_t i = 0; i < n; ++i) {
    smooth = Number(0.75) * smooth + Number(0.25) * x[i];
    y[i] = smooth;
  }
}
