#include "05-scaling/kernels/collectives/mpi_window.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "05-scaling/kernels/collectives/collective_window.hpp"
#include "common/ranks/transport_mpi.hpp"

namespace hf::scaling {
namespace {

constexpr std::size_t alignment = alignof(WindowPart);  // MPI gives less

WindowPart* aligned(void* base) {
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  return reinterpret_cast<WindowPart*>((address + alignment - 1) / alignment * alignment);
}

}  // namespace

bool MpiWindow::possible(MPI_Comm ranks) {
  MPI_Comm host = MPI_COMM_NULL;
  int all = 0, here = 0;
  check_mpi(MPI_Comm_split_type(ranks, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), "MPI_Comm_split_type");
  MPI_Comm_size(ranks, &all);
  MPI_Comm_size(host, &here);
  MPI_Comm_free(&host);
  return here == all;
}

MpiWindow::MpiWindow(std::size_t count, MPI_Comm ranks) {
  void* mine = nullptr;
  int rank = 0, size = 0;
  MPI_Comm_rank(ranks, &rank);
  MPI_Comm_size(ranks, &size);
  const auto bytes = static_cast<MPI_Aint>(alignment + sizeof(WindowPart) + count * sizeof(float));
  check_mpi(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, ranks, static_cast<void*>(&mine), &window_),
            "MPI_Win_allocate_shared");
  for (int other = 0; other < size; ++other) {
    MPI_Aint theirs = 0;
    int unit = 0;
    void* base = nullptr;
    check_mpi(MPI_Win_shared_query(window_, other, &theirs, &unit, static_cast<void*>(&base)), "MPI_Win_shared_query");
    parts_.push_back(aligned(base));
    numbers_.push_back(reinterpret_cast<float*>(parts_.back() + 1));
  }
  std::construct_at(aligned(mine));
  MPI_Barrier(ranks);  // nobody reads a part before it is ready
}

MpiWindow::~MpiWindow() { MPI_Win_free(&window_); }

}  // namespace hf::scaling
