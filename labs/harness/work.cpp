#include "work.hpp"

#include <algorithm>

namespace hf {
namespace {

constexpr double giga = 1e9;

}  // namespace

// [begin: predict]
double Roofline::seconds(const Work& work) const {
  return std::max(work.flops / (peak_gflops * giga), work.traffic() / (bandwidth_gbs * giga));
}
// [end: predict]

Side Roofline::side(const Work& work) const {
  return work.flops / peak_gflops < work.traffic() / bandwidth_gbs ? Side::memory : Side::compute;
}

}  // namespace hf
