// The kernels of one instruction set: included by the files made of kernels.cpp.in, each of which is compiled with the
// flags of its own instruction set (see kit/streams/CMakeLists.txt) and defines KERNEL_SET and its properties.
#include "01-roofline/kernels/kernel_set.hpp"

#include "01-roofline/kernels/kernels.hpp"
#include "01-roofline/kernels/peak.hpp"
#include "kit/streams/stream_set.hpp"

namespace hf::roofline {
namespace {

template <class V, bool fused>
constexpr PeakLoop peak_loop(const char* label) {
  using Number = decltype(first_lane(V{}));
  if constexpr (fused && !has_fma) return {};
  constexpr int numbers = sizeof(V) / sizeof(Number);
  return {label, sizeof(Number) == 8, numbers, 2.0 * peak_chains * numbers, multiply_add<V, fused>};
}

/// Except for FMA, AVX2 added no floating-point arithmetic to AVX.
constexpr const char* unfused_label = vector_bytes == 32 ? "AVX" : KERNEL_SET_NAME;
constexpr const char* fused_label = KERNEL_SET_NAME " FMA";

}  // namespace

extern const StreamSet KERNEL_SET_STREAMS;
extern const KernelSet KERNEL_SET = {
    .name = KERNEL_SET_NAME,
    .required = KERNEL_SET_REQUIRED,
    .lanes = lanes,
    .streams = KERNEL_SET_STREAMS,
    .peaks = {peak_loop<float, false>("scalar"), peak_loop<double, false>("scalar"),
              peak_loop<float, true>("scalar FMA"), peak_loop<double, true>("scalar FMA"),
              peak_loop<Floats, false>(unfused_label), peak_loop<Doubles, false>(unfused_label),
              peak_loop<Floats, true>(fused_label), peak_loop<Doubles, true>(fused_label)},
    .vector_add = vector_add,
    .scalar_add = scalar_add,
    .stream_triad = stream_triad,
    .axpy = axpy,
    .dot = dot,
    .gemv = gemv,
    .five_point_stencil = five_point_stencil,
    .softmax = softmax,
    .layer_norm = layer_norm,
    .naive_matmul = naive_matmul,
    .blocked_matmul = blocked_matmul,
};

}  // namespace hf::roofline
