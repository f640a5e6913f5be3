#include "07-compilers/bench/chain_runs.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/stream_runs.hpp"
#include "07-compilers/kernels/fusion/chain_by_hand.hpp"
#include "common/pinned.hpp"
#include "common/random.hpp"
#include "harness/as_double.hpp"
#include "harness/machine.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::compilers {
namespace {

constexpr roofline::Stream streams[] = {roofline::Stream::copy, roofline::Stream::copy_nontemporal};

std::vector<Variant> on(Cores cores, std::vector<Variant> variants) {
  for (Variant& variant : variants) {
    variant.id = on(cores, variant.id);
    if (cores == Cores::one) variant = pinned(std::move(variant));
  }
  return variants;
}

}  // namespace

std::string on(Cores cores, const std::string& name) { return cores == Cores::all ? name : name + ", one core"; }

ByHandRuns::ByHandRuns(std::size_t count) : count_(count) {
  for (std::size_t i = 0; i < 5; ++i) {
    memory_.emplace_back(count * sizeof(float), Pages::huge);
    fill_random(memory_.back().as<float>(), i);
  }
}

/// in_place has an array of its own, which ends up full of twos.
Variant ByHandRuns::variant(ByHand how) const {
  const auto array = [this](std::size_t i) { return memory_[i].as<float>().data(); };
  const ChainArrays arrays = {array(how == ByHand::in_place ? 4 : 0), array(1), array(2), array(3), count_};
  return timed(name(how), [how, arrays] { chain_by_hand(how, arrays); });
}

std::vector<Variant> ByHandRuns::variants(Cores cores) {
  std::vector<Variant> variants;
  for (const ByHand how : ways_by_hand) variants.push_back(variant(how));
  return on(cores, std::move(variants));
}

CopyRuns::CopyRuns(std::size_t bytes)
    : set_(roofline::kernel_sets(probe_machine()).back()), bytes_(bytes), memory_(team_, bytes) {}

std::vector<Variant> CopyRuns::variants(Cores cores) {
  std::vector<Variant> variants;
  for (const roofline::Stream stream : streams) {
    const std::size_t share = bytes_ / static_cast<std::size_t>(team_.size());
    variants.push_back(cores == Cores::one ? roofline::one_thread(*set_, stream, memory_, bytes_)
                                           : roofline::all_threads(*set_, stream, memory_, share, team_));
    variants.back().id = roofline::id(stream);
  }
  return on(cores, std::move(variants));
}

double CopyRuns::program_bytes(roofline::Stream stream, Cores cores) const {
  if (cores == Cores::one) return roofline::pass_bytes(*set_, stream, bytes_);
  const auto threads = static_cast<std::size_t>(team_.size());
  return as_double(threads) * roofline::pass_bytes(*set_, stream, bytes_ / threads);
}

Estimate CopyRuns::traffic_gbs(const Sampling& sampling, roofline::Stream stream, Cores cores) const {
  const double allocated = stream == roofline::Stream::copy ? 1.5 : 1;  // a third stream: the lines written are read
  const double bytes = allocated * program_bytes(stream, cores);
  return rate(bytes, sampling.of(id(stream, cores)));
}

}  // namespace hf::compilers
