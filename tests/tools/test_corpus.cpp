#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <string>

#include "record/record.hpp"

// Hostile files, most of them found by the fuzzer (tools/record/fuzz.cpp): each is refused in one line.
TEST_CASE("every file of the corpus is refused in one line") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CORPUS)) {
    CAPTURE(entry.path().string());
    ++files;
    std::string shown = "accepted";
    try {
      hf::load_record(entry.path());
    } catch (const hf::FileError& error) {
      shown = error.what();
    }
    CAPTURE(shown);
    CHECK(shown.starts_with(entry.path().string() + ": "));
    CHECK(shown.find("expected ") != std::string::npos);
    CHECK(shown.find('\n') == std::string::npos);
  }
  CHECK(files >= 20);
}
