/// \file
/// Ranks as processes, on one machine or many, that send messages through MPI.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "kit/ranks/transport.hpp"

namespace hf {

/// Runs `program` between MPI's initialisation and finalisation; any one thread at a time may call MPI. If it throws on
/// any rank, all ranks end, and that rank prints one line on standard error: `NAME: rank R: why`.
/// \return exit status, as returned by `program`
int run_ranks(const char* name, int argc, char** argv, const std::function<int()>& program);

/// Ends all ranks, after a moment: Open MPI 5 may lose the last output of a rank that aborts at once.
void abort_ranks(int status);

/// \throws std::runtime_error with MPI's error text if `status` is an error
void check_mpi(int status, const char* what);

/// The name of the MPI library: "Open MPI v4.1.4".
std::string mpi_library();

class MpiTransport final : public Transport {
 public:
  /// The ranks of a communicator, which must outlive this.
  explicit MpiTransport(MPI_Comm ranks = MPI_COMM_WORLD);

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  /// Sends messages in pieces, so that one piece can be added, in cache, while the next is under way.
  /// \throws std::runtime_error for an error that MPI reports
  void exchange(int to, std::span<const float> out, int from, std::span<float> in) override;
  void exchange_add(int to, std::span<const float> out, int from, std::span<float> sum) override;

 private:
  template <class Place, class Arrived>
  void in_pieces(int to, std::span<const float> out, int from, std::size_t expected, Place place, Arrived arrived);

  MPI_Comm ranks_;
  int rank_ = 0, size_ = 1;
};

}  // namespace hf
