#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "record/check.hpp"
#include "record/record.hpp"
#include "shell.hpp"
#include "small_record.hpp"

namespace fs = std::filesystem;

// Hostile files, most of them found by the fuzzer (tools/record/fuzz.cpp): each is refused with one line.
TEST_CASE("every file of the corpus is refused in one line") {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(CORPUS)) {
    CAPTURE(entry.path().string());
    ++files;
    const std::string shown = hf::refusal_of([&] { hf::load_record(entry.path()); });
    CAPTURE(shown);
    CHECK(shown.starts_with(entry.path().string() + ": "));
    CHECK(shown.find("expected ") != std::string::npos);
    CHECK(shown.find('\n') == std::string::npos);
  }
  CHECK(files >= 79);
}

// Published records, shortened: one without laws, a browser's, one of several hosts, and others. accepted/renew
// rewrites the expected output.
TEST_CASE("every record of the other corpus stays accepted, and is shown as before") {
  const std::string here = "cd " ACCEPTED " && " + hf::record_command() + " --tree . ";
  std::set<std::string> budgets, machines;
  std::size_t comparisons = 0;
  for (const auto& entry : fs::directory_iterator(ACCEPTED)) {
    const fs::path file = entry.path();
    const std::string name = file.stem();
    CAPTURE(name);
    if (file.extension() == ".json") {
      const hf::Json record = hf::load_record(file, LABS);
      budgets.insert(record.at("run").at("budget").get<std::string>());
      machines.insert(record.at("machine").at("slug").get<std::string>());
      const hf::Outcome table = hf::shell(here + "table " + name + ".json");
      CHECK(table.status == 0);
      CHECK(table.text == hf::content(fs::path(file).replace_extension(".table")));
    }
    if (file.extension() == ".diff") {
      ++comparisons;
      const auto dots = name.find("..");
      REQUIRE(dots != std::string::npos);
      const hf::Outcome diff =
          hf::shell(here + "diff " + name.substr(0, dots) + ".json " + name.substr(dots + 2) + ".json");
      const std::string golden = hf::content(file);
      CHECK(diff.text == golden);
      CHECK(diff.status == (golden.find("Claims that flipped") == std::string::npos ? 0 : 1));
    }
  }
  CHECK(budgets == std::set<std::string>{"full", "quick"});
  CHECK(machines.size() >= 5);
  CHECK(comparisons == 4);
}

TEST_CASE("the accepted record of an emulated machine would be refused on a real one") {
  hf::Json record = hf::load_record(fs::path(ACCEPTED) / "emulated.json");
  record["machine"]["emulated"] = false;
  record["run"]["noise_floor"] = 0.001;  // its own law excuses what was seen
  CHECK_FALSE(hf::check(record).empty());
}
