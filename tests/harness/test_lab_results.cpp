// What a lab may add to its results, and what is refused at once instead of after minutes of measuring.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/lab.hpp"
#include "quiet_lab.hpp"

namespace {

using hf::Kind;
using hf::Value;

struct Quiet : hf::QuietLab {
  explicit Quiet(std::vector<hf::Step> steps = {}, std::function<void(hf::Lab&)> prepare = {})
      : QuietLab({"99-quiet", "Quiet", std::move(prepare), std::move(steps)}) {}
};

hf::Series series(const std::string& id, const std::string& unit, double y) {
  return {id, id, Kind::modelled, {"size", "B"}, {"y", unit}, {hf::Point(1024, y)}};
}

const Value& last(const hf::Lab& lab) { return lab.results().values.back(); }

}  // namespace

TEST_CASE("where a value comes from is said by the name of what adds it") {
  Quiet quiet;
  hf::Lab& lab = quiet.lab;
  CHECK_FALSE(lab.has("a"));
  lab.derived("a", 1);
  CHECK(last(lab).kind == Kind::measured);
  lab.simulated("b", 2, "cycles");
  CHECK(last(lab).kind == Kind::simulated);
  lab.modelled("c", 3);
  CHECK(last(lab).kind == Kind::modelled);
  lab.quoted("d", 4, "pJ", "somebody2020");
  CHECK(last(lab).kind == Kind::quoted);
  CHECK(last(lab).source == "somebody2020");
  CHECK(lab.has("a"));
  CHECK(lab.value("b") == 2);
  CHECK_THROWS_AS(lab.value("e"), std::out_of_range);
}

TEST_CASE("what no record may have is refused at once") {
  Quiet quiet;
  hf::Lab& lab = quiet.lab;
  lab.modelled("once", 1);
  CHECK_THROWS_WITH_AS(lab.modelled("once", 1), doctest::Contains("value once was added twice"), std::logic_error);
  CHECK_THROWS_WITH_AS(lab.modelled("Upper", 1), doctest::Contains("value Upper: expected lower-case"),
                       std::logic_error);
  CHECK_THROWS_WITH_AS(lab.modelled("speed", 1, "GBs"), doctest::Contains("not \"GBs\""), std::logic_error);
  CHECK_THROWS_WITH_AS(lab.modelled("read_gbs", 1, "ns"),
                       "value read_gbs: expected unit GB/s, to match the end of its id, not ns", std::logic_error);
  CHECK_THROWS_WITH_AS(lab.modelled("late_ns", 0, "ns"), doctest::Contains("value late_ns: expected more than 0 ns"),
                       std::runtime_error);
  CHECK_THROWS_AS(lab.modelled("none", std::numeric_limits<double>::quiet_NaN()), std::runtime_error);
  CHECK(lab.results().values.size() == 1);

  lab.add(series("speed", "GB/s", 1));
  CHECK_THROWS_AS(lab.add(series("speed", "GB/s", 1)), std::logic_error);
  CHECK_THROWS_AS(lab.add(series("other", "GBs", 1)), std::logic_error);
  CHECK_THROWS_WITH_AS(lab.add(series("other", "GB/s", -1)),
                       doctest::Contains("series other at 1024: expected more than 0 GB/s"), std::runtime_error);
  hf::Series counted = series("counted", "1", 1);
  counted.kind = Kind::measured;
  counted.points = {{1024, 3.5}};
  CHECK_THROWS_WITH_AS(lab.add(counted), doctest::Contains("series counted at 1024: expected samples"),
                       std::logic_error);
  CHECK_THROWS_AS(lab.add(series("other", "1", std::numeric_limits<double>::infinity())), std::runtime_error);
  CHECK(lab.results().series.size() == 1);
}

TEST_CASE("the steps are prepared and taken in their order") {
  std::string taken;
  const auto take = [&](const char* name) { return [&taken, name](hf::Lab&) { taken += name; }; };
  Quiet quiet({{"a", take("a"), 1, 1}, {"b", take("b"), 1, 1}}, [&](hf::Lab&) { taken += "prepared: "; });
  quiet.lab.run();
  CHECK(taken == "prepared: ab");
}

TEST_CASE("a step wanted alone takes along what it builds on, and no other") {
  std::string taken;
  const auto take = [&](const char* name) { return [&taken, name](hf::Lab&) { taken += name; }; };
  Quiet quiet(
      {{"a", take("a"), 1, 1}, {"b", take("b"), 1, 1}, {"c", take("c"), 1, 1, {"a"}}, {"d", take("d"), 1, 1, {"c"}}});
  quiet.lab.only("d");
  quiet.lab.run();
  CHECK(taken == "acd");
}

TEST_CASE("a step that may fail is noted, and the next is taken") {
  const auto fail = [](hf::Lab&) { throw std::runtime_error("no answer"); };
  Quiet quiet({{"may", fail, 1, 1, {}, true}, {"must", fail, 1, 1}});
  CHECK_THROWS_WITH_AS(quiet.lab.run(), "no answer", std::runtime_error);
  CHECK_FALSE(quiet.lab.results().complete);
  CHECK(quiet.lab.results().notes == std::vector<std::string>{"may: no answer"});
}

TEST_CASE("what was measured in two states is held against what was measured in one of them, and the record says so") {
  const hf::Sampling both = {
      {"peak", "read", "layer"},
      {hf::estimate(std::vector<double>(10, 7.5)), hf::estimate({1.5, 1.5, 3, 3, 3, 3, 1.5, 3, 3, 3}),
       hf::estimate({5.5, 5.5, 9, 9, 9, 9, 5.5, 9, 9, 9})}};
  const auto batches = [&](hf::Lab& lab) {
    const hf::Sampling one = lab.in_one_state(both, {"peak", "read"});
    CHECK(one.of("layer").samples == std::vector<double>(7, 9));
    CHECK(one.of("read").samples == std::vector<double>(7, 3));
    CHECK(lab.in_one_state(both, {"peak"}).of("layer").samples.size() == 10);
  };
  Quiet quiet({{"batches", batches, 1, 1}});
  quiet.lab.run();
  CHECK(quiet.lab.results().notes ==
        std::vector<std::string>{"batches: this machine has two states. Excluded: 3 of 10 rounds, in which "
                                 "\"read\" took 0.500× as long as in the others"});
}

TEST_CASE("series stand side by side in a table, matched by their labels") {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* stream = open_memstream(&text, &size);
  hf::Terminal terminal(stream, hf::TerminalStyle{});
  hf::Lab lab({"99-quiet", "Quiet", {}, {}}, hf::Budget::quick, {}, terminal);
  const hf::Axis format = {"format", "1"};
  lab.add(hf::Series{"a", "predicted", Kind::modelled, format, {"speed", "GB/s"}, {{1, 40, "fp32"}, {2, 80, "bf16"}}});
  lab.add(hf::Series{"b", "measured", Kind::modelled, format, {"speed", "GB/s"}, {{1, 77, "bf16"}}});
  lab.show("Speeds", {"a", "b"});
  CHECK_THROWS_AS(lab.show("Speeds", {"c"}), std::out_of_range);
  std::fclose(stream);
  const std::string shown(text, size);
  std::free(text);
  CHECK(shown.find("predicted, GB/s") < shown.find("measured, GB/s"));
  CHECK(shown.find("fp32") < shown.find("40"));
  CHECK(shown.find("bf16") < shown.find("77"));
}
