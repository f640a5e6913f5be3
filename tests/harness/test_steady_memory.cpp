#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/measure/sampling.hpp"
#include "harness/measure/steady_memory.hpp"

namespace {

constexpr double MiB = 1 << 20;

/// Memory behind a host that limits bandwidth, in simulated time: an allowance fills at the steady rate, and reads use
/// it up at the machine's own rate.
class Rationed : public hf::MemoryReader {
 public:
  Rationed(double machine_gbs, double host_gbs, double allowance_bytes)
      : machine_(machine_gbs), host_(host_gbs), most_(allowance_bytes), left_(allowance_bytes) {}

  double window_bytes() const override { return 2 * MiB; }

  void be_quiet(double seconds) override { fill(seconds); }

  std::vector<double> read_for(double seconds) override {
    std::vector<double> gbs;
    for (double spent = 0; spent < seconds;) {
      const double time = read_window();
      gbs.push_back(window_bytes() / time * 1e-9);
      spent += time;
    }
    return gbs;
  }

  void read_bytes(double bytes) override {
    for (double read = 0; read < bytes; read += window_bytes()) read_window();
  }

  double left() const { return left_; }

 private:
  void fill(double seconds) { left_ = std::min(left_ + host_ * 1e9 * seconds, most_); }

  double read_window() {
    const bool allowed = left_ >= window_bytes();
    const double seconds = window_bytes() / (allowed ? machine_ : host_) * 1e-9;
    if (allowed) left_ -= window_bytes();
    if (allowed) fill(seconds);
    return seconds;
  }

  double machine_, host_, most_, left_;
};

/// A reader without a limit, which must not be read from once that is known.
class Plain : public hf::MemoryReader {
 public:
  double window_bytes() const override { return 2 * MiB; }
  void be_quiet(double) override {}
  std::vector<double> read_for(double) override { return std::vector<double>(1000, 50.0); }
  void read_bytes(double) override { throw std::logic_error("there is nothing to drain"); }
};

/// A variant that records the remaining allowance when it is warmed up and sampled.
hf::Variant noting(const Rationed& memory, std::vector<double>& left) {
  return {"a", [&](std::int64_t calls) {
            left.push_back(memory.left());
            return 1e-2 * static_cast<double>(calls);
          }};
}

}  // namespace

TEST_CASE("a ration is found, named, and used up before every sample") {
  const auto memory = std::make_shared<Rationed>(67, 37, 50 * MiB);
  const hf::SteadyMemory steady({}, memory);
  REQUIRE(steady.burst());
  CHECK(steady.burst()->burst_gbs.median == doctest::Approx(67));
  CHECK(steady.burst()->steady_gbs.median == doctest::Approx(37));
  CHECK(steady.burst()->bytes.median == doctest::Approx(50 * MiB * 67 / (67 - 37)).epsilon(0.1));
  CHECK(steady.drain_bytes() >= steady.burst()->bytes.high);
  CHECK(steady.text().find("67.0 GB/s for the first ") != std::string::npos);
  CHECK(steady.text().find("then 37.0 GB/s") != std::string::npos);
  CHECK(steady.first_gbs().median == steady.burst()->burst_gbs.median);
  CHECK(steady.steady_gbs().median == steady.burst()->steady_gbs.median);
  CHECK(steady.over_time().gbs.front().median == doctest::Approx(67));
  CHECK(steady.over_time().gbs.back().median == doctest::Approx(37));

  hf::Plan plan;
  plan.rounds = 7;
  plan.between_samples = [&] { memory->be_quiet(1); };  // much arithmetic before each sample
  std::vector<double> left;
  hf::sample(noting(*memory, left), steady.memory_bound(plan));
  REQUIRE(left.size() == 1 + 2 * 7);  // a calibration, then a warm-up and a sample each round
  for (std::size_t i = 1; i < left.size(); ++i) CHECK(left[i] < memory->window_bytes());

  left.clear();
  hf::sample(noting(*memory, left), plan);  // without it, each warm-up would see a burst
  for (std::size_t i = 1; i < left.size(); ++i) CHECK(left[i] == 50 * MiB);
}

TEST_CASE("where memory is not rationed nothing is read before a sample") {
  for (const hf::SteadyMemory& steady : {hf::SteadyMemory({}, std::make_shared<Plain>()), hf::SteadyMemory()}) {
    CHECK_FALSE(steady.burst());
    CHECK(steady.drain_bytes() == 0);
    CHECK(steady.text().empty());
    CHECK_FALSE(steady.memory_bound({}).before_sample);
  }
  const hf::SteadyMemory looked({}, std::make_shared<Plain>());
  CHECK(looked.first_gbs().median == doctest::Approx(50));
  CHECK(looked.steady_gbs().median == doctest::Approx(50));
  CHECK_THROWS_AS(hf::SteadyMemory().first_gbs(), std::out_of_range);
}

TEST_CASE("this machine's memory is looked at, whatever is found") {
  hf::BurstSearch how;
  how.repeats = 2;
  how.quiet_seconds = how.reading_seconds = 5e-3;
  int shown = 0;
  how.between = [&] { ++shown; };
  const hf::SteadyMemory steady(how);
  CHECK(shown == 2);
  REQUIRE_FALSE(steady.over_time().gbs.empty());
  for (const hf::Estimate& gbs : steady.over_time().gbs) CHECK(gbs.median > 0);
  CHECK((steady.drain_bytes() > 0) == steady.burst().has_value());
}
