// Makes a library of a reader's loop, which tools/yours includes before this file.
#ifndef HF_YOURS
#include "01-roofline/yours/start.cpp"  // NOLINT: a compiler that is asked about this file alone needs some loop
#endif

#include <cstddef>

#include "01-roofline/yours/loop.hpp"
#include "01-roofline/yours/tallied.hpp"

namespace {

double tally(std::size_t n, const hf::roofline::Tallied* x, hf::roofline::Tallied* y) {
  double before = 0, after = 0;
  hf::roofline::Tallied::flops().visit([&](double counted) { before += counted; });
  loop<hf::roofline::Tallied>(n, x, y);
  hf::roofline::Tallied::flops().visit([&](double counted) { after += counted; });
  return after - before;
}

}  // namespace

extern "C" {
extern const hf::roofline::ReadersLoop readers_loop;
const hf::roofline::ReadersLoop readers_loop = {flops, bytes, loop<float>, loop<double>, tally};
}
