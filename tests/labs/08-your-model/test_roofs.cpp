#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "08-your-model/bench/roofs.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/threads.hpp"

namespace hf::your_model {
namespace {

TEST_CASE("the roofs file has every roof of each team, and working sets that rise beyond the caches") {
  Machine machine = probe_machine();
  const Plan brief = {.rounds = 1, .minimum_rounds = 1, .sample_seconds = 1e-5, .warm_seconds = 0};
  constexpr std::size_t largest = std::size_t{3} << 19;  // not a power of two
  Team one(1), two(2);
  const Roofs first = measure_roofs(machine, one, largest, {brief, brief});
  const Roofs second = measure_roofs(machine, two, largest, {brief, brief});
  CHECK(first.memory.bytes.back() == largest);
  CHECK(second.memory.bytes.back() == largest);

  const nlohmann::json json = nlohmann::json::parse(roofs_json(machine, {first, second}));
  CHECK(json.at("machine") == machine.cpu_name());
  for (const char* threads : {"1", "2"}) {
    const nlohmann::json& roofs = json.at("threads").at(threads);
    for (const char* id : {"fp32_gflops", "exp_gops", "gelu_gops"}) CHECK(roofs.at(id).get<double>() > 0);
    for (const char* id : {"read", "copy"}) {
      std::size_t before = 0;
      for (const nlohmann::json& point : roofs.at(id)) {
        CHECK(point.at(0).get<std::size_t>() > before);
        CHECK(point.at(1).get<double>() > 0);
        before = point.at(0);
      }
    }
  }
}

TEST_CASE("the largest working set is beyond the caches, and never more than memory allows") {
  Machine machine;
  CHECK(beyond_the_caches(machine) >= std::size_t{1} << 20);
  CHECK(beyond_the_caches(machine) <= std::size_t{64} << 20);
  machine.caches = {{3, "unified", std::uint64_t{32} << 20, 2}};
  CHECK(beyond_the_caches(machine) <= std::size_t{128} << 20);
}

}  // namespace
}  // namespace hf::your_model
