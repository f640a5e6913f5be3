// The names of a record's numbers.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "record/record.hpp"

namespace {

using json = nlohmann::json;

const json record = {{"values", {{{"id", "read_gbs"}, {"value", 40}, {"unit", "GB/s"}, {"kind", "measured"}}}},
                     {"series",
                      {{{"id", "gemv_speedup"},
                        {"kind", "measured"},
                        {"y", {{"unit", "1"}}},
                        {"points",
                         {{{"x", 1}, {"median", 1}, {"label", "fp32"}},
                          {{"x", 2}, {"median", 3.9}, {"label", "FP8 E4M3"}},
                          {{"x", 3}, {"median", 3.8}, {"label", "int8, by row"}}}}},
                       {{"id", "gemm_gflops"},
                        {"kind", "modelled"},
                        {"y", {{"unit", "GFLOP/s"}}},
                        {"points", {{{"x", 64}, {"median", 90}}, {{"x", 0.5}, {"median", 7}}}}}}}};

TEST_CASE("a value has its id, a point that of its series and its row") {
  CHECK(hf::number_at(record, "read_gbs")->interval.median == 40);
  CHECK(hf::number_at(record, "gemv_speedup[fp8_e4m3]")->interval.median == 3.9);
  CHECK(hf::number_at(record, "gemv_speedup[int8_by_row]")->interval.median == 3.8);
  CHECK(hf::number_at(record, "gemm_gflops[64]")->interval.median == 90);
  CHECK(hf::number_at(record, "gemm_gflops[64]")->unit == "GFLOP/s");
  CHECK(hf::number_at(record, "gemm_gflops[64]")->kind == "modelled");
  CHECK(hf::number_at(record, "gemm_gflops[0_5]")->interval.median == 7);
}

TEST_CASE("what there is not") {
  for (const char* address :
       {"gemv_speedup", "gemv_speedup[q4_0]", "gemv_speedup[fp32", "gemv[fp32]", "read_gbs[fp32]", "[]", ""}) {
    CAPTURE(address);
    CHECK_FALSE(hf::number_at(record, address));
  }
}

}  // namespace
