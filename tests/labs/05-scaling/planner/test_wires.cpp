// The traffic, and the wires that it uses.
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "05-scaling/kernels/planner/planner.hpp"

namespace hf::scaling {
namespace {

TEST_CASE("a ring takes n - 1 steps, each with an n-th of the bytes") {
  const Wire wire = {10e9, 2e-6, false};
  CHECK(ring_seconds(wire, 1, 1e9) == 0);
  CHECK(ring_seconds(wire, 2, 1e9) == doctest::Approx(2e-6 + 0.05));
  CHECK(ring_seconds(wire, 8, 1e9) == doctest::Approx(7 * 2e-6 + 7. / 8 * 0.1));
  CHECK(ring_seconds(wire, 8, 0) == doctest::Approx(7 * 2e-6));
}

TEST_CASE("an all-reduce in a node is what was measured, where the two agree") {
  // Bus bandwidth of eight chips, in GB/s: stas00/ml-engineering (A100, 16 GiB), Azure/AI-benchmarking-guide (others).
  const auto bus = [](const char* name, double bytes) {
    return 2. * 7 / 8 * bytes / (2 * ring_seconds(wire_between(chip(name), 1, 8, 1), 8, bytes)) * 1e-9;
  };
  const double MiB = 1024 * 1024;
  CHECK(bus("a100", 16384 * MiB) == doctest::Approx(235).epsilon(0.01));
  CHECK(bus("a100", MiB) == doctest::Approx(36.2).epsilon(0.1));
  CHECK(bus("gb200", 8192 * MiB) == doctest::Approx(680).epsilon(0.01));
  CHECK(bus("mi300x", MiB) == doctest::Approx(22.4).epsilon(0.1));
  CHECK(bus("mi300x", 8192 * MiB) == doctest::Approx(317).epsilon(0.01));
  // Alpha and beta alone are too optimistic in between: 167 was measured.
  CHECK(bus("a100", 64 * MiB) > 167);
  CHECK(bus("a100", 64 * MiB) < 167 * 1.4);
}

TEST_CASE("a group in a node has the switch, one across nodes the network cards of its members in each") {
  const Chip& h100 = chip("h100");
  CHECK_FALSE(wire_between(h100, 1, 8, 1).network);
  CHECK(wire_between(h100, 1, 8, 1).bandwidth == h100.link);
  CHECK(wire_between(h100, 8, 4, 1).bandwidth == h100.network);       // one chip of each node
  CHECK(wire_between(h100, 4, 16, 1).bandwidth == 2 * h100.network);  // two
  CHECK(wire_between(h100, 1, 64, 1).bandwidth == h100.link);         // eight cards exceed the switch
  CHECK(wire_between(chip("a100"), 1, 64, 1).bandwidth == 8 * chip("a100").network);
  CHECK(wire_between(h100, 1, 64, 1).network);
  CHECK(wire_between(h100, 64, 8, 1).bandwidth == h100.network);
  CHECK_FALSE(wire_between(chip("gb200"), 1, 64, 1).network);  // 72 chips behind one switch
  CHECK(wire_between(chip("gb200"), 1, 128, 1).network);
}

TEST_CASE("a step over the network takes longer than one in a node, and a ring leaves each node once") {
  for (const Chip& one : chips()) CHECK(one.network_latency > one.link_latency);
  const Chip& h100 = chip("h100");
  CHECK(wire_between(h100, 8, 64, 1).latency == doctest::Approx(h100.network_latency));
  const double all = 63 * wire_between(h100, 1, 64, 1).latency;
  CHECK(all == doctest::Approx(56 * h100.link_latency + 7 * h100.network_latency));
}

TEST_CASE("a torus has two links for each axis, up to the pod") {
  const Chip& v5e = chip("tpu-v5e");
  CHECK(wire_between(v5e, 1, 16, 1).bandwidth == 2 * v5e.link);
  CHECK(wire_between(v5e, 1, 256, 2).bandwidth == 4 * v5e.link);
  CHECK(wire_between(v5e, 1, 512, 2).bandwidth == v5e.network);
}

TEST_CASE("chips are what their data sheets say, and never beat them") {
  for (const Chip& one : chips()) {
    CAPTURE(one.name);
    CHECK(one.matmul <= one.peak);
    CHECK(one.matmul >= 0.5 * one.peak);
    CHECK((one.matmul8 == 0 || (one.matmul8 > 1.5 * one.matmul && one.matmul8 <= 2 * one.peak)));
    CHECK(one.network < one.link);
    CHECK_FALSE(one.source.empty());
    CHECK(&chip(one.name) == &one);
  }
  CHECK_THROWS_WITH_AS(chip("b300"), doctest::Contains("--chip b300: unknown; the chips are a100-40, a100, "),
                       std::runtime_error);
}

}  // namespace
}  // namespace hf::scaling
