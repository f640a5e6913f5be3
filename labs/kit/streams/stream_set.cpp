#include "kit/streams/stream_set.hpp"

#include <vector>

#include "harness/machine/machine.hpp"

namespace hf::roofline {

#if defined(__x86_64__)
extern const StreamSet streams_sse, streams_avx, streams_avx2, streams_avx512;
#elif defined(__aarch64__)
extern const StreamSet streams_neon;
#else
extern const StreamSet streams_portable;
#endif

std::vector<const StreamSet*> stream_sets(const Machine& machine) {
#if defined(__x86_64__)
  return runnable<StreamSet>({&streams_sse, &streams_avx, &streams_avx2, &streams_avx512}, machine);
#elif defined(__aarch64__)
  return runnable<StreamSet>({&streams_neon}, machine);
#else
  return runnable<StreamSet>({&streams_portable}, machine);
#endif
}

}  // namespace hf::roofline
