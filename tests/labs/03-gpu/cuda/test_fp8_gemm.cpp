// The product in FP8, run on the processor (see hopper_on_cpu.hpp), compared with the reference in double precision.
#include "hopper_on_cpu.hpp"
// The kernels are included after the declarations that they need.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "03-gpu/kernels/cuda/bf16.hpp"
#include "03-gpu/kernels/cuda/e4m3.hpp"
#include "03-gpu/kernels/cuda/fp8_gemm.cuh"
#include "03-gpu/kernels/cuda/sgemm.cuh"
#include "fp8_cases.hpp"

namespace hf::gpu {
namespace {

constexpr Bf16 poison = {0xffff}, guard = {0x1234};

template <bool promotes>
std::vector<Bf16> product(const Fp8Case& x) {
  std::vector<Bf16> c(x.size(), poison);
  c.resize(x.size() + 64, guard);
  fp8_gemm<promotes>(x.shape, x.a.data(), x.b.data(), x.scale, c.data());
  for (std::size_t at = x.size(); at < c.size(); ++at) CHECK(c[at].bits == guard.bits);
  return c;
}

/// All shapes: whole tiles, what sticks out, a single row, fewer steps than the ring has places, and more.
const GemmShape shapes[] = {{128, 256, 128}, {130, 264, 144}, {1, 8, 16}, {65, 136, 9 * fp8_tile_k + 16}};

TEST_CASE("a product in e4m3, promoted every 128 products") {
  for (const GemmShape& shape : shapes) {
    CAPTURE(shape.m);
    const Fp8Case random = Fp8Case::random(shape), whole = Fp8Case::whole(shape);
    CHECK(random.worst(product<true>(random), fp8_tile_k) <= 1);
    CHECK(whole.wrong(product<true>(whole)) == 0);
  }
}

TEST_CASE("without promotion, sums in e4m3 stay within their bound, but lose bits if they are long") {
  for (const GemmShape& shape : {GemmShape{1, 8, fp8_tile_k}, {65, 136, 9 * fp8_tile_k + 16}}) {
    CAPTURE(shape.m);
    const Fp8Case random = Fp8Case::random(shape), whole = Fp8Case::whole(shape);
    CHECK(random.worst(product<false>(random), shape.k) <= 1);
    CHECK((whole.wrong(product<false>(whole)) > 0) == (shape.k > fp8_tile_k));
  }
}

TEST_CASE("the stand-in cuts sums in e4m3 as the tensor cores do") {
  const on_cpu::Deep<E4m3> ones = {1}, tiny = {0x1p-9f};
  CHECK(on_cpu::sum_of(0.0f, ones, ones) == 1);
  CHECK(on_cpu::sum_of(0x1p13f, ones, ones) == 0x1p13f + 1);
  CHECK(on_cpu::sum_of(0x1p14f, ones, ones) == 0x1p14f);      // the one is less than a unit
  CHECK(on_cpu::sum_of(0x1p14f - 1, ones, ones) == 0x1p14f);  // 14 bits are kept
  CHECK(on_cpu::sum_of(-0x1p14f, ones, ones) == -0x1p14f);    // towards zero
  CHECK(on_cpu::sum_of(0.0f, tiny, tiny) == 0x1p-18f);        // within 13 bits of the least normal product
  CHECK(on_cpu::sum_of(-0x1p-5f, ones, tiny) == -0x1p-5f + 0x1p-9f);
}

}  // namespace
}  // namespace hf::gpu
