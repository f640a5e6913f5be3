// The schedule of a pipeline: how long the ranks wait, and how much they keep.
#include <doctest/doctest.h>

#include "05-scaling/kernels/training/pipeline.hpp"

namespace hf::scaling {
namespace {

TEST_CASE("the ranks of a pipeline wait as long as the formula says, in both schedules") {
  for (const PipelineSchedule* schedule : {&gpipe, &one_forward_one_backward}) {
    for (const int stages : {1, 2, 3, 4, 5, 8}) {
      for (const int micros : {1, 2, 3, 4, 7, 8, 16, 32}) {
        CAPTURE(schedule->id);
        CAPTURE(stages);
        CAPTURE(micros);
        CHECK(simulate_bubble(*schedule, stages, micros) == doctest::Approx(bubble_predicted(stages, micros)));
      }
    }
  }
}

}  // namespace
}  // namespace hf::scaling
