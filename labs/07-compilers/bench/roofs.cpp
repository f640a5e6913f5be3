#include "07-compilers/bench/roofs.hpp"

#include <vector>

#include "01-roofline/kernels/stream_runs.hpp"
#include "07-compilers/bench/chain_runs.hpp"
#include "harness/sampling.hpp"

namespace hf::compilers {

std::vector<Variant> Roofs::variants() {
  std::vector<Variant> variants = copies_.variants(Cores::all);
  variants.push_back(peak_.variant);
  return variants;
}

TwoRoofs Roofs::roofs(const Sampling& sampling) const {
  const double peak = peak_.flops / sampling.of(peak_.variant.id).median * 1e-9;
  const auto gbs = [&](roofline::Stream copy) { return copies_.traffic_gbs(sampling, copy, Cores::all).median; };
  return {{peak, gbs(roofline::Stream::copy)}, {peak, gbs(roofline::Stream::copy_nontemporal)}};
}

}  // namespace hf::compilers
