#include "record/text.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/measure/number_text.hpp"
#include "record/record.hpp"
#include "small_record.hpp"

TEST_CASE("a record is written with one point, value and input a line") {
  const hf::Json record = hf::small_record();
  const std::string text = hf::record_text(record);
  CHECK(hf::parse_json(text, "text") == record);
  for (const std::string line :
       {"\n    {\"high\": 1.79, \"low\": 1.61, \"median\": 1.7, \"samples\": [1.6, 1.7, 1.8], \"x\": 4096.0},\n",
        "\n   \"compiler\": \"GNU 12.2.0\",\n", "\n   \"x\": {\"name\": \"working set\", \"unit\": \"B\"},\n",
        "\n  {\"high\": 176.8, \"id\": \"peak_fp32_gflops\","}) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
  CHECK(text.ends_with("\n}\n"));
}

TEST_CASE("any JSON is written so that it reads the same") {
  for (const char* json :
       {"null", "[]", "{}", "[[], {}]", "[1, [2, [3, {\"a\": [\"\\u0001\\\"\"]}]]]", "{\"\": {\"é\": 1e300}}"}) {
    CHECK(hf::parse_json(hf::record_text(hf::Json::parse(json)), "text") == hf::Json::parse(json));
  }
}

TEST_CASE("a number below 1000 is rounded as the site does, and keeps its zeros") {
  const hf::Json cases = hf::load_json(ALIKE).at("numbers");
  for (const hf::Json& each : cases) {
    const double number = each[0];
    std::string text = hf::number_text(number);
    if (std::stod(text) >= 1000 || number < 0) continue;  // the site's minus is not a hyphen
    if (text.find('.') != std::string::npos) text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    CHECK(text == each[1].get<std::string>());
  }
}
