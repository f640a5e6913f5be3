#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "record/characters.hpp"
#include "record/check.hpp"
#include "record/record.hpp"
#include "small_record.hpp"

namespace {

using nlohmann::json;

const hf::Identity kSomebody = {"blackbird", "mirabel", "/data/people/mirabel"};

// The problems that check finds in a record whose note is `text`; empty if there are none.
std::string verdict(const std::string& pointer, const std::string& text) {
  json record = hf::small_record();
  record[json::json_pointer(pointer)] = text;
  hf::renew_key(record);
  const auto problems = hf::check(record, kSomebody);
  return problems.empty() ? "" : problems.front().pointer + ": " + problems.front().expected;
}

std::string note(const std::string& text) { return verdict("/run/notes/0", text); }

}  // namespace

TEST_CASE("what identifies a person or a host is refused") {
  const std::string without = "/run/notes/0: expected text without ";
  CHECK(note("in /home/someone/src") == without + "an absolute path");
  CHECK(note("-I/Users/someone/src") == without + "an absolute path");
  CHECK(note("--map=/scratch/x/y") == without + "an absolute path");
  CHECK(note("(/srv/x)") == without + "an absolute path");
  CHECK(note("C:\\Users") == without + "an absolute path");
  CHECK(note("~/src") == without + "a path in a home directory");
  CHECK(note("~someone/src") == without + "a path in a home directory");
  CHECK(note("by someone@example.org") == without + "an e-mail address");
  CHECK(note("on 00:1B:44:11:3a:b7") == without + "a MAC address");
  CHECK(note("on 00-1B-44-11-3a-b7") == without + "a MAC address");
  CHECK(note("disk 123e4567-e89b-12d3-a456-426614174000") == without + "a UUID");
  CHECK(note("at 192.168.1.20") == without + "an IPv4 address");
  CHECK(note("built at x@blackbird.") == without + "this host's name");
  CHECK(note("built by mirabel@y") == without + "this user's name");
  CHECK(note("-I/data/people/mirabel") == without + "an absolute path");
  CHECK(note("see /opt/mirabel, please") == "");
  CHECK(note("a\nb") == without + "control characters");
  CHECK(note("a\x1b[31mb") == without + "control characters");
  CHECK(note("a\xc2\x9b"
             "31mb") == without + "control characters");
  CHECK(note("a\u2028b") == without + "control characters");
  CHECK(note("a\u202eb") == without + "bidirectional controls");
  CHECK(note("a\u2066b") == without + "bidirectional controls");
  for (const char* unseen : {"EP\u200bYC", "a\u2060b", "\ufeffb", "a\u00adb", "a\u3164", "a\U000e0041"}) {
    CHECK(note(unseen) == without + "invisible characters");
  }
  std::string stacked = "a";
  for (int i = 0; i < 150; ++i) stacked += "\u0301";
  CHECK(note(stacked) == without + "accents on accents");
  CHECK(note("mo\u0302\u0323t, q\u0303\u0304\u0301") == "");
  CHECK(note("a\uffff") == without + "noncharacters");
  CHECK(note("\ufdd0") == without + "noncharacters");
  CHECK(note("\U0010fffe") == without + "noncharacters");
  for (const char* wrong : {"a\xff", "\xc0\x80", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    CHECK(hf::dishonest_characters(wrong) == "bytes that are not UTF-8");
    CHECK_FALSE(note(wrong).empty());
  }
}

TEST_CASE("it is found wherever it is") {
  CHECK(verdict("/machine/os", "Linux (mirabel@x)") == "/machine/os: expected text without this user's name");
  CHECK(verdict("/toolchain/flags", "-I/home/a/b") == "/toolchain/flags: expected text without an absolute path");
  CHECK(verdict("/series/0/label", "a@example.org") == "/series/0/label: expected text without an e-mail address");
  CHECK(verdict("/lab/inputs/source:~1home~1a~1b.hpp", "00") ==
        "/lab/inputs/source:~1home~1a~1b.hpp: expected text without an absolute path");
}

TEST_CASE("honest text raises no alarm") {
  for (const char* text : {"Intel(R) Xeon(R) CPU @ 2.10GHz", "i7-8700@3.2GHz", "GB/s and FLOP/byte, read/write/copy",
                           "1 / 2", "-isystem /usr/include/x/y", "4096x4096", "12.2.0", "10:30:00", "blackbirds",
                           "µs, ×2, → 3", "https://example.org/a/b", "-march=armv8.2-a+fp16"}) {
    CAPTURE(text);
    CHECK(note(text) == "");
  }
  CHECK(verdict("/toolchain/libraries/cuBLAS", "12.4.5.8") == "");
  CHECK(verdict("/lab/inputs/library:cuBLAS", "12.4.5.8") == "");
}

TEST_CASE("names that are words raise no alarm") {
  json record = hf::small_record();
  record["series"][2]["label"] = "stream";  // written by the lab's author, not reported by the machine
  CHECK(hf::check(record, {"stream", "stream", "/root"}).empty());
  CHECK(hf::check(record, {"debian", "root", "/"}).empty());
  CHECK(hf::check(record, {"avx2", "gpu", ""}).empty());
}

TEST_CASE("published records are good on every host, for every user, in every home") {
  for (const auto& file : std::filesystem::recursive_directory_iterator(std::string(LABS) + "/../figures/records")) {
    if (file.path().extension() != ".json") continue;
    const json record = hf::load_json(file.path());
    for (const char* name :
         {"bookworm", "epyc", "xeon", "kernel", "memory", "march", "native", "data", "lab",  "record",
          "lib",      "work", "core", "cores",  "zen",    "a",     "GNU",    "amd",  "labs", ""}) {
      CAPTURE(name);
      CHECK(hf::identifying(record, {name, name, std::string("/") + name}).empty());
      CHECK(hf::identifying(record, {std::string(name) + ".example.org", name, name}).empty());
    }
    for (const char* home : {"/", "/root", "/usr", "/usr/", "/bin"}) {
      CHECK(hf::identifying(record, {"", "", home}).empty());
    }
  }
}

TEST_CASE("a name is found where it is meant as one") {
  const auto says = [](const char* pointer, const std::string& text, const hf::Identity& identity) {
    json record = hf::small_record();
    record[json::json_pointer(pointer)] = text;
    const auto problems = hf::identifying(record, identity);
    return problems.empty() ? "" : problems.front().expected;
  };
  const std::string without = "expected text without ";
  const char* compiler = "/toolchain/compiler";
  CHECK(says(compiler, "GNU 12 (march@zen)", {"zen", "", ""}) == without + "this host's name");
  CHECK(says(compiler, "GNU 12 (march@zen)", {"zen.example.org", "", ""}) == without + "this host's name");
  CHECK(says(compiler, "GNU 12 (march@zen)", {"", "march", ""}) == without + "this user's name");
  CHECK(says(compiler, "GNU 12 (march@zen5)", {"zen", "arch", ""}) == "");
  CHECK(says(compiler, "built on zen.example.org", {"zen.example.org", "", ""}) == without + "this host's name");
  CHECK(says(compiler, "built on a.zen.example.org", {"zen.example.org", "", ""}) == "");
  CHECK(says("/toolchain/flags", "-O3 -I/data -x", {"", "", "/data/"}) == without + "the home directory");
  CHECK(says("/toolchain/flags", "-L/opt/march", {"", "", "/opt/march"}) == without + "the home directory");
  CHECK(says("/run/notes/0", "read/data, /database", {"", "", "/data"}) == "");
  CHECK(says("/series/0/label", "/data", {"", "", "/data"}) == "");
}

TEST_CASE("a home directory is found however it is written") {
  const hf::Identity ann = {"", "", "/srv2/people/ann/"};
  for (const char* text :
       {"@/srv2/people/ann/flags.rsp", "-DX={/srv2/people/ann}", "-I../../srv2/people/ann", "-Isrv2/people/ann/b",
        "-DX=srv2/people/ann", "/srv2//people/./ann", "%2Fsrv2%2Fpeople%2fann", "\\x2fsrv2\\x2fpeople\\x2Fann",
        "-I\"/srv2/people/ann\"", "/srv2/peo\"ple/ann", "/proc/self/cwd/srv2/people/ann", "(srv2/people/ann)"}) {
    for (const char* pointer :
         {"/toolchain/flags", "/lab/inputs/flags", "/lab/inputs/source:~1labs~1x.cpp", "/run/notes/0"}) {
      json record = hf::small_record();
      record[json::json_pointer(pointer)] = text;
      CAPTURE(text);
      CAPTURE(pointer);
      CHECK_FALSE(hf::identifying(record, ann).empty());
    }
  }
  json record = hf::small_record();
  record["toolchain"]["flags"] = "-O3 -DX=people/anna -Isrv2/people/ann2";
  CHECK(hf::identifying(record, ann).empty());
  record["toolchain"]["flags"] = "-I/opt/a/b";
  CHECK_FALSE(hf::identifying(record, {"", "", "", {"/opt/a"}}).empty());
}

TEST_CASE("anybody's home directory, and a path that leaves its folder, are found in what the machine says") {
  const auto says = [](const std::string& text) { return verdict("/run/notes/0", text); };
  const std::string without = "/run/notes/0: expected text without ";
  CHECK(says("@/home/ann/flags.rsp") == without + "an absolute path");
  CHECK(says("-DX={/home/ann}") == without + "an absolute path");
  CHECK(says("-DX=home/ann") == without + "a path in a home directory");
  CHECK(says("-I../../ann") == without + "a path that leaves its folder");
  CHECK(says("-Iinclude/../ann") == without + "a path that leaves its folder");
  CHECK(says("1/2, and more.../less, at home, https://example.org/home") == "");
  CHECK(verdict("/series/0/label", "home/work") == "");
}

TEST_CASE("this process has an identity") {
  const hf::Identity identity = hf::this_identity();
  CHECK_FALSE(identity.host.empty());
}
