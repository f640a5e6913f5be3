/// \file
/// Hopper's own instructions, each as a function: barriers that count bytes, copies of tiles by the tensor memory
/// accelerator (TMA), products of a warpgroup (WGMMA). NVIDIA's PTX ISA describes them.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "03-gpu/kernels/cuda/bf16_gemm_layout.cuh"
#include "kit/cuda/device.cuh"

namespace hf::gpu {

// ---- Barriers in shared memory ----

/// A phase ends when this many threads have arrived and all expected bytes have been received.
struct Barrier {
  std::uint64_t state;
};
__device__ inline void init(Barrier& barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals));
}
/// Call it before other blocks, or copies, use new barriers.
__device__ inline void fence_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ inline void arrive_expecting(Barrier& barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes)
               : "memory");
}
/// Arrives at the same barrier of one block of the cluster.
__device__ inline void arrive_at(Barrier& barrier, int block) {
  asm volatile(
      "{\n.reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(shared_address(&barrier)),
      "r"(block)
      : "memory");
}
/// True if the phase of this parity has ended; returns after a short time in any case. A phase that has not begun
/// counts as ended if its parity is 1.
__device__ inline bool has_ended(Barrier& barrier, std::uint32_t parity) {
  std::uint32_t ended;
  asm volatile(
      "{\n.reg .pred ended;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
      "selp.u32 %0, 1, 0, ended;\n}"
      : "=r"(ended)
      : "r"(shared_address(&barrier)), "r"(parity)
      : "memory");
  return ended;
}
/// A phase that has not ended within a few minutes never will: the kernel then fails instead of hanging. Under
/// compute-sanitizer's racecheck, a wait that ends takes a thousand times as long as usual.
constexpr long long longest_wait = 400'000'000'000;  // cycles

/// Ends the kernel with an error, because nothing is stored at address 0. With a trap instead, the compiler gives the
/// loop around a wait fewer registers, and the sums of fp8_gemm.cuh no longer fit.
__device__ inline void fail_by_store() { asm volatile("st.global.u32 [%0], 0;" ::"l"(std::uint64_t{0}) : "memory"); }
/// Waits until the phase has ended.
__device__ inline void wait(Barrier& barrier, std::uint32_t parity) {
  if (has_ended(barrier, parity)) return;
  const long long start = clock64();
  while (!has_ended(barrier, parity)) {
    if (clock64() - start > longest_wait) fail_by_store();
  }
}
__device__ inline void sync_warpgroup(int id) { asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory"); }

/// This thread's warp, in a form that tells the compiler it is the same for the whole warp.
__device__ inline int warp_in_block() { return __shfl_sync(~0u, threadIdx.x / 32, 0); }
__device__ inline int warpgroup_in_block() { return warp_in_block() / (warpgroup_threads / 32); }
/// True in one thread of the warp; all its threads must call it.
__device__ inline bool is_elected() {
  std::uint32_t elected;
  asm volatile(
      "{\n.reg .pred elected;\n"
      "elect.sync _|elected, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, elected;\n}"
      : "=r"(elected));
  return elected;
}

__device__ inline int rank_in_cluster() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}
__device__ inline void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// ---- Copies of tiles: a box of rows × 128 bytes, swizzled in shared memory, zeros outside the matrix ----

using TensorMap = CUtensorMap;

/// A cache hint for L2 about the lines of a copy, as a number for the instruction.
__device__ inline std::uint64_t policy(InL2 in_l2) {
  std::uint64_t number;
  if (in_l2 == InL2::stays) {
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(number));
  } else {
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(number));
  }
  return number;
}

template <InL2 in_l2 = InL2::as_usual>
__device__ void copy_tile_in(void* to, const TensorMap& map, int column, int row, Barrier& barrier) {
  if constexpr (in_l2 == InL2::as_usual) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
        "[%2];" ::"r"(shared_address(to)),
        "l"(&map), "r"(shared_address(&barrier)), "r"(column), "r"(row)
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint"
        " [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(to)),
        "l"(&map), "r"(shared_address(&barrier)), "r"(column), "r"(row), "l"(policy(in_l2))
        : "memory");
  }
}
/// Copies to the same address, and the same barrier, of every block of the cluster whose bit is set.
template <InL2 in_l2 = InL2::as_usual>
__device__ void copy_tile_in_to_all(void* to, const TensorMap& map, int column, int row, Barrier& barrier,
                                    std::uint16_t blocks) {
  if constexpr (in_l2 == InL2::as_usual) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%0], [%1, {%4, %5}], [%2], %3;" ::"r"(shared_address(to)),
        "l"(&map), "r"(shared_address(&barrier)), "h"(blocks), "r"(column), "r"(row)
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
        ".L2::cache_hint [%0], [%1, {%4, %5}], [%2], %3, %6;" ::"r"(shared_address(to)),
        "l"(&map), "r"(shared_address(&barrier)), "h"(blocks), "r"(column), "r"(row), "l"(policy(in_l2))
        : "memory");
  }
}
/// Copies in the background; numbers outside the matrix are not written. The box at `from` must have been stored by
/// this thread, or by others that fenced their stores and synchronised with it.
template <InL2 in_l2 = InL2::as_usual>
__device__ void copy_tile_out(const TensorMap& map, int column, int row, const void* from) {
  if constexpr (in_l2 == InL2::as_usual) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
                 "r"(shared_address(from)), "r"(column), "r"(row)
                 : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint [%0, {%2, %3}], [%1], %4;" ::"l"(
            &map),
        "r"(shared_address(from)), "r"(column), "r"(row), "l"(policy(in_l2))
        : "memory");
  }
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Waits until all but the last `under_way` of this thread's outgoing copies have read their boxes.
template <int under_way>
__device__ void wait_for_copies_out() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(under_way) : "memory");
}
/// Stores four squares of 8 × 8 numbers to shared memory at once. For square s, pairs[s] of a thread has two adjacent
/// numbers of row lane / 4; and `row` is the start of row lane % 8 of square lane / 8.
__device__ inline void store_squares(void* row, const std::uint32_t (&pairs)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
               "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
               : "memory");
}
/// Call it after ordinary stores to shared memory, before a copy reads them.
__device__ inline void fence_for_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// ---- Products of a warpgroup ----

/// Call it before the first product, and whenever other code has changed the sums.
__device__ inline void fence_sums() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until all but the last `under_way` committed groups are done.
template <int under_way>
__device__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(under_way) : "memory");
}

/// Waits until all are done and the sums may be used. Naming the sums keeps the compiler from using them earlier.
template <int count>
__device__ void finish_products(float (&sums)[count]) {
  wait_for_products<0>();
#pragma unroll
  for (float& sum : sums) asm volatile("" : "+f"(sum)::"memory");
}

#define HF_SUMS_8(i)                                                                                            \
  "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), "+f"(sums[i + 5]), \
      "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define HF_SUMS_32(i) HF_SUMS_8(i), HF_SUMS_8(i + 8), HF_SUMS_8(i + 16), HF_SUMS_8(i + 24)
/// sums (64, 256), spread over the warpgroup as in place_of_sum(), += a (64, 16) · b (256, 16)ᵀ; only starts it.
__device__ inline void multiply_async(Sums& sums, std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127},"
      " %128, %129, 1, 1, 1, 0, 0;"
      : HF_SUMS_32(0), HF_SUMS_32(32), HF_SUMS_32(64), HF_SUMS_32(96)
      : "l"(a), "l"(b));
}
/// sums (64, 128), places as above, += a (64, 32) · b (128, 32)ᵀ in e4m3; or = if it does not add. Only starts it.
__device__ inline void multiply_async(HalfSums& sums, std::uint64_t a, std::uint64_t b, bool adds) {
  asm volatile(
      "{\n.reg .pred adds;\n"
      "setp.ne.b32 adds, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63},"
      " %64, %65, adds, 1, 1;\n}"
      : HF_SUMS_32(0), HF_SUMS_32(32)
      : "l"(a), "l"(b), "r"(static_cast<int>(adds)));
}
#undef HF_SUMS_32
#undef HF_SUMS_8

/// Releases or requests registers for all threads of the warpgroup.
template <int registers>
__device__ void shrink_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ void grow_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

// ---- From block to block, through memory ----

/// Raises a flag. A thread that sees it raised also sees everything written by this thread, and by those that it met at
/// a barrier.
__device__ inline void raise(std::uint32_t* flag) {
  asm volatile("fence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
}
__device__ inline bool is_raised(const std::uint32_t* flag) {
  std::uint32_t raised;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(raised) : "l"(flag) : "memory");
  return raised;
}
__device__ inline void wait_for_flag(const std::uint32_t* flag) {
  const long long start = clock64();
  while (!is_raised(flag)) {
    if (clock64() - start > longest_wait) __trap();
  }
}

// ---- The host's side ----

/// Space for this many parts; all flags are lowered before the next launch begins.
inline Parts lowered_parts(int count) {
  static std::unique_ptr<cuda::DeviceArray<float>> sums;
  static std::unique_ptr<cuda::DeviceArray<std::uint32_t>> flags;
  const auto size = static_cast<std::size_t>(count);
  if (!flags || flags->size() < size) {
    sums = std::make_unique<cuda::DeviceArray<float>>(size * Parts::room);
    flags = std::make_unique<cuda::DeviceArray<std::uint32_t>>(size);
  }
  HF_CUDA(cudaMemsetAsync(flags->data(), 0, size * sizeof(std::uint32_t)));
  return {sums->data(), flags->data()};
}

/// A row-major matrix that is copied in boxes of `box_rows` rows by 128 bytes.
/// \throws std::runtime_error if the driver refuses, or is too old
template <class Number>
TensorMap tensor_map(const Number* data, int rows, int columns, int box_rows) {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static const Encode encode = [] {
    void* function = nullptr;  // obtained from the driver, so that nothing links to it
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    HF_CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
#else
    HF_CUDA(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found));
#endif
    if (found != cudaDriverEntryPointSuccess) throw std::runtime_error("the CUDA driver has no cuTensorMapEncodeTiled");
    return reinterpret_cast<Encode>(function);
  }();
  TensorMap map;
  const cuuint64_t sizes[2] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t row_bytes[1] = {sizes[0] * sizeof(Number)};
  const cuuint32_t box[2] = {tile_row_bytes / sizeof(Number), static_cast<cuuint32_t>(box_rows)}, steps[2] = {1, 1};
  constexpr auto type = sizeof(Number) == 1 ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  const CUresult result =
      encode(&map, type, 2, const_cast<Number*>(data), sizes, row_bytes, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
             CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) throw std::runtime_error("cuTensorMapEncodeTiled: error " + std::to_string(result));
  return map;
}

/// A kernel started in clusters of this many blocks, with dynamic shared memory.
template <class... Parameters>
class ClusterKernel {
 public:
  ClusterKernel(void (*kernel)(Parameters...), int threads, int cluster, std::size_t shared_bytes) : kernel_(kernel) {
    HF_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
    in_clusters_.id = cudaLaunchAttributeClusterDimension;
    in_clusters_.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
    config_.gridDim = dim3(cluster);
    config_.blockDim = dim3(threads);
    config_.dynamicSmemBytes = shared_bytes;
    config_.attrs = &in_clusters_;
    config_.numAttrs = 1;
  }
  ClusterKernel(const ClusterKernel&) = delete;

  /// The number of clusters that the device runs at a time: fewer than its multiprocessors suggest if one of its groups
  /// of multiprocessors has an odd number of them. Queried once for each kernel.
  int resident_clusters() const {
    int clusters = 0;
    HF_CUDA(cudaOccupancyMaxActiveClusters(&clusters, kernel_, &config_));
    return clusters;
  }

  template <class... Arguments>
  void launch(dim3 blocks, Arguments... arguments) {
    config_.gridDim = blocks;
    HF_CUDA(cudaLaunchKernelEx(&config_, kernel_, arguments...));
  }

 private:
  void (*kernel_)(Parameters...);
  cudaLaunchAttribute in_clusters_ = {};
  cudaLaunchConfig_t config_ = {};
};

}  // namespace hf::gpu
