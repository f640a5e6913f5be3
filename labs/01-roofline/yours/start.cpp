// Your loop: a dot on this machine's roofline.
//
//   make yours-01            compiles this file, checks it, counts its FLOPs and bytes, times it, draws the figure
//   make yours-01 WATCH=1    does so whenever you save it
//
// x and y have n elements each and don't overlap; n can be 0. Before the call, both hold numbers between 0.5 and 1.5.
// The loop may read both arrays and write y. Compute whatever you like: the right result is that of the same code in
// higher precision. You may start threads, but the loop is timed on one core, and what all threads compute and move counts.
//
// Number is float when the loop is timed. When its FLOPs are counted, Number is a type that counts; it has + − · /,
// comparisons, sqrt(), abs() and fma(). Write Number(0.5) for a constant. Keep the names, and the loop's first two lines.
#include <cstddef>

// Per element: additions, subtractions, multiplications, divisions and roots; an fma() counts as two.
constexpr double flops = 3;
// Per element: compulsory bytes. Each input counts once, and each output once.
constexpr double bytes = 8;

template <class Number>
void loop(std::size_t n, const Number* x, Number* y) {
  Number smooth = 1;
  for (std::size_t i = 0; i < n; ++i) {
    smooth = Number(0.75) * smooth + Number(0.25) * x[i];
    y[i] = smooth;
  }
}
