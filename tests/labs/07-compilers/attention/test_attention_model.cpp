#include "07-compilers/kernels/attention/attention.hpp"

#include <limits>

#include <doctest/doctest.h>

#include "common/work.hpp"

namespace hf::compilers {
namespace {

TEST_CASE("without the matrix, each operand crosses once") {
  const Work work = flash_work({100, 200, 64});
  CHECK(work.bytes == 4 * (2 * 100 * 64 + 2 * 200 * 64));
  CHECK(work.allocated_bytes == 4 * 100 * 64);
  CHECK(work.flops == (4 * 64 + 2 * flash_instructions_per_score()) * 100 * 200);
}

TEST_CASE("with the matrix, each score crosses five times") {
  const Head head = {1000, 1000, 1};
  CHECK(naive_work(head).traffic() == doctest::Approx(4 * 5 * 1e6).epsilon(0.01));
}

TEST_CASE("what takes longer, arithmetic or traffic, decides the time of each part") {
  const NaiveWork work = {.keys = {1e9, 1e9, 1e9}, .softmax = {1e9, 0, 0}, .values = {0, 1e9, 0}};
  CHECK(predicted_seconds({1, 1}, work) == doctest::Approx(2 + 1 + 1));
  CHECK(predicted_seconds({1, std::numeric_limits<double>::infinity()}, work) == doctest::Approx(2));
}

}  // namespace
}  // namespace hf::compilers
