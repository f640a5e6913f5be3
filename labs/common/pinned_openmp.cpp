#include "common/pinned_openmp.hpp"

#include <cstddef>
#include <optional>

#include "harness/measure/threads.hpp"

namespace hf {
namespace {

thread_local std::optional<Pinned> pinned;

}  // namespace

// Each iteration is a thread's own: a static schedule gives iteration i to thread i of as many.
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
