#include "kit/work.hpp"

#include <algorithm>

namespace hf {
namespace {

constexpr double giga = 1e9;

}  // namespace

// [begin: predict]
double Roofline::seconds(const Work& work) const {
  const double arithmetic = work.flops / (peak_gflops * giga);
  const double transfer = work.traffic() / (bandwidth_gbs * giga);
  return std::max(arithmetic, transfer);
}
// [end: predict]

Side Roofline::side(const Work& work) const {
  return work.flops / peak_gflops < work.traffic() / bandwidth_gbs ? Side::memory : Side::compute;
}

}  // namespace hf
