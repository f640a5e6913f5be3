#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "08-your-model/bench/steps.hpp"
#include "08-your-model/peers/model_tool.hpp"

namespace hf::your_model {
namespace {

const std::string report =
    R"({"torch": "2.15.0", "threads": 1, "call_ns": 2500, "page_ns": 900, "whole_s": [4, 5, 6], "watched_s": [5, 5, 5],
  "operations": [
    {"module": "0", "line": "a.py:1", "kind": "addmm", "shapes": "1×2 · 2×3", "calls": 1, "flops": 12, "bytes": 44,
     "predicted_s": 2, "waits": "memory", "seconds": [3, 3, 9]},
    {"module": "1", "line": "a.py:1", "kind": "relu", "shapes": "1×3", "calls": 1, "flops": 3, "bytes": 24,
     "predicted_s": 0.5, "waits": "call", "seconds": [1, 1, 1]}]})";

TEST_CASE("a report is read with all its operations") {
  const Report read = read_report("a.py", report);
  CHECK(read.torch == "2.15.0");
  CHECK(read.call_s == doctest::Approx(2.5e-6));
  CHECK(read.page_s == doctest::Approx(9e-7));
  CHECK(read.whole_s.size() == 3);
  REQUIRE(read.operations.size() == 2);
  CHECK(read.operations[0].kind == "addmm");
  CHECK(read.operations[0].shapes == "1×2 · 2×3");
  CHECK(read.operations[0].module == "0");
  CHECK(read.operations[1].kind == "relu");
  CHECK(read.operations[1].waits == "call");
  CHECK(read.predicted_s() == 2.5);
}

TEST_CASE("the share of well predicted time weighs operations by their median time") {
  const Report read = read_report("a.py", report);
  CHECK(share_within(read, 1.5) == 0.75);  // 3 s of 4 are predicted within 3 / 2
  CHECK(share_within(read, 2) == 1);
  CHECK(share_within(read, 1.4) == 0);
}

TEST_CASE("what isn't a report is refused with the network's name") {
  for (const char* text : {"", "{}", "[1, 2]", "no model", R"({"torch": 3})"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(read_report("networks/gpt2.py", text), doctest::Contains("networks/gpt2.py: "),
                         std::runtime_error);
  }
}

}  // namespace
}  // namespace hf::your_model
