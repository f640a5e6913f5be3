#include "kit/pinned_openmp.hpp"

#include <cstddef>
#include <optional>

#include "harness/machine/cores.hpp"
#include "harness/measure/threads.hpp"

namespace hf {
namespace {

thread_local std::optional<Pinned> pinned;

}  // namespace

// Each thread gets one iteration: a static schedule with as many threads gives iteration i to thread i.
PinnedOpenMp::PinnedOpenMp(int threads) : threads_(threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int thread = 0; thread < threads; ++thread) {
    pinned.emplace(usable_cores()[static_cast<std::size_t>(thread) % usable_cores().size()]);
  }
}

PinnedOpenMp::~PinnedOpenMp() {
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int thread = 0; thread < threads_; ++thread) pinned.reset();
}

}  // namespace hf
