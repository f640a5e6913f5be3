#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "record/file.hpp"
#include "record/inputs.hpp"
#include "record/sha256.hpp"
#include "small_record.hpp"

namespace {

using hf::Inputs;
using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("the key is the hash of names and values in order") {
  CHECK(hf::input_key({{"b", "2"}, {"a", "1"}}) == "sha256:" + hf::sha256(std::string("a\0001\nb\0002\n", 8)));
}

TEST_CASE("changes are named, one line each") {
  const Inputs then = {{"source:labs/harness/clock.hpp", "1"},
                       {"source:labs/old.hpp", "1"},
                       {"compiler", "GNU 12.2.0"},
                       {"library:BLIS", "0.9"},
                       {"flags", "-O3"}};
  const Inputs now = {{"source:labs/harness/clock.hpp", "2"},
                      {"source:labs/new.hpp", "1"},
                      {"compiler", "GNU 13.1.0"},
                      {"library:OpenBLAS", "0.3.21"},
                      {"flags", "-O3"}};
  CHECK(hf::changes(then, now) == Lines{"compiler: GNU 12.2.0 → 13.1.0", "library:BLIS: 0.9 → none",
                                        "library:OpenBLAS: none → 0.3.21", "labs/harness/clock.hpp changed",
                                        "labs/new.hpp is new", "labs/old.hpp is gone"});
  CHECK(hf::changes(then, then).empty());
}

TEST_CASE("sources that changed in the checkout are named, whatever else a record depends on") {
  const hf::TemporaryDirectory root;
  hf::write(root / "labs/same.cpp", "same");
  hf::write(root / "labs/other.cpp", "new");
  hf::write(root / "labs/joined.cpp", "not asked for");
  const Inputs then = {{"source:labs/same.cpp", hf::sha256("same")},
                       {"source:labs/other.cpp", hf::sha256("old")},
                       {"source:labs/gone.cpp", hf::sha256("")},
                       {"source:labs/harness/terminal.cpp", hf::sha256("it only prints")},
                       {"compiler", "none that there is"}};
  CHECK(hf::changed_sources(then, root.path()) == Lines{"labs/gone.cpp is gone", "labs/other.cpp changed"});
  CHECK(hf::changed_sources({{"source:labs/same.cpp", hf::source_digest("same")}}, root.path()).empty());
  CHECK(hf::changed_sources({{"source:labs/same.cpp", ""}}, root.path()) == Lines{"labs/same.cpp changed"});
  CHECK_THROWS_WITH_AS(hf::changed_sources(then, root / "none"), doctest::Contains("none: no such folder"),
                       hf::FileError);
}

TEST_CASE("a record cannot have files outside the checkout read") {
  const hf::TemporaryDirectory directory;
  hf::write(directory / "secret", "secret");
  hf::write(directory / "root/labs/a.cpp", "");
  const std::string absolute = (directory / "secret").string();
  for (const std::string& name :
       {std::string("../secret"), std::string("labs/../../secret"), absolute, std::string()}) {
    const Inputs then = {{"source:" + name, hf::sha256("secret")}};
    CHECK(hf::changed_sources(then, directory / "root") == Lines{name + " is gone"});
  }
}

TEST_CASE("a quick record is stale where a full one is wanted, not the other way") {
  nlohmann::json record = hf::small_record();
  const auto now = record["lab"]["inputs"].get<Inputs>();
  CHECK(hf::staleness(record, now, "full").empty());
  CHECK(hf::staleness(record, now, "quick").empty());
  record["run"]["budget"] = "quick";
  CHECK(hf::staleness(record, now, "quick").empty());
  CHECK(hf::staleness(record, now, "full") == Lines{"budget: quick → full"});
}

TEST_CASE("inputs are an object of texts") {
  CHECK(hf::inputs_from({{"compiler", "GNU"}}, "x.json") == Inputs{{"compiler", "GNU"}});
  for (const auto& json : {nlohmann::json(1), nlohmann::json{{"compiler", 12}}, nlohmann::json()}) {
    CHECK_THROWS_WITH_AS(hf::inputs_from(json, "x.json"), doctest::Contains("x.json: expected an object of texts"),
                         hf::FileError);
  }
}
