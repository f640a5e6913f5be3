// The smallest lab there can be: one sum, measured, predicted and claimed about. Tests run it whole. What TINY_LAB_DOES
// says in the environment lets them see how a lab ends that waits, fails, breaks a law, or finds a number
// that is none.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

#include "harness/keep.hpp"
#include "harness/lab.hpp"
#include "harness/work.hpp"

namespace {

constexpr int numbers = 1000;

void add_numbers() {
  float sum = 0;
  for (int i = 0; i < numbers; ++i) {
    sum += static_cast<float>(i);
    hf::keep(sum);
  }
}

constexpr hf::Work work{.flops = numbers, .bytes = 4};

std::string does() {
  const char* variable = std::getenv("TINY_LAB_DOES");
  return variable != nullptr ? variable : "";
}

void predict(hf::Lab& lab) {
  lab.show({"Predictions", {"kernel", "FLOP/byte", "side"}, {{"sum", hf::number_text(work.intensity()), "compute"}}});
}

void measure_sum(hf::Lab& lab) {
  if (does() == "fail") throw std::runtime_error("the sum is wrong; this is what TINY_LAB_DOES asked for");
  while (does() == "wait") hf::sample(hf::timed("sum", add_numbers), lab.plan());
  hf::Plan plan = lab.plan();
  plan.sample_seconds = 1e-5;
  const hf::Estimate seconds = hf::sample(hf::timed("sum", add_numbers), plan);
  const hf::Estimate speed = hf::rate(work.flops, seconds);
  lab.add(hf::Series{
      "sum", "sum of floats", hf::Kind::measured, {"numbers", "1"}, {"speed", "GFLOP/s"}, {hf::Point(numbers, speed)}});
  lab.add(hf::Value("sum_gflops", speed, "GFLOP/s"));
  lab.add(hf::Value("sum_seconds", seconds, "s"));
}

void add_bounds(hf::Lab& lab) {
  const double bound = does() == "nan" ? std::numeric_limits<double>::quiet_NaN() : does() == "law" ? 1e-6 : 1e6;
  lab.modelled("sum_bound_gflops", bound, "GFLOP/s");
  lab.derived("sum_flops", "FLOP");
}

}  // namespace

int main(int argc, char** argv) {
  const hf::LabInfo info = {.id = "99-tiny",
                            .title = "Adding takes time",
                            .prepare = predict,
                            .steps = {{"sum", measure_sum, 0.05, 0.1}, {"bounds", add_bounds, 0, 0, {"sum"}}}};
  return hf::run_lab(info, argc, argv);
}
