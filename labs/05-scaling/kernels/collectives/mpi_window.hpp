/// \file
/// The window of collective_window.hpp between processes: memory that MPI shares among the ranks of one host.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "05-scaling/kernels/collectives/collective_window.hpp"

namespace hf::scaling {

class MpiWindow {
 public:
  /// Made by all ranks together.
  /// \param count  of numbers that each rank has in the window, the same for all
  /// \throws std::runtime_error where MPI cannot share so much memory
  explicit MpiWindow(std::size_t count, MPI_Comm ranks = MPI_COMM_WORLD);
  ~MpiWindow();
  MpiWindow(const MpiWindow&) = delete;
  MpiWindow& operator=(const MpiWindow&) = delete;

  /// Whether all ranks run on one host.
  static bool possible(MPI_Comm ranks = MPI_COMM_WORLD);

  const std::vector<WindowPart*>& parts() const { return parts_; }  ///< of all ranks, in their order
  const std::vector<float*>& numbers() const { return numbers_; }   ///< of all ranks, aligned to 64 bytes

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<WindowPart*> parts_;
  std::vector<float*> numbers_;
};

}  // namespace hf::scaling
