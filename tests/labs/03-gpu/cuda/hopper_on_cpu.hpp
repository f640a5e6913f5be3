/// \file
/// Hopper's instructions for cuda_on_cpu.hpp: everything that bf16_gemm_instructions.cuh declares, on the processor.
/// The blocks of a cluster run at the same time.
///
/// Asynchronous operations happen as late as possible here: a separate thread copies tiles, in any order; products are
/// computed, and tiles written, only when a thread waits for them. So a kernel with a missing wait is wrong here too,
/// and the thread sanitizer sees a slot of the ring that is written while it is read.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>

#include "mma_on_cpu.hpp"
#include "wmma_on_cpu.hpp"
// The code below is written for a device.
#include "03-gpu/kernels/cuda/bf16_gemm_layout.cuh"
#include "03-gpu/kernels/cuda/e4m3.hpp"

#define __grid_constant__
#define HF_HOPPER_CODE 1
#define HF_LAUNCH_SHARED(kernel, bytes, grid, block, ...) \
  ::hf::gpu::ClusterKernel(kernel, block, 1, bytes).launch(grid, __VA_ARGS__)

namespace hf::gpu {

/// A phase ends when all threads have arrived and the received bytes equal the expected bytes.
class Barrier {
 public:
  explicit Barrier(int arrivals) : arrivals_(arrivals), missing_(arrivals) {}

  void arrive(int bytes) {
    const std::lock_guard lock(mutex_);
    if (missing_ == 0) on_cpu::fail("more arrivals than a barrier was made for");
    --missing_;
    bytes_ += bytes;
    end_phase_if_complete();
  }
  void bytes_came(int bytes) {
    const std::lock_guard lock(mutex_);
    bytes_ -= bytes;
    end_phase_if_complete();
  }
  void wait(std::uint32_t parity) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(100), [&] { return (phase_ & 1) != parity; }))
      on_cpu::fail("a barrier was waited for in vain");
  }

 private:
  void end_phase_if_complete() {
    if (missing_ > 0 || bytes_ != 0) return;
    ++phase_;
    missing_ = arrivals_;
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrivals_, missing_;
  int bytes_ = 0;  ///< expected minus received; bytes may be received first
  std::uint32_t phase_ = 0;
};

/// A matrix copied in boxes.
struct TensorMap {
  unsigned char* data;
  int rows, row_bytes, box_rows, number_bytes;
};

namespace on_cpu {

constexpr std::size_t alignment = 1024;

/// 16 bytes, which are inside a matrix or outside, but never half inside.
struct Sixteen {
  unsigned char bytes[16];
};

/// Calls `visit(position in the box, part of the matrix or null)` for each 16 bytes of a box, swizzled.
template <class Visit>
void for_each_in_box(unsigned char* box, const TensorMap& map, int column, int row, Visit visit) {
  expect_aligned(box, alignment);
  for (int y = 0; y < map.box_rows; ++y) {
    for (int chunk = 0; chunk < tile_row_bytes / 16; ++chunk) {
      const int at = column * map.number_bytes + chunk * 16;  // in the row
      const bool inside = row + y < map.rows && at < map.row_bytes;
      unsigned char* there = map.data + std::ptrdiff_t{row + y} * map.row_bytes + at;
      visit(reinterpret_cast<Sixteen*>(box + y * tile_row_bytes + (chunk ^ y % 8) * 16),
            inside ? reinterpret_cast<Sixteen*>(there) : nullptr);
    }
  }
}

/// Executes its tasks in its own thread, in any order.
class CopyEngine {
 public:
  ~CopyEngine() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void begin(std::function<void()> copy) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(copy));
    }
    changed_.notify_all();
  }

 private:
  void run() {
    std::minstd_rand random(1);
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return done_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      std::swap(waiting_[random() % waiting_.size()], waiting_.back());
      const std::function<void()> copy = std::move(waiting_.back());
      waiting_.pop_back();
      lock.unlock();
      copy();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> waiting_;
  bool done_ = false;
  std::thread thread_{[this] { run(); }};
};

struct Block {
  Block(unsigned threads, std::size_t shared_bytes)
      : shared(static_cast<unsigned char*>(
            std::aligned_alloc(alignment, (shared_bytes + alignment - 1) / alignment * alignment))),
        meetings(threads) {
    for (int i = 0; i < 16; ++i) warpgroups.emplace_back(warpgroup_threads);
  }
  ~Block() { std::free(shared); }
  Block(const Block&) = delete;
  unsigned char* shared;
  Meetings meetings;
  std::deque<std::barrier<>> warpgroups;  ///< by the number of the barrier
};

struct Cluster {
  Cluster(unsigned blocks_in_it, unsigned threads, std::size_t shared_bytes) : everyone(blocks_in_it * threads) {
    for (unsigned i = 0; i < blocks_in_it; ++i) blocks.push_back(std::make_unique<Block>(threads, shared_bytes));
  }
  std::vector<std::unique_ptr<Block>> blocks;
  std::barrier<> everyone;
  CopyEngine engine;
};
inline thread_local Cluster* cluster;
inline thread_local int rank;
inline Block& block_at(int index) { return *cluster->blocks[static_cast<std::size_t>(index)]; }
inline Block& this_block() { return block_at(rank); }

/// The same address in the shared memory of another block.
template <class T>
T* in_block(T* here, int block) {
  const auto offset = reinterpret_cast<unsigned char*>(here) - this_block().shared;
  return reinterpret_cast<T*>(block_at(block).shared + offset);
}

/// A product that this thread has started, and its group.
struct Product {
  float* sums;
  std::uint64_t a, b;
  bool adds;
  int group;
  void (*multiply)(const Product&);
};
inline thread_local std::deque<Product> products;
inline thread_local int groups_committed;
inline thread_local std::deque<std::function<void()>> copies_out;

/// The numbers in 32 bytes.
template <class Number>
using Deep = float[32 / sizeof(Number)];

/// 32 bytes of a row of an operand, in the order that the tensor core reads them.
template <class Number>
void read_operand(std::uint64_t descriptor, int row, Deep<Number>& to) {
  if (descriptor >> 62 != 1) fail("an operand without the swizzle of 128 bytes");
  const unsigned start = (descriptor & 0x3fff) * 16, eight_rows = (descriptor >> 32 & 0x3fff) * 16;
  const unsigned char* shared = this_block().shared;
  for (unsigned p = 0; p < std::size(to); ++p) {
    const unsigned at = start + static_cast<unsigned>(row) / 8 * eight_rows + static_cast<unsigned>(row) % 8 * 128 +
                        static_cast<unsigned>(sizeof(Number)) * p;
    const unsigned chunk = at / 16 % 8, line = at / 128;
    to[p] = to_float(*reinterpret_cast<const Number*>(shared + line * 128 + (chunk ^ line % 8) * 16 + at % 16));
  }
}

/// How the tensor core adds an instruction's products to a sum.
inline float sum_of(float sum, const Deep<Bf16>& a, const Deep<Bf16>& b) {
  for (std::size_t p = 0; p < std::size(a); ++p) sum += a[p] * b[p];
  return sum;
}
/// Of a normal number; of zero and the subnormal ones, the least exponent.
inline int exponent_of(float x, int least) {
  return std::max(static_cast<int>(std::bit_cast<std::uint32_t>(x) >> 23 & 0xff) - 127, least);
}
inline float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}

/// In e4m3, all that is added, and then the sum, keep 13 bits after the leading one of the number with the largest
/// exponent; the rest is cut off (Xie and others, "MMA-Sim", arXiv 2511.10909).
inline float sum_of(float sum, const Deep<E4m3>& a, const Deep<E4m3>& b) {
  int largest = exponent_of(sum, -100);
  for (std::size_t p = 0; p < std::size(a); ++p) {
    if (a[p] != 0 && b[p] != 0) largest = std::max(largest, exponent_of(a[p], -6) + exponent_of(b[p], -6));
  }
  const float units = power_of_two(13 - largest);
  auto whole = static_cast<std::int32_t>(sum * units);
  for (std::size_t p = 0; p < std::size(a); ++p) whole += static_cast<std::int32_t>(a[p] * b[p] * units);
  const float result = static_cast<float>(whole) * power_of_two(largest - 13);  // exact: fewer than 2^24 units
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(result) & 0xfffffc00u);
}

template <class Number, int count>
void multiply(const Product& product) {
  const int thread = static_cast<int>(threadIdx.x) % warpgroup_threads;
  for (int half = 0; half < 2; ++half) {
    Deep<Number> a, b;
    read_operand<Number>(product.a, thread / 32 * 16 + thread % 32 / 4 + half * 8, a);
    for (int i = 2 * half; i < count; i += 4) {
      for (int next = 0; next < 2; ++next) {
        read_operand<Number>(product.b, i / 4 * 8 + thread % 4 * 2 + next, b);
        float& sum = product.sums[i + next];
        sum = sum_of(product.adds ? sum : 0.0f, a, b);
      }
    }
  }
}

}  // namespace on_cpu

inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(static_cast<const unsigned char*>(pointer) - on_cpu::this_block().shared);
}
inline unsigned char* dynamic_shared() { return on_cpu::this_block().shared; }

inline void init(Barrier& barrier, int arrivals) { new (&barrier) Barrier(arrivals); }
inline void fence_barriers() {}
inline void arrive_expecting(Barrier& barrier, int bytes) { barrier.arrive(bytes); }
inline void arrive_at(Barrier& barrier, int block) { on_cpu::in_block(&barrier, block)->arrive(0); }
inline void wait(Barrier& barrier, std::uint32_t parity) { barrier.wait(parity); }
inline void sync_warpgroup(int id) { on_cpu::this_block().warpgroups[static_cast<std::size_t>(id)].arrive_and_wait(); }
inline int warp_in_block() { return static_cast<int>(threadIdx.x) / 32; }
inline int warpgroup_in_block() { return static_cast<int>(threadIdx.x) / warpgroup_threads; }
inline bool is_elected() { return threadIdx.x % 32 == 7; }  // no argument says which thread it is
inline int rank_in_cluster() { return on_cpu::rank; }
inline void sync_cluster() { on_cpu::cluster->everyone.arrive_and_wait(); }

template <InL2 = InL2::as_usual>
void copy_tile_in_to_all(void* to, const TensorMap& map, int column, int row, Barrier& barrier, std::uint16_t blocks) {
  for (int block = 0; block < 16; ++block) {
    if (!(blocks >> block & 1)) continue;
    auto* box = on_cpu::in_block(static_cast<unsigned char*>(to), block);
    Barrier* full = on_cpu::in_block(&barrier, block);
    on_cpu::cluster->engine.begin([=] {
      on_cpu::for_each_in_box(box, map, column, row, [](on_cpu::Sixteen* here, const on_cpu::Sixteen* there) {
        *here = there ? *there : on_cpu::Sixteen{};
      });
      full->bytes_came(map.box_rows * tile_row_bytes);
    });
  }
}
template <InL2 = InL2::as_usual>
void copy_tile_in(void* to, const TensorMap& map, int column, int row, Barrier& barrier) {
  copy_tile_in_to_all(to, map, column, row, barrier, static_cast<std::uint16_t>(1 << on_cpu::rank));
}
template <InL2 = InL2::as_usual>
void copy_tile_out(const TensorMap& map, int column, int row, const void* from) {
  auto* box = static_cast<unsigned char*>(const_cast<void*>(from));
  on_cpu::copies_out.push_back([=] {
    on_cpu::for_each_in_box(box, map, column, row, [](const on_cpu::Sixteen* here, on_cpu::Sixteen* there) {
      if (there) *there = *here;
    });
  });
}
template <int under_way>
void wait_for_copies_out() {
  for (; on_cpu::copies_out.size() > under_way; on_cpu::copies_out.pop_front()) on_cpu::copies_out.front()();
}
inline void fence_for_copies() {}

inline void store_squares(void* row, const std::uint32_t (&pairs)[4]) {
  const auto rows = on_cpu::of_warp(static_cast<unsigned char*>(row));
  on_cpu::expect_aligned(row, 16);
  for (unsigned square = 0; square < 4; ++square) {
    unsigned char* to = rows[8 * square + threadIdx.x % 32 / 4];
    reinterpret_cast<std::uint32_t*>(to)[threadIdx.x % 4] = pairs[square];
  }
  __syncwarp();
}

/// Clusters run one after the other: whatever a thread waits for exists already, or never will.
inline void raise(std::uint32_t* flag) { std::atomic_ref(*flag).store(1); }
inline void wait_for_flag(std::uint32_t* flag) {
  if (std::atomic_ref(*flag).load() != 1) on_cpu::fail("a flag was waited for in vain");
}
inline Parts lowered_parts(int count) {
  static std::vector<float> sums;
  static std::vector<std::uint32_t> flags;
  sums.assign(static_cast<std::size_t>(count) * Parts::room, NAN);
  flags.assign(static_cast<std::size_t>(count), 0);
  return {sums.data(), flags.data()};
}

inline void fence_sums() {}
inline void multiply_async(Sums& sums, std::uint64_t a, std::uint64_t b) {
  on_cpu::products.push_back({sums, a, b, true, on_cpu::groups_committed, on_cpu::multiply<Bf16, sums_per_thread>});
}
inline void multiply_async(HalfSums& sums, std::uint64_t a, std::uint64_t b, bool adds) {
  on_cpu::products.push_back({sums, a, b, adds, on_cpu::groups_committed, on_cpu::multiply<E4m3, sums_per_thread / 2>});
}
inline void commit_products() { ++on_cpu::groups_committed; }
template <int under_way>
void wait_for_products() {
  for (auto& all = on_cpu::products; !all.empty() && all.front().group < on_cpu::groups_committed - under_way;
       all.pop_front())
    all.front().multiply(all.front());
  __syncwarp();  // a warp executes this together
}
template <int count>
void finish_products(float (&)[count]) {
  wait_for_products<0>();
}
template <int registers>
void shrink_registers() {}
template <int registers>
void grow_registers() {}

template <class Number>
TensorMap tensor_map(const Number* data, int rows, int columns, int box_rows) {
  constexpr int bytes = sizeof(Number);
  if (columns * bytes % 16 != 0) on_cpu::fail("a tensor copy from rows that are not whole 16 bytes");
  return {reinterpret_cast<unsigned char*>(const_cast<Number*>(data)), rows, columns * bytes, box_rows, bytes};
}
template <class... Parameters>
class ClusterKernel {
 public:
  ClusterKernel(void (*kernel)(Parameters...), int threads, int cluster, std::size_t shared_bytes)
      : kernel_(kernel),
        threads_(static_cast<unsigned>(threads)),
        in_cluster_(static_cast<unsigned>(cluster)),
        shared_bytes_(shared_bytes) {}

  int resident_clusters() const { return 6 / static_cast<int>(in_cluster_); }

  /// Runs the clusters one after the other.
  template <class... Arguments>
  void launch(dim3 blocks, Arguments... arguments) {
    gridDim = blocks;
    blockDim = dim3(threads_);
    for (unsigned first = 0; first < blocks.x * blocks.y; first += in_cluster_) {
      on_cpu::Cluster cluster(in_cluster_, threads_, shared_bytes_);
      std::vector<std::thread> all;
      for (unsigned block = 0; block < in_cluster_; ++block) {
        for (unsigned thread = 0; thread < threads_; ++thread) {
          all.emplace_back([&, block, thread] {
            on_cpu::cluster = &cluster;
            on_cpu::rank = static_cast<int>(block);
            on_cpu::become(thread, cluster.blocks[block]->meetings);
            blockIdx = {(first + block) % blocks.x, (first + block) / blocks.x};
            kernel_(arguments...);
            if (!on_cpu::products.empty() || !on_cpu::copies_out.empty() || !on_cpu::copies.empty())
              on_cpu::fail("a thread left work behind");
          });
        }
      }
      for (std::thread& thread : all) thread.join();
    }
  }

 private:
  void (*kernel_)(Parameters...);
  unsigned threads_, in_cluster_;
  std::size_t shared_bytes_;
};

}  // namespace hf::gpu
