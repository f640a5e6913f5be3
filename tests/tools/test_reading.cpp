#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <string>

#include "record/check.hpp"
#include "record/record.hpp"
#include "small_record.hpp"

namespace {

using namespace std::string_literals;

std::string refusal(const std::string& text) {
  return hf::refusal_of([&] { hf::parse_json(text, "file.json"); });
}

std::string load_refusal(const std::filesystem::path& file) {
  return hf::refusal_of([&] { hf::load_record(file); });
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

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
