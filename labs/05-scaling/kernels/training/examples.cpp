#include "05-scaling/kernels/training/examples.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "05-scaling/kernels/training/matrix.hpp"
#include "common/random.hpp"

namespace hf::scaling {
namespace {

constexpr std::uint64_t centres = 2000, first_batch = 3000;  // sequences of random numbers

}  // namespace

Batch make_batch(std::size_t rows, std::size_t width, std::size_t classes, std::uint64_t index) {
  constexpr float from_origin = 0.7f;
  Batch batch = {Matrix(rows, width), std::vector<int>(rows)};
  fill_random(batch.x.numbers(), first_batch + 2 * index);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t cloud = random_below(first_batch + 2 * index + 1, i, 2 * classes), label = cloud / 2;
    const float side = cloud % 2 == 0 ? from_origin : -from_origin;
    for (std::size_t j = 0; j < width; ++j) batch.x.row(i)[j] += side * random_number(centres, label * width + j);
    batch.labels[i] = static_cast<int>(label);
  }
  return batch;
}

std::vector<int> choose_experts(View x, std::size_t experts) {
  std::vector<int> chosen(x.rows);
  for (std::size_t i = 0; i < x.rows; ++i) {
    chosen[i] = static_cast<int>(std::max_element(x.row(i), x.row(i) + experts) - x.row(i));
  }
  return chosen;
}

}  // namespace hf::scaling
