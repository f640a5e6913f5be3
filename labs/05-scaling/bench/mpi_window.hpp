/// \file
/// The window of collectives.hpp between processes: memory that MPI shares among the ranks of one host.
#pragma once

#include <mpi.h>
#include <sys/statvfs.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "common/ranks/transport_mpi.hpp"

namespace hf::scaling {

class MpiWindow {
 public:
  /// All ranks must construct it together.
  /// \param count  how many numbers each rank has in the window, the same for all
  /// \throws std::runtime_error if MPI cannot share that much memory
  explicit MpiWindow(std::size_t count) {
    void* mine = nullptr;
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const auto bytes = static_cast<MPI_Aint>(alignment + sizeof(WindowPart) + count * sizeof(float));
    check_mpi(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&mine), &window_),
              "MPI_Win_allocate_shared");
    for (int other = 0; other < size; ++other) {
      MPI_Aint theirs = 0;
      int unit = 0;
      void* base = nullptr;
      check_mpi(MPI_Win_shared_query(window_, other, &theirs, &unit, static_cast<void*>(&base)),
                "MPI_Win_shared_query");
      parts_.push_back(aligned(base));
      numbers_.push_back(reinterpret_cast<float*>(parts_.back() + 1));
    }
    std::construct_at(aligned(mine));
    MPI_Barrier(MPI_COMM_WORLD);  // no rank reads a part before it is ready
  }
  ~MpiWindow() { MPI_Win_free(&window_); }
  MpiWindow(const MpiWindow&) = delete;
  MpiWindow& operator=(const MpiWindow&) = delete;

  /// True if all ranks run on one host.
  static bool possible() {
    MPI_Comm host = MPI_COMM_NULL;
    int all = 0, here = 0;
    check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
              "MPI_Comm_split_type");
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Comm_size(host, &here);
    MPI_Comm_free(&host);
    return here == all;
  }

  /// Where MPI shares memory.
  static constexpr const char* shared_folder = "/dev/shm";

  /// The bytes that the ranks' windows take there.
  static std::size_t bytes_of_all(std::size_t count) {
    constexpr std::size_t pages = 1 << 16;  // each part is rounded up to pages
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return static_cast<std::size_t>(ranks) * (count * sizeof(float) + pages);
  }

  /// The fewest free bytes there, as each rank sees it: the same on all.
  static std::size_t free_bytes() {
    struct statvfs state = {};
    unsigned long free = ~0UL;  // unknown: as much as may be
    if (statvfs(shared_folder, &state) == 0) free = state.f_bavail * state.f_frsize;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &free, 1, MPI_UNSIGNED_LONG, MPI_MIN, MPI_COMM_WORLD), "MPI_Allreduce");
    return free;
  }

  const std::vector<WindowPart*>& parts() const { return parts_; }  ///< of all ranks, in order
  const std::vector<float*>& numbers() const { return numbers_; }   ///< of all ranks, aligned to 64 bytes

 private:
  static constexpr std::size_t alignment = alignof(WindowPart);  // more than MPI guarantees
  static WindowPart* aligned(void* base) {
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    return reinterpret_cast<WindowPart*>((address + alignment - 1) / alignment * alignment);
  }

  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<WindowPart*> parts_;
  std::vector<float*> numbers_;
};

}  // namespace hf::scaling
