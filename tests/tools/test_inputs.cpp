#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "record/file.hpp"
#include "record/inputs.hpp"
#include "record/sha256.hpp"
#include "small_record.hpp"

namespace {

using hf::Inputs;
using Lines = std::vector<std::string>;

TEST_CASE("the key is the hash of names and values in order, and of what is in the sources") {
  CHECK(hf::input_key({{"b", "2"}, {"a", "1"}}) == "sha256:" + hf::sha256(std::string("a\0001\nb\0002\n", 8)));
  const Inputs sources = {{"source:labs/a.cpp", "2"}, {"source:labs/b.cpp", "1"}, {"source:labs/c.cpp", "2"}};
  CHECK(hf::input_key(sources) == "sha256:" + hf::sha256("1\n2\n"));
}

TEST_CASE("the key of sources that moved is the same, and that of others is not") {
  const Inputs here = {{"compiler", "c"}, {"source:labs/a.cpp", "1"}, {"source:labs/b.cpp", "2"}};
  CHECK(hf::input_key(here) ==
        hf::input_key({{"compiler", "c"}, {"source:labs/b.cpp", "1"}, {"source:labs/room/c.cpp", "2"}}));
  CHECK(hf::input_key(here) !=
        hf::input_key({{"compiler", "c"}, {"source:labs/a.cpp", "1"}, {"source:labs/b.cpp", "3"}}));
  CHECK(hf::input_key(here) !=
        hf::input_key({{"compiler", "d"}, {"source:labs/a.cpp", "1"}, {"source:labs/b.cpp", "2"}}));
}

TEST_CASE("changes are named, one line each") {
  const Inputs then = {{"source:labs/harness/measure/clock.hpp", "1"},
                       {"source:labs/old.hpp", "3"},
                       {"source:labs/kernel.cpp", "5 -mavx2"},
                       {"source:labs/plain.cpp", "6"},
                       {"compiler", "GNU 12.2.0"},
                       {"library:BLIS", "0.9"},
                       {"isa:avx2", "yes"},
                       {"flags", "-O3"}};
  const Inputs now = {{"source:labs/harness/measure/clock.hpp", "2"},
                      {"source:labs/new.hpp", "4"},
                      {"source:labs/kernel.cpp", "5 -mavx512f"},
                      {"source:labs/plain.cpp", "6 -O1"},
                      {"compiler", "GNU 13.1.0"},
                      {"library:OpenBLAS", "0.3.21"},
                      {"isa:avx2", "no"},
                      {"flags", "-O3"}};
  CHECK(hf::changes(then, now) == Lines{"compiler: GNU 12.2.0 → 13.1.0", "isa:avx2: yes → no",
                                        "library:BLIS: 0.9 → none", "library:OpenBLAS: none → 0.3.21",
                                        "labs/harness/measure/clock.hpp changed",
                                        "labs/kernel.cpp: its flags: -mavx2 → -mavx512f", "labs/new.hpp is new",
                                        "labs/old.hpp is gone", "labs/plain.cpp: its flags: as most → -O1"});
  CHECK(hf::changes(then, then).empty());
}

TEST_CASE("a source that moved, or took another's name, has not changed") {
  const Inputs then = {{"source:labs/a.cpp", "1"}, {"source:labs/b.cpp", "2 -mavx2"}};
  CHECK(hf::changes(then, {{"source:labs/room/a.cpp", "1"}, {"source:labs/a.cpp", "2 -mavx2"}}).empty());
  CHECK(hf::changes(then, {{"source:labs/room/a.cpp", "1"}, {"source:labs/b.cpp", "2"}}) ==
        Lines{"labs/b.cpp: its flags: -mavx2 → as most"});
}

TEST_CASE("an instruction set that only one of two lists names says nothing of the machine") {
  CHECK(hf::changes({{"isa:avx2", "yes"}}, {{"isa:avx2", "yes"}, {"isa:avx10", "yes"}}).empty());
  CHECK(hf::changes({{"isa:avx2", "yes"}, {"isa:mpx", "yes"}}, {{"isa:avx2", "yes"}}).empty());
}

TEST_CASE("of a record that does not tell the flags of single files, these are not compared") {
  CHECK(hf::changes({{"source:labs/a.cpp", "1"}}, {{"source:labs/a.cpp", "1 -mavx2"}}).empty());
  CHECK(hf::changes({{"source:labs/a.cpp", "1"}}, {{"source:labs/a.cpp", "2 -mavx2"}}) == Lines{"labs/a.cpp changed"});
}

TEST_CASE("only what can move a number is in a key") {
  for (const char* source : {"labs/harness/measure/clock.hpp", "labs/kit/random.cpp", "labs/02-matmul/lab.cpp"}) {
    CHECK(hf::can_move_a_number(source));
  }
  for (const char* source : {"labs/harness/report/lab.cpp", "labs/harness/machine/machine_isa.cpp",
                             "labs/record/law.cpp", "tools/record/main.cpp", "chapters/02-matmul.md"}) {
    CHECK_FALSE(hf::can_move_a_number(source));
  }
}

TEST_CASE("a digest is of the tokens of C++, and of the bytes of all else") {
  const std::string code = "int a = 1;\n", same = "// [begin: a]\n#include \"b.hpp\"\nint  a=1; /* one */\n";
  CHECK(hf::source_digest("labs/a.cpp", code) == hf::source_digest("labs/b.cuh", same));
  CHECK(hf::source_digest("labs/a.cpp", code) != hf::source_digest("labs/a.cpp", "int a = 2;\n"));
  CHECK(hf::source_digest("labs/a.json", code) != hf::source_digest("labs/a.json", same));
  CHECK(hf::source_digest("labs/a.py", code) == hf::sha256(code).substr(0, 16));
  const auto row = [](const std::string& id, const std::string& label) {
    const std::string text = "Rung rung = {\"" + id + "\", shown_as(\"" + label + "\"), f};\n";
    return hf::input_key({{"source:labs/a.cpp", hf::source_digest("labs/a.cpp", text)}});
  };
  CHECK(row("packed", "packing") == row("packed", "copied first"));
  CHECK(row("packed", "packing") != row("copied", "packing"));
  const std::string doubtful = "int a = '\n";  // an unterminated literal
  CHECK(hf::source_digest("labs/a.cpp", doubtful) == hf::sha256(doubtful).substr(0, 16));
}

TEST_CASE("sources that changed in the checkout are named, whatever else a record depends on") {
  const hf::TemporaryDirectory root;
  hf::write(root / "labs/same.cpp", "same");
  hf::write(root / "labs/other.cpp", "new");
  hf::write(root / "labs/room/moved.cpp", "moved");
  hf::write(root / "labs/joined.cpp", "not asked for");
  const auto digest = [](const char* text) { return hf::source_digest("a.cpp", text); };
  const Inputs then = {{"source:labs/same.cpp", digest("same")},
                       {"source:labs/other.cpp", digest("old")},
                       {"source:labs/moved.cpp", digest("moved")},
                       {"source:labs/gone.cpp", digest("gone")},
                       {"source:labs/empty.cpp", ""},
                       {"compiler", "none that there is"}};
  const auto checkout = hf::source_digests(root.path());
  CHECK(hf::changed_sources(then, checkout) ==
        Lines{"labs/empty.cpp is gone", "labs/gone.cpp is gone", "labs/other.cpp changed"});
  CHECK(hf::changed_sources({{"source:labs/same.cpp", digest("same") + " -mavx2"}}, checkout).empty());
  // A copy of the old content does not excuse a changed file; a new name does.
  hf::write(root / "labs/kept.cpp", "old");
  CHECK(hf::changed_sources({{"source:labs/other.cpp", digest("old")}}, hf::source_digests(root.path())) ==
        Lines{"labs/other.cpp changed"});
  CHECK(hf::changed_sources({{"source:labs/other.cpp", digest("old")}, {"source:labs/new.cpp", digest("new")}},
                            hf::source_digests(root.path()))
            .empty());
  std::filesystem::create_symlink("nowhere", root / "labs/link.cpp");
  CHECK_FALSE(hf::source_digests(root.path()).contains("labs/link.cpp"));
  CHECK_THROWS_WITH_AS(hf::source_digests(root / "none"), doctest::Contains("none: no such folder"), hf::FileError);
}

TEST_CASE("a record cannot have files outside the checkout read") {
  const hf::TemporaryDirectory directory;
  hf::write(directory / "secret", "secret");
  hf::write(directory / "root/labs/a.cpp", "");
  const std::string absolute = (directory / "secret").string();
  for (const std::string& name :
       {std::string("../secret"), std::string("labs/../../secret"), absolute, std::string()}) {
    const Inputs then = {{"source:" + name, hf::source_digest(name, "secret")}};
    CHECK(hf::changed_sources(then, hf::source_digests(directory / "root")) == Lines{name + " is gone"});
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

TEST_CASE("SHA-256 of the FIPS 180 examples") {
  CHECK(hf::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hf::sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hf::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hf::sha256(
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
            "nopqrstu") == "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(hf::sha256(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 where the padding crosses a block") {
  // Lengths around 55, 56 and 64 bytes decide whether the length needs another block. Values from coreutils' sha256sum.
  CHECK(hf::sha256(std::string(55, 'a')) == "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  CHECK(hf::sha256(std::string(56, 'a')) == "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  CHECK(hf::sha256(std::string(63, 'a')) == "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
  CHECK(hf::sha256(std::string(64, 'a')) == "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

}  // namespace
