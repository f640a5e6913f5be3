/// \file
/// Hopper's own instructions, each as a function: barriers that count bytes, copies of tiles by the tensor memory
/// accelerator (TMA), products of a warpgroup (WGMMA). What they do stands in NVIDIA's PTX ISA.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "03-gpu/cuda/bf16_gemm_layout.cuh"
#include "common/cuda/device.cuh"

// A kernel that uses them is empty in code for other GPUs, where it is never started.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || !defined(__CUDA_ARCH__)
#define HF_HOPPER_CODE 1
#endif

namespace hf::gpu {

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// All the shared memory that the block was started with; aligned to 1024 bytes.
__device__ inline unsigned char* dynamic_shared() {
  extern __shared__ __align__(1024) unsigned char memory[];
  return memory;
}

// ---- Barriers in shared memory ----

/// A phase ends when so many have arrived and all bytes expected are there.
struct Barrier {
  std::uint64_t state;
};
__device__ inline void init(Barrier& barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals));
}
/// Before other blocks, and the copies, use barriers that were just made.
__device__ inline void fence_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ inline void arrive_expecting(Barrier& barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes)
               : "memory");
}
/// At the same barrier of a block of the cluster.
__device__ inline void arrive_at(Barrier& barrier, int block) {
  asm volatile(
      "{\n.reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(shared_address(&barrier)),
      "r"(block)
      : "memory");
}
/// Until the phase of this parity has ended. One that has not begun counts as ended, if its parity is 1.
__device__ inline void wait(Barrier& barrier, std::uint32_t parity) {
  std::uint32_t ended = 0;
  while (!ended) {
    asm volatile(
        "{\n.reg .pred ended;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
        "selp.u32 %0, 1, 0, ended;\n}"
        : "=r"(ended)
        : "r"(shared_address(&barrier)), "r"(parity)
        : "memory");
  }
}
__device__ inline void sync_warpgroup(int id) { asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory"); }

__device__ inline int rank_in_cluster() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}
__device__ inline void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// ---- Copies of tiles: a box of rows × 64 numbers, swizzled in shared memory, zeros outside the matrix ----

using TensorMap = CUtensorMap;

__device__ inline void copy_tile_in(void* to, const TensorMap& map, int column, int row, Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::
          "r"(shared_address(to)),
      "l"(&map), "r"(shared_address(&barrier)), "r"(column), "r"(row)
      : "memory");
}
/// To the same address, and the same barrier, of every block of the cluster whose bit is set.
__device__ inline void copy_tile_in_to_all(void* to, const TensorMap& map, int column, int row, Barrier& barrier,
                                           std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%4, %5}], [%2], %3;" ::"r"(shared_address(to)),
      "l"(&map), "r"(shared_address(&barrier)), "h"(blocks), "r"(column), "r"(row)
      : "memory");
}
/// In the background; what would lie outside the matrix is not written. Its box is `from` as stored by this thread, and by
/// others that fenced their stores and synchronised with it.
__device__ inline void copy_tile_out(const TensorMap& map, int column, int row, const void* from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
               "r"(shared_address(from)), "r"(column), "r"(row)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Until all but the last so many of this thread's copies out have read their boxes.
template <int under_way>
__device__ void wait_for_copies_out() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(under_way) : "memory");
}
/// After ordinary stores to shared memory, before a copy reads them.
__device__ inline void fence_for_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// ---- Products of a warpgroup ----

/// Before the first product, and whenever other code has touched the sums.
__device__ inline void fence_sums() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Until all but the last so many committed groups are done.
template <int under_way>
__device__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(under_way) : "memory");
}

/// sums (64, 256), spread over the warpgroup as place_of_sum() says, += a (64, 16) · b (256, 16)ᵀ; it begins, and returns.
__device__ inline void multiply_async(Sums& sums, std::uint64_t a, std::uint64_t b) {
#define HF_SUMS_8(i)                                                                                            \
  "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), "+f"(sums[i + 5]), \
      "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define HF_SUMS_32(i) HF_SUMS_8(i), HF_SUMS_8(i + 8), HF_SUMS_8(i + 16), HF_SUMS_8(i + 24)
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
#undef HF_SUMS_32
#undef HF_SUMS_8
}

/// Gives registers back, or asks for more, for all threads of the warpgroup.
template <int registers>
__device__ void shrink_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ void grow_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

// ---- The host's side ----

/// A row-major matrix that is copied in boxes of so many rows by 64 columns.
/// \throws std::runtime_error where the driver refuses, or is too old
inline TensorMap tensor_map(const Bf16* data, int rows, int columns, int box_rows) {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static const Encode encode = [] {
    void* function = nullptr;  // asked of the driver, so that nothing links to it
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
  const cuuint64_t row_bytes[1] = {sizes[0] * sizeof(Bf16)};
  const cuuint32_t box[2] = {tile_k, static_cast<cuuint32_t>(box_rows)}, steps[2] = {1, 1};
  const CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<Bf16*>(data), sizes, row_bytes,
                                 box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) throw std::runtime_error("cuTensorMapEncodeTiled: error " + std::to_string(result));
  return map;
}

inline int multiprocessors() {
  int device = 0, count = 0;
  HF_CUDA(cudaGetDevice(&device));
  HF_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

/// Starts `blocks` blocks in clusters of so many, with dynamic shared memory.
template <class... Parameters, class... Arguments>
void launch_clusters(void (*kernel)(Parameters...), dim3 blocks, int threads, int cluster, std::size_t shared_bytes,
                     Arguments... arguments) {
  HF_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
  cudaLaunchAttribute in_clusters = {};
  in_clusters.id = cudaLaunchAttributeClusterDimension;
  in_clusters.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.attrs = &in_clusters;
  config.numAttrs = 1;
  HF_CUDA(cudaLaunchKernelEx(&config, kernel, arguments...));
}

}  // namespace hf::gpu
