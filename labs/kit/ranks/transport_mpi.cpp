#include "kit/ranks/transport_mpi.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

#include "kit/ranks/transport.hpp"

namespace hf {
namespace {

constexpr int tag = 5;
constexpr std::size_t piece = 1 << 18;  ///< numbers: 1 MiB; starting smaller pieces costs more than the cache saves

/// Piece `index` of a message, empty beyond its end.
template <class Number>
std::span<Number> piece_of(std::span<Number> numbers, std::size_t index) {
  const std::size_t first = std::min(index * piece, numbers.size());
  return numbers.subspan(first, std::min(piece, numbers.size() - first));
}

/// The number of pieces: at least one, since empty messages are sent too.
std::size_t pieces(std::size_t numbers) { return std::max<std::size_t>(1, (numbers + piece - 1) / piece); }

}  // namespace

int run_ranks(const char* name, int argc, char** argv, const std::function<int()>& program) {
  int threads = 0, status = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &threads);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  try {
    if (threads < MPI_THREAD_SERIALIZED) {
      throw std::runtime_error("this MPI library lets only one thread send; load another one");
    }
    status = program();
  } catch (const std::exception& error) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(stderr, "%s: rank %d: %s\n", name, rank, error.what());
    abort_ranks(1);
  }
  MPI_Finalize();
  return status;
}

void abort_ranks(int status) {
  std::fflush(nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  MPI_Abort(MPI_COMM_WORLD, status);
}

void check_mpi(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw std::runtime_error(std::string(what) + ": " + std::string(text, static_cast<std::size_t>(length)));
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text, static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of(",\n"));
}

MpiTransport::MpiTransport(MPI_Comm ranks) : ranks_(ranks) {
  MPI_Comm_rank(ranks_, &rank_);
  MPI_Comm_size(ranks_, &size_);
}

void MpiTransport::exchange(int to, std::span<const float> out, int from, std::span<float> in) {
  in_pieces(
      to, out, from, in.size(), [&](std::size_t index) { return piece_of(in, index); }, [](std::size_t) {});
}

void MpiTransport::exchange_add(int to, std::span<const float> out, int from, std::span<float> sum) {
  const std::span<float> slots = room(2 * std::min(piece, sum.size()));
  const auto slot = [&](std::size_t index) {
    return slots.subspan(index % 2 * slots.size() / 2, piece_of(sum, index).size());
  };
  in_pieces(to, out, from, sum.size(), slot, [&](std::size_t index) { add(piece_of(sum, index), slot(index)); });
}

/// \param place  returns where to put a piece that arrives
/// \param arrived  called when it has arrived and the piece of `out` has left, since both may share memory
template <class Place, class Arrived>
void MpiTransport::in_pieces(int to, std::span<const float> out, int from, std::size_t expected, Place place,
                             Arrived arrived) {
  const std::size_t leaving = to == nobody ? 0 : pieces(out.size()), arriving = from == nobody ? 0 : pieces(expected);
  std::array<std::array<MPI_Request, 2>, 2> requests;
  const auto start = [&](std::size_t index) {
    auto& [receives, sends] = requests[index % 2];
    receives = sends = MPI_REQUEST_NULL;
    if (index < arriving) {
      const std::span<float> next = place(index);
      check_mpi(MPI_Irecv(next.data(), static_cast<int>(next.size()), MPI_FLOAT, from, tag, ranks_, &receives),
                "MPI_Irecv");
    }
    if (index < leaving) {
      const std::span<const float> next = piece_of(out, index);
      check_mpi(MPI_Isend(next.data(), static_cast<int>(next.size()), MPI_FLOAT, to, tag, ranks_, &sends), "MPI_Isend");
    }
  };
  start(0);
  for (std::size_t index = 0; index < std::max(leaving, arriving); ++index) {
    start(index + 1);
    check_mpi(MPI_Waitall(2, requests[index % 2].data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    if (index < arriving) arrived(index);
  }
}

}  // namespace hf
