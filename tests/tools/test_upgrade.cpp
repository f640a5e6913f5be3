#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "record/inputs.hpp"
#include "record/sha256.hpp"
#include "shell.hpp"
#include "small_record.hpp"

namespace {

using hf::Outcome;
using nlohmann::json;

// A checkout with a history, and records beside it.
class Checkout {
 public:
  Checkout() { git("init --quiet"); }

  void write(const std::string& path, const std::string& text) { hf::write(folder_ / ("tree/" + path), text); }

  void commit() { git("add -A && " + in_tree() + "-c user.name=a -c user.email=a commit --quiet --message=x"); }

  void git(const std::string& words) { REQUIRE(hf::shell(in_tree() + words).status == 0); }

  std::string file(const std::string& name, const std::string& text) const {
    hf::write(folder_ / name, text);
    return (folder_ / name).string();
  }

  Outcome record(const std::string& command, const std::string& files) const {
    return hf::shell(hf::record_command() + command + " --tree " + (folder_ / "tree").string() + " " + files);
  }

 private:
  std::string in_tree() const {
    const std::string tree = (folder_ / "tree").string();
    return "mkdir -p " + tree + " && git -C " + tree + " ";
  }

  hf::TemporaryDirectory folder_;
};

json measured_from(const std::string& path, const std::string& digest) {
  json record = hf::small_record();
  record["schema"] = 3;
  record["lab"]["inputs"].erase("source:labs/01-roofline/lab.cpp");
  record["lab"]["inputs"].update({{"schema", "3"}, {"source:" + path, digest}});
  return record;
}

const std::string kLab = "labs/01-roofline/lab.cpp", kText = "int main() { return 0; }\n";

}  // namespace

TEST_CASE("upgrade makes a good record of one of the schema before") {
  Checkout checkout;
  checkout.write(kLab, kText);
  checkout.commit();
  json old = measured_from(kLab, hf::sha256(kText));
  for (const std::string source :
       {"labs/record/check.cpp", "labs/harness/lab.hpp", "labs/harness/machine_isa.cpp", "tools/record/file.hpp",
        "labs/common/CMakeLists.txt", "labs/01-roofline/laws.json"}) {
    old["lab"]["inputs"]["source:" + source] = "00";
  }
  old["lab"]["inputs"]["machine"] = "a processor; avx2; 2 cores";
  const std::string file = checkout.file("old.json", old.dump());
  CHECK(checkout.record("check", file).text == file + ": /schema: expected 4, not 3; run `record upgrade FILE`\n");
  CHECK(checkout.record("upgrade", file).text == file + ": upgraded\n");
  CHECK(checkout.record("check", file).text == file + ": good\n");
  CHECK(checkout.record("stale", file).text.empty());
  const json now = json::parse(hf::content(file));
  CHECK(now["schema"] == 4);
  CHECK(now["lab"]["inputs"] == json{{"compiler", "GNU 12.2.0"},
                                     {"flags", "-O3 -DNDEBUG"},
                                     {"isa:avx2", "yes"},
                                     {"machine", "a processor; 2 cores"},
                                     {"schema", "4"},
                                     {"source:" + kLab, hf::source_digest(kLab, kText)}});
}

TEST_CASE("after an upgrade a comment that has changed since ages nothing") {
  Checkout checkout;
  checkout.write(kLab, "// Once said.\n" + kText);
  checkout.commit();
  checkout.write(kLab, "// Said better.\n" + kText);
  const auto digest = hf::sha256("// Once said.\n" + kText).substr(0, 16);
  const std::string file = checkout.file("old.json", measured_from(kLab, digest).dump());
  CHECK(checkout.record("upgrade", file).status == 0);
  CHECK(checkout.record("stale", file).text.empty());
}

TEST_CASE("upgrade finds the text of a source wherever it was, and names one that is nowhere") {
  Checkout checkout;
  checkout.write("labs/old/lab.cpp", kText);
  checkout.commit();
  checkout.git("mv labs/old labs/new");
  checkout.commit();
  for (const std::string path : {"labs/old/lab.cpp", "labs/new/lab.cpp", "labs/before/it/was/committed.cpp"}) {
    const std::string file = checkout.file("old.json", measured_from(path, hf::sha256(kText)).dump());
    CHECK(checkout.record("upgrade", file).text == file + ": upgraded\n");
    CHECK(json::parse(hf::content(file))["lab"]["inputs"]["source:" + path] == hf::source_digest(path, kText));
  }
  const std::string lost = checkout.file("lost.json", measured_from(kLab, hf::sha256("int main() {}\n")).dump());
  const Outcome done = checkout.record("upgrade", lost);
  CHECK(done.status == 0);
  CHECK(done.text ==
        lost + ": upgraded\n" + lost + ": " + kLab + ": this version is not in the history; it counts as changed\n");
  const json now = json::parse(hf::content(lost));
  CHECK(now["lab"]["inputs"]["source:" + kLab] == hf::sha256("int main() {}\n").substr(0, 16));
}

TEST_CASE("upgrade needs the history, and without it leaves a record alone") {
  Checkout checkout;
  const std::string text = measured_from(kLab, hf::sha256(kText)).dump(), file = checkout.file("old.json", text);
  const Outcome done = checkout.record("upgrade", file);
  CHECK(done.status == 2);
  CHECK(done.text.find("tree: expected a checkout with its history; name one with --tree\n") != std::string::npos);
  CHECK(hf::content(file) == text);
}

TEST_CASE("upgrade leaves alone what is of the present schema, and what is no record") {
  Checkout checkout;
  checkout.write(kLab, kText);
  checkout.commit();
  const std::string text = hf::small_record().dump();  // on one line, as no command writes it
  const std::string present = checkout.file("present.json", text),
                    none = checkout.file("none.json", R"({"schema": 3})");
  json bad = measured_from(kLab, "00");
  bad["values"][0]["value"] = 1;
  const std::string wrong = checkout.file("wrong.json", bad.dump());
  const std::string old = checkout.file("old.json", measured_from(kLab, "00").dump());
  const Outcome done = checkout.record("upgrade", none + " " + wrong + " " + present + " " + old);
  CHECK(done.status == 2);
  CHECK(done.text.find(none + ": expected a property ") != std::string::npos);
  CHECK(done.text.find(wrong + ": /values/0/low: expected at most 1, not ") != std::string::npos);
  CHECK(done.text.find(present + ": already has schema 4\n") != std::string::npos);
  CHECK(done.text.find(old + ": upgraded\n") != std::string::npos);
  CHECK(hf::content(none) == R"({"schema": 3})");
  CHECK(hf::content(wrong) == bad.dump());
  CHECK(hf::content(present) == text);
}
