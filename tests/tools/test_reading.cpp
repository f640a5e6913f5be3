// Records as they are read, the names of their numbers, and what follows from those.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "record/check.hpp"
#include "record/law.hpp"
#include "record/reading.hpp"
#include "record/record.hpp"
#include "small_record.hpp"
#include "suite.hpp"

namespace {

using namespace std::string_literals;

std::string refusal(const std::string& text) {
  return hf::refusal_of([&] { hf::parse_json(text, "file.json"); });
}

std::string load_refusal(const std::filesystem::path& file) {
  return hf::refusal_of([&] { hf::load_record(file); });
}

using hf::contains;

TEST_CASE("a record reads as it was written") {
  const hf::TemporaryDirectory directory;
  const hf::Json record = hf::small_record();
  hf::write(directory / "record.json", record.dump(1));
  CHECK(hf::load_record(directory / "record.json") == record);
}

TEST_CASE("a repeated key is refused, and named") {
  CHECK(refusal(R"({"a": 1, "a": 1})") == "file.json: /a: expected each key once; run the lab again");
  CHECK(refusal(R"({"list": [{}, {"a": [], "b": 1, "a": 2}]})") ==
        "file.json: /list/1/a: expected each key once; run the lab again");
  CHECK(refusal(R"([{"a": 1}, {"a": 1}])") == "accepted");
}

TEST_CASE("what is not JSON in UTF-8 is refused") {
  for (const std::string& text :
       {""s, " "s, "{"s, "[1,]"s, "{\"a\"}"s, "nul"s, "[NaN]"s, "[Infinity]"s, "01"s, "[1] 2"s, "'a'"s, "\"\xff\""s,
        "\"\xc0\x80\""s, "\"\xed\xa0\x80\""s, "\"\\ud800\""s, "\"\n\""s, "[1]\0"s, "// a\n1"s}) {
    CAPTURE(text);
    CHECK(contains(refusal(text), "file.json: "));
    CHECK(contains(refusal(text), "expected valid JSON in UTF-8 at byte "));
  }
}

TEST_CASE("a number beyond a double is refused, and its place named") {
  CHECK(contains(refusal(R"({"values": [1, 1e999]})"), "file.json: /values/1: expected a finite number at byte "));
  CHECK(contains(refusal("[-1e999]"), "expected a finite number"));
}

TEST_CASE("sizes are bounded") {
  CHECK(refusal(std::string(32, '[') + std::string(32, ']')) == "accepted");
  CHECK(contains(refusal(std::string(33, '[') + std::string(33, ']')), "expected at most 32 levels"));
  CHECK(contains(refusal(std::string(1000000, '[')), "expected at most 32 levels"));
  CHECK(refusal('"' + std::string(4096, 'a') + '"') == "accepted");
  CHECK(contains(refusal('"' + std::string(4097, 'a') + '"'), "expected text of at most 4096 bytes"));
  CHECK(contains(refusal("{\"" + std::string(4097, 'a') + "\": 1}"), "expected text of at most 4096 bytes"));
  std::string items;
  for (int i = 0; i < 65536; ++i) items += "1,";
  CHECK(refusal("[" + items.substr(0, items.size() - 1) + "]") == "accepted");
  CHECK(contains(refusal("[" + items + "1]"), "expected at most 65536 items"));
}

TEST_CASE("a refusal is one line, whatever the file says") {
  const std::string shown = refusal("{\"a\\n\\u001b[31m\": 1, \"a\\n\\u001b[31m\": 2}");
  CHECK(shown == "file.json: /a\\x0a\\x1b[31m: expected each key once; run the lab again");
}

TEST_CASE("files that cannot be read are named") {
  const hf::TemporaryDirectory directory;
  CHECK(contains(load_refusal(directory / "none.json"), (directory / "none.json").string() + ": No such file"));
  CHECK(contains(load_refusal(directory.path()), ": not a regular file; "));
  CHECK(contains(load_refusal("/dev/zero"), "/dev/zero: not a regular file; "));
  hf::write(directory / "large.json", std::string((8 << 20) + 1, ' '));
  CHECK(contains(load_refusal(directory / "large.json"), ": expected at most 8388608 bytes; "));
}

TEST_CASE("a record cut short at any byte is refused") {
  const std::string text = hf::small_record().dump();
  REQUIRE(hf::check(hf::parse_json(text, "whole")).empty());
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string shown = refusal(text.substr(0, size));
    if (shown == "accepted" || contains(shown, "\n")) FAIL("cut at byte " << size << ": " << shown);
  }
}

TEST_CASE("a record reads the same however an editor or a mailer saved it") {
  const hf::TemporaryDirectory directory;
  const auto file = directory / "a folder" / "record.json";
  hf::Json record = hf::small_record();
  record["lab"]["title"] = "µ → 𝄞";
  const std::string text = record.dump(1);
  const auto wide = [&](bool big_endian) {
    std::string bytes;
    for (const char16_t unit : std::filesystem::path(text).u16string()) {
      const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xff);
      (bytes += big_endian ? high : low) += big_endian ? low : high;
    }
    return bytes;
  };
  std::string lines;
  for (const char c : text) lines += c == '\n' ? "\r\n"s : std::string(1, c);
  for (const std::string& saved : {text, "\xef\xbb\xbf" + text, lines, text + "\n\n \t", text + std::string(512, '\0'),
                                   text + "\n\0\0"s, wide(false), wide(true), "\xff\xfe" + wide(false),
                                   "\xfe\xff" + wide(true), "\xff\xfe" + wide(false) + "\0\0"s}) {
    hf::write(file, saved);
    CHECK(load_refusal(file) == "accepted");
    CHECK(hf::load_json(file) == record);
  }
  for (const std::string& broken : {"\xff\xfe"s, "\xef\xbb\xbf"s, "\0\0"s, "{\0}"s, text + "\0x"s,
                                    "\xff\xfe\"\0\0\xd8\"\0"s, "\x00\x00\xfe\xff"s + text}) {
    hf::write(file, broken);
    CHECK(contains(load_refusal(file), "record.json: expected valid JSON in UTF-8 at byte "));
  }
}

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

json read(const json& record, const std::vector<std::string>& definitions = {}) {
  std::vector<hf::Law> laws;
  for (const std::string& text : definitions) laws.push_back(hf::parse_law(text));
  return hf::as_read(record, laws);
}

json with(const std::vector<json>& values) {
  json record = hf::small_record();
  record["values"] = values;
  return record;
}

std::vector<double> up_to(int count) {
  std::vector<double> samples;
  for (int i = 1; i <= count; ++i) samples.push_back(i);
  return samples;
}

TEST_CASE("the interval of few samples is from the least to the greatest, that of many stays") {
  const auto ends = [](int count) {
    const json given = with({hf::value("gain", "1", up_to(count))});
    const json value = read(given)["values"][0];
    CHECK(given["values"][0]["low"] > 1);  // as recorded: a percentile
    return std::vector<double>{value["low"], value["value"], value["high"]};
  };
  CHECK_FALSE(read(with({hf::value("gain", "1", {1})}))["values"][0].contains("few"));
  CHECK(ends(3) == std::vector<double>{1, 2, 3});
  CHECK(ends(19) == std::vector<double>{1, 10, 19});
  CHECK(read(with({hf::value("gain", "1", up_to(19))}))["values"][0]["few"] == true);
  CHECK_FALSE(read(with({hf::value("gain", "1", up_to(20))}))["values"][0].contains("few"));
  CHECK(ends(20)[0] > 1);
  CHECK(ends(20)[2] < 20);
  json record = hf::small_record();
  record["series"][0]["points"][0] = hf::point(4096, {5, 1, 3});
  const json point = read(record)["series"][0]["points"][0];
  CHECK(point["low"] == 1);
  CHECK(point["high"] == 5);
}

TEST_CASE("what follows from others is made of them, as are its interval and its kind") {
  const json record = with({hf::value("peak_gflops", "GFLOP/s", {50, 100, 120}), hf::value("read_gbs", "GB/s", {25})});
  const json value = read(record, {"ridge_flop_per_byte = 2 * peak_gflops / read_gbs in FLOP/byte"})["values"].back();
  CHECK(value == json{{"id", "ridge_flop_per_byte"},
                      {"value", 8},
                      {"low", 4},
                      {"high", 9.6},
                      {"unit", "FLOP/byte"},
                      {"kind", "measured"},
                      {"definition", "2 * peak_gflops / read_gbs"}});
  json modelled = hf::value("model", "1", {8});
  modelled["kind"] = "modelled";
  json quoted = hf::value("said", "1", {2});
  quoted["kind"] = "quoted";
  const json made =
      read(with({modelled, quoted, hf::value("seen", "1", {4})}), {"a = model / said", "b = seen / model"});
  CHECK(made["values"][3]["kind"] == "modelled");
  CHECK_FALSE(made["values"][3].contains("low"));  // as its parts
  CHECK(made["values"][4]["kind"] == "measured");
}

TEST_CASE("a number that an older record derives in another way is left out unless today's definition can replace it") {
  const std::string id = "ridge_flop_per_byte";
  json derived = hf::value(id, "FLOP/byte", {4});
  derived.erase("samples");
  json record = with({hf::value("peak_gflops", "GFLOP/s", {50}), hf::value("read_gbs", "GB/s", {25}), derived});
  record["laws"] = {id + " = peak_gflops / read_gbs"};
  CHECK(read(record, {id + " = peak_gflops / copy_gbs in FLOP/byte"})["values"].size() == 2);
  CHECK(read(record, {id + " = peak_gflops / read_gbs in FLOP/byte"})["values"][2]["value"] == 2);
  record["values"].erase(0);
  CHECK(read(record, {id + " = peak_gflops / read_gbs in FLOP/byte"})["values"][1]["value"] == 4);  // as it was
}

TEST_CASE("errors of independent numbers add up as the sides of a right angle do") {
  const auto around = [](const char* id, double down, double median, double up) {
    return hf::value(id, "1", {median / std::exp(down), median, median * std::exp(up)});
  };
  const json made = read(with({around("a", .3, 100, .03), around("b", .04, 50, .4)}), {"c = a / b"})["values"].back();
  CHECK(made["value"] == 2);
  CHECK(made["low"].get<double>() == doctest::Approx(2 / std::exp(.5)).epsilon(1e-5));
  CHECK(made["high"].get<double>() == doctest::Approx(2 * std::exp(.05)).epsilon(1e-5));
}

TEST_CASE("a definition may build on another, and on rows") {
  const json record = hf::small_record();
  const json made = read(record, {"double = 2 * peak_fp32_gflops in GFLOP/s", "eightfold = 4 * double in GFLOP/s",
                                  "share = kernels[naive_matmul] / kernels[blocked_matmul]"})["values"];
  const std::size_t first = record["values"].size();
  REQUIRE(made.size() == first + 3);
  CHECK(made[first + 1]["value"] == 8 * record["values"][0]["value"].get<double>());
  CHECK(made[first + 2]["id"] == "share");
}

TEST_CASE("pairs of samples are kept, and a recorded number without samples is made anew") {
  json paired = hf::value("gain", "1", {1.9, 2, 2.1}), alone = hf::value("gain", "1", {2});
  alone.erase("samples");
  const std::vector<json> parts = {hf::value("fast", "1", {8, 9, 10}), hf::value("slow", "1", {4, 4.5, 5})};
  const auto gain = [&](const json& recorded) {
    return read(with({parts[0], recorded, parts[1]}), {"gain = fast / slow"})["values"][1];
  };
  CHECK(gain(paired)["low"] == 1.9);
  CHECK_FALSE(gain(paired).contains("definition"));
  CHECK(gain(alone)["low"].get<double>() > 1.6);  // less than 8 / 5 is unlikely
  CHECK(gain(alone)["definition"] == "fast / slow");
}

TEST_CASE("where a part is missing, or may be zero, nothing is made") {
  const json record = with({hf::value("a", "1", {0, 1, 2}), hf::value("b", "1", {1})});
  CHECK(read(record, {"c = b / missing", "d = b / a", "e = a / b", "f[*] = a[*] / b"}) == read(record));
  const json none = with({hf::value("wrong", "1", {0}), hf::value("all", "1", {8})});
  CHECK(read(none, {"share = wrong / all"})["values"].back()["value"] == 0);
}

}  // namespace
