// Tries a reader's sum.
#include "yours/trial.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "@ID@/NAMESPACE.hpp"
#include "kit/cache_simulator.hpp"
#include "yours/arrays.hpp"
#include "yours/counting.hpp"
#include "yours/race.hpp"

namespace hf::NAMESPACE {
namespace {

class Numbers : public yours::Arrays {
 public:
  using Kernel = float(std::size_t count, const float* x);

  Numbers(std::size_t count, yours::Place place) : Arrays(place, {{"x", count, yours::Role::input}}) {}

  std::string text() const { return std::to_string(numbers(0).size()) + " numbers"; }
  void run(Kernel* kernel) { sum_ = kernel(numbers(0).size(), data(0)); }

  /// \throws yours::Wrong if the sum is further from the exact one than n rounded additions may leave it (Higham, 2002)
  void check() const {
    double expected = 0, magnitudes = 0;
    for (const float each : numbers(0)) {
      expected += each;
      magnitudes += std::abs(each);
    }
    if (!(std::abs(sum_ - expected) <= static_cast<double>(numbers(0).size()) * 0x1p-24 * magnitudes))
      yours::refuse("the sum", sum_, expected, text());
  }

  /// One of the chapter's sums as a contestant.
  template <class Add>
  Variant chapters(std::string id, Add add) {
    return yours::fresh(
        std::move(id), [this] { renew(); }, [this, add] { sum_ = add(numbers(0)); }, [this] { check(); });
  }

 private:
  float sum_ = 0;
};

void check(void* kernel) {
  yours::check_shapes<Numbers>(std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 1000, 4096},
                               kernel);
}

constexpr std::size_t many = 4096;

std::vector<yours::Count> count(void* kernel) {
  Numbers numbers(many, yours::Place::guarded);
  const Traffic traffic = yours::count_call(numbers, kernel).traffic;
  return {yours::bytes_per("number", &Traffic::registers_l1, "", traffic, many, {{"each number once", sizeof(float)}})};
}

std::vector<yours::Heat> race(void* kernel, bool quick) {
  Numbers x(many, yours::Place::huge);
  const std::vector<yours::Runner> runners = {
      {yours::readers(x, kernel), "yours", many},
      {x.chapters("one", [](const auto& numbers) { return sum_in_chains<1>(numbers); }), "one chain", many},
      {x.chapters("eight", [](const auto& numbers) { return sum_in_chains<8>(numbers); }), "eight chains", many}};
  yours::trying("the race");
  return {yours::race("in the L1", 16, runners, "eight", quick ? 3 : 11)};
}

}  // namespace
}  // namespace hf::NAMESPACE

int main(int argc, char** argv) {
  return hf::yours::run_trial({.id = "@ID@",
                               .function = "sum",
                               .check = hf::NAMESPACE::check,
                               .count = hf::NAMESPACE::count,
                               .race = hf::NAMESPACE::race,
                               .unit = "GFLOP/s"},
                              argc, argv);
}
