#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "05-scaling/check/reference.hpp"
#include "05-scaling/kernels/collectives/collectives.hpp"
#include "common/random.hpp"

namespace hf::scaling {
namespace {

std::uint64_t sequence(int rank) { return 200 + static_cast<std::uint64_t>(rank); }

/// Threads that all run at the same time, each with its part of a window in the process's own memory.
class Threads {
 public:
  Threads(int count, std::size_t numbers) {
    for (int i = 0; i < count; ++i) {
      owned_.push_back(std::make_unique<WindowPart>());
      parts_.push_back(owned_.back().get());
      owned_numbers_.emplace_back(numbers);
      numbers_.push_back(owned_numbers_.back().data());
    }
  }

  /// Sums of several sizes, one right after the other, so that slots are reused: in the window, then through it.
  std::vector<std::vector<std::vector<float>>> sums(const std::vector<std::size_t>& sizes) {
    std::vector<std::vector<std::vector<float>>> of_rank(parts_.size());
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < parts_.size(); ++rank) {
      threads.emplace_back([&, rank] {
        WindowAllReduce all_reduce(static_cast<int>(rank), parts_, numbers_, true);
        for (const std::size_t size : sizes) {
          const std::span<float> mine(numbers_[rank], size);
          fill_random(mine, sequence(static_cast<int>(rank)));
          std::vector<float> elsewhere(mine.begin(), mine.end());
          all_reduce.in_window(size);
          of_rank[rank].emplace_back(mine.begin(), mine.end());
          all_reduce.anywhere(elsewhere);
          of_rank[rank].push_back(std::move(elsewhere));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return of_rank;
  }

 private:
  std::vector<std::unique_ptr<WindowPart>> owned_;
  std::vector<WindowPart*> parts_;
  std::vector<std::vector<float>> owned_numbers_;
  std::vector<float*> numbers_;
};

TEST_CASE("in a shared window, and through one, every rank gets the same sums") {
  const std::size_t chunk = WindowPart::chunk;
  const std::vector<std::size_t> sizes = {
      0, 1, 2, 7, 8, 63, 1000, 1024, 1025, 1, chunk - 1, chunk, chunk + 1, 3 * chunk + 5, 3};
  for (const int n : {1, 2, 3, 4, 7, 8}) {
    CAPTURE(n);
    const auto of_rank = Threads(n, 4 * chunk).sums(sizes);
    for (std::size_t i = 0; i < of_rank[0].size(); ++i) {
      const std::size_t size = sizes[i / 2];
      CAPTURE(size);
      REQUIRE(of_rank[0][i].size() == size);
      CHECK(worst_sum_error(of_rank[0][i], n, sequence) <= 1);
      for (const auto& results : of_rank) CHECK(results[i] == of_rank[0][i]);
    }
  }
}

}  // namespace
}  // namespace hf::scaling
