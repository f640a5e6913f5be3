#include "05-scaling/kernels/training/tensor_parallel.hpp"

#include <span>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "05-scaling/kernels/training/examples.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "common/ranks/transport.hpp"

namespace hf::scaling {

TensorParallel::TensorParallel(Transport& ranks, const Shape& shape)
    : ranks_(ranks),
      network_(shape, {{0, shape.blocks}, share(shape.hidden, ranks.rank(), ranks.size()), true}),
      adam_(network_.weights().size()) {}

double TensorParallel::gradients(const Batch& batch) {
  // Forward, what the hidden neurons of one rank add to x is a summand;
  // backward, so is what they add to its gradient.
  const Hook sum = [&](std::span<float> part) { all_reduce_ring(ranks_, part); };
  const double loss = loss_and_gradients(  // each rank has all rows
      network_, kept_, batch.x, batch.labels, batch.rows(), sum);
  return loss / ranks_.size();  // all ranks have all of it
}

}  // namespace hf::scaling
