// `record inputs`: from the output of linker and compilers to the inputs of a lab's measurement.
#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "record/inputs.hpp"
#include "record/record.hpp"
#include "record/sha256.hpp"
#include "shell.hpp"
#include "small_record.hpp"

namespace {

using Names = std::vector<std::string>;

/// A tree in which a lab was linked from two objects, one of them in a library.
struct Tree {
  hf::TemporaryDirectory root;

  Tree() {
    for (const char* source : {"labs/lab.cpp", "labs/lab.hpp", "labs/kit/used.cpp", "labs/kit/used hpp",
                               "labs/kit/idle.cpp", "labs/kit/data.json", "labs/kit/CMakeLists.txt",
                               "labs/CMakeLists.txt", "labs/harness/report/terminal.hpp", "deps/usr/include/kit.hpp"}) {
      hf::write(root / source, source);
    }
    hf::write(root / "build/labs/text.cpp", "// Generated from labs/kit/data.json\n// and more\n");
    object("labs/CMakeFiles/lab.dir/lab.cpp.o",
           "../labs/lab.cpp /usr/include/stdio.h ../deps/usr/include/kit.hpp ../labs/lab.hpp "
           "../labs/harness/report/terminal.hpp");
    object("labs/CMakeFiles/lab.dir/text.cpp.o", "labs/text.cpp \\\n ../labs/lab.hpp");
    object("labs/kit/CMakeFiles/kit.dir/used.cpp.o",
           (root / "labs/kit/used.cpp").string() + " \\\n  ../labs/kit/used\\ hpp");
    object("labs/kit/CMakeFiles/kit.dir/idle.cpp.o", "../labs/kit/idle.cpp");
    compiles({"labs/kit/CMakeFiles/kit.dir/used.cpp.o", "labs/kit/CMakeFiles/kit.dir/idle.cpp.o"});
    map("");
  }

  void object(const std::string& name, const std::string& files) const {
    hf::write(root / ("build/" + name), "");
    hf::write(root / ("build/" + name + ".read"), name + ": " + files + "\n");
  }

  /// Lists, as CMake does, the objects of the build and their flags.
  void compiles(const Names& objects, const std::string& flags = "-O3 -march=native") const {
    hf::Json steps = hf::Json::array();
    for (const char* name : {"labs/CMakeFiles/lab.dir/lab.cpp.o", "labs/CMakeFiles/lab.dir/text.cpp.o"}) {
      steps.push_back({{"command", std::string("c++ -O3 -march=native -o ") + name + " -c somewhere"}});
    }
    for (const std::string& name : objects) {
      steps.push_back(
          {{"command", "cache c++ -I/usr/kit -isystem deps " + flags + " -Wall -o " + name + " -c somewhere"}});
    }
    hf::write(root / "build/compile_commands.json", steps.dump());
  }

  /// As GNU ld writes it, with more opened files.
  void map(const std::string& opened) const {
    hf::write(
        root / "build/lab.map",
        "Archive member included to satisfy reference by file (symbol)\n\n"
        "labs/kit/libkit.a(used.cpp.o)\n                              labs/CMakeFiles/lab.dir/lab.cpp.o (used())\n"
        "As-needed library included to satisfy reference by file (symbol)\n\n"
        "libstdc++.so.6                labs/kit/libkit.a(used.cpp.o) (operator new)\n\n"
        "Merging program properties\n\n"
        "Removed property 0xc0000002 to merge /usr/lib/Scrt1.o (0x3) and /usr/lib/libruntime.a(start.o) (not found)\n\n"
        "Memory Configuration\n\nLinker script and memory map\n\n"
        "LOAD /usr/lib/crt1.o\nLOAD labs/CMakeFiles/lab.dir/lab.cpp.o\nLOAD labs/CMakeFiles/lab.dir/text.cpp.o\n"
        "LOAD labs/kit/libkit.a\nLOAD /usr/lib/libm.so.6\nLOAD /usr/lib/libc.so\n" +
            opened);
  }

  hf::Outcome run(const std::string& more = "") const {
    const std::string here = root.path().string();
    return hf::shell(hf::record_command() + "inputs --root " + here + " --build " + here + "/build --map " + here +
                     "/build/lab.map --output " + here +
                     "/i.json --compiler 'GNU 12.2.0' --flags='-O3 -march=native' " + more);
  }

  hf::Json inputs(const std::string& more = "") const {
    const hf::Outcome outcome = run(more);
    CHECK(outcome.text == "");
    REQUIRE(outcome.status == 0);
    return hf::load_json(root / "i.json");
  }
};

Names names(const hf::Json& inputs) {
  Names all;
  for (const auto& [name, value] : inputs.items()) all.push_back(name);
  return all;
}

}  // namespace

TEST_CASE("inputs lists what the linker took and what the compiler read for it") {
  const Tree tree;
  const hf::Json inputs = tree.inputs("--library A=1 --library B=2=3 --environment RANKS");
  CHECK(names(inputs) == Names{"compiler", "environment:RANKS", "flags", "library:A", "library:B", "schema",
                               "source:labs/kit/data.json", "source:labs/kit/used hpp", "source:labs/kit/used.cpp",
                               "source:labs/lab.cpp", "source:labs/lab.hpp"});
  CHECK(inputs["compiler"] == "GNU 12.2.0");
  CHECK(inputs["flags"] == "-O3 -march=native");
  CHECK(inputs["library:B"] == "2=3");
  CHECK(inputs["environment:RANKS"] == "found when it runs");
  CHECK(inputs["schema"] == "4");
  CHECK(inputs["source:labs/lab.hpp"] == hf::source_digest("labs/lab.hpp", "labs/lab.hpp"));
  CHECK(tree.run("--library C").status == 2);
}

TEST_CASE("each file that went into the program changes the inputs, and no other does") {
  const Tree tree;
  const hf::Json before = tree.inputs();
  for (const char* file :
       {"labs/lab.cpp", "labs/lab.hpp", "labs/kit/used.cpp", "labs/kit/used hpp", "labs/kit/data.json"}) {
    CAPTURE(file);
    hf::write(tree.root / file, "changed");
    CHECK(tree.inputs() != before);
    hf::write(tree.root / file, file);
    CHECK(tree.inputs() == before);
  }
  hf::write(tree.root / "labs/kit/idle.cpp", "changed");
  hf::write(tree.root / "labs/CMakeLists.txt", "changed");
  hf::write(tree.root / "labs/kit/CMakeLists.txt", "changed");           // its flags are those of the objects
  hf::write(tree.root / "labs/harness/report/terminal.hpp", "changed");  // it only prints
  CHECK(tree.inputs() == before);
}

TEST_CASE("the flags of an object count where they are not the lab's, and what is warned of does not") {
  const Tree tree;
  const std::string used = "labs/kit/CMakeFiles/kit.dir/used.cpp.o", root = tree.root.path().string();
  const auto value = [&](const std::string& flags) {
    tree.compiles({used}, flags);
    const hf::Json inputs = tree.inputs();
    CHECK(inputs["source:labs/lab.cpp"] == hf::source_digest("labs/lab.cpp", "labs/lab.cpp"));
    CHECK(inputs["source:labs/kit/used hpp"] == hf::source_digest("labs/kit/used hpp", "labs/kit/used hpp"));
    const std::string text = inputs["source:labs/kit/used.cpp"],
                      digest = hf::source_digest("used.cpp", "labs/kit/used.cpp");
    REQUIRE(text.starts_with(digest));
    return text.substr(digest.size());
  };
  CHECK(value("-O3 -march=native") == "");
  CHECK(value("-march=native -O3 -Wextra -DHARDWARE_FIRST_VERSION=2") == "");
  CHECK(value("-O3 -DPLACE=" + root + "/labs") == " -O3 -DPLACE=./labs");
  CHECK(value("-O3 -mavx2 --param unroll=4") == " -O3 -mavx2 --param unroll=4");
  CHECK(value("-O3 -march=native -O3") == " -O3 -march=native -O3");
  CHECK(value("-O3 -Wa,-mno-relax") == " -O3 -Wa,-mno-relax");
  CHECK(value("-O3 -march=native '-DLOOPS=-O3 -march=native'") == " -O3 -march=native -DLOOPS=-O3 -march=native");
}

TEST_CASE("a source that is compiled in several ways has the flags of each") {
  const Tree tree;
  const auto value = [&](const std::string& first, const std::string& second) {
    hf::Json steps = hf::Json::array();
    for (const auto& [name, flags] : {std::pair("lab.dir/lab.cpp.o", "-O3 -march=native"),
                                      {"lab.dir/text.cpp.o", "-O3 -march=native"},
                                      {"lab.dir/one.cpp.o", first.c_str()},
                                      {"lab.dir/two.cpp.o", second.c_str()}}) {
      steps.push_back({{"command", std::string("c++ ") + flags + " -o labs/CMakeFiles/" + name + " -c somewhere"}});
    }
    steps.push_back({{"command", "c++ -O3 -march=native -o labs/kit/CMakeFiles/kit.dir/used.cpp.o -c somewhere"}});
    hf::write(tree.root / "build/compile_commands.json", steps.dump());
    for (const std::string name : {"labs/CMakeFiles/lab.dir/one.cpp.o", "labs/CMakeFiles/lab.dir/two.cpp.o"}) {
      tree.object(name, "../labs/kit/idle.cpp");
    }
    tree.map("LOAD labs/CMakeFiles/lab.dir/one.cpp.o\nLOAD labs/CMakeFiles/lab.dir/two.cpp.o\n");
    return tree.inputs()["source:labs/kit/idle.cpp"].get<std::string>().substr(16);
  };
  CHECK(value("-O3 -march=native", "-O3 -march=native") == "");
  CHECK(value("-mavx2 -mfma", "-mavx2") == " -mavx2 | -mavx2 -mfma");
  CHECK(value("-O3 -march=native", "-mavx2") == " as most | -mavx2");
}

TEST_CASE("what an earlier build left of a source that moved is no input") {
  const Tree tree;  // used.cpp was in labs/kit/, and left an object there
  hf::write(tree.root / "labs/kit/room/used.cpp", "moved");
  std::filesystem::remove(tree.root / "labs/kit/used.cpp");
  tree.object("labs/kit/CMakeFiles/kit.dir/room/used.cpp.o", "../labs/kit/room/used.cpp");
  tree.compiles({"labs/kit/CMakeFiles/kit.dir/room/used.cpp.o"});
  const hf::Json inputs = tree.inputs();
  CHECK(inputs.contains("source:labs/kit/room/used.cpp"));
  CHECK_FALSE(inputs.contains("source:labs/kit/used.cpp"));
}

TEST_CASE("libraries from outside are inputs, without those of the language") {
  const Tree tree;
  const hf::TemporaryDirectory system;
  hf::write(system / "libfast.so.1.2", "fast");
  hf::write(system / "libstill.a", "still");
  tree.map("LOAD " + (system / "libfast.so.1.2").string() + "\nLOAD " + (system / "libstill.a").string() + "\n");
  const hf::Json inputs = tree.inputs();
  CHECK(inputs["library:libfast"] == "found at " + (system / "libfast.so.1.2").string());
  CHECK_FALSE(inputs.contains("library:libstill"));  // nothing was taken from it
  CHECK_FALSE(inputs.contains("library:libm"));
}

namespace {

/// The instrument in a checkout, built and installed.
struct Installed {
  hf::TemporaryDirectory checkout, prefix;
  Tree book;

  /// The input in the book's lab after the source with this name had this text, and was compiled with these flags.
  hf::Json input(const std::string& name, const std::string& text, const std::string& flags = "-O3") const {
    const std::string here = checkout.path().string(), archive = (prefix / "libharness.a").string();
    const std::string clock = here + "/labs/harness/measure/clock.cpp";
    hf::write(clock, "long now;");
    hf::write(checkout / "labs/harness/measure/clock.hpp", "extern long now;");
    hf::write(checkout / "labs/harness/report/terminal.cpp", "const char* kGreeting = \"hello\";");
    hf::write(checkout / ("labs/harness/" + name), text);
    hf::write(checkout / "compile_commands.json",
              hf::Json({{{"command", "c++ " + flags + " -o clock.o -c " + clock}, {"file", clock}}}).dump());
    const hf::Outcome outcome = hf::shell(hf::record_command() + "instrument --root " + here + " --build " + here +
                                          " --output " + (prefix / "instrument.json").string());
    CHECK(outcome.text == "");
    hf::write(archive, text + flags);  // other bytes every time
    book.map("Archive member included\n\n" + archive + "(clock.cpp.o)\n");
    const hf::Json inputs = book.inputs();
    CHECK_FALSE(inputs.contains("library:libharness"));
    return inputs.at("library:press");
  }
};

}  // namespace

TEST_CASE("of an installed instrument, the measuring sources and their flags are an input, and its messages are not") {
  const Installed installed;
  const hf::Json before = installed.input("measure/clock.cpp", "long now;");
  CHECK(before.get<std::string>().starts_with("sources, sha256 "));
  CHECK(installed.input("report/terminal.cpp", "const char* kGreeting = \"good morning\";") == before);
  CHECK(installed.input("measure/clock.cpp", "long now;  // in nanoseconds\n") == before);
  CHECK(installed.input("measure/clock.cpp", "long now = 1;") != before);
  CHECK(installed.input("measure/clock.hpp", "extern const long now;") != before);
  CHECK(installed.input("measure/clock.cpp", "long now;", "-O2") != before);
}

TEST_CASE("an archive without a list of sources is an input with its content") {
  const Tree tree;
  const hf::TemporaryDirectory system;
  hf::write(system / "libstill.a", "still");
  tree.map("Archive member included\n\n" + (system / "libstill.a").string() + "(still.o)\n");
  CHECK(tree.inputs()["library:libstill"] == "libstill.a, sha256 " + hf::sha256("still").substr(0, 12));
  hf::write(system / "instrument.json", "[]");
  CHECK(tree.run().status == 2);
}

TEST_CASE("a checkout without an instrument has no inputs of one") {
  const Tree tree;
  const std::string here = tree.root.path().string();
  const hf::Outcome outcome = hf::shell(hf::record_command() + "instrument --root " + here + " --build " + here +
                                        " --output " + here + "/i.json");
  CHECK(outcome.status == 2);
  CHECK(outcome.text ==
        here + "/labs/harness/measure: expected the instrument's sources; name the checkout with --root\n");
}

TEST_CASE("the compiler of .cu files is an input where there is one") {
  const Tree tree;
  CHECK_FALSE(tree.inputs("--cuda='12.4 for 90'").contains("library:CUDA"));
  const std::string gpu = "labs/CMakeFiles/lab.dir/gpu.cu.o";
  tree.object(gpu, "../labs/lab.hpp");
  tree.compiles({"labs/kit/CMakeFiles/kit.dir/used.cpp.o", gpu});
  tree.map("LOAD " + gpu + "\nLOAD labs/CMakeFiles/lab.dir/cmake_device_link.o\n");
  CHECK(tree.inputs("--cuda='12.4 for 90'")["library:CUDA"] == "12.4 for 90");
}

TEST_CASE("what cannot be followed is an error, and is named") {
  struct Case {
    const char* told;
    std::function<void(const Tree&)> spoil;
  };
  const auto removed = [](const char* file) {
    return [=](const Tree& tree) { std::filesystem::remove(tree.root / file); };
  };
  const auto written = [](const char* file, const char* text) {
    return [=](const Tree& tree) { hf::write(tree.root / file, text); };
  };
  for (const auto& [told, spoil] :
       std::vector<Case>{{"labs/lab.hpp: No such file", removed("labs/lab.hpp")},
                         {"lab.cpp.o.read: expected a list of the files that the compiler read; ",
                          removed("build/labs/CMakeFiles/lab.dir/lab.cpp.o.read")},
                         {"build/labs/text.cpp: expected its first line to say \"// Generated from FILE and FILE\"",
                          written("build/labs/text.cpp", "// Made by hand\n")},
                         {"libkit.a: expected used.cpp.o below ",
                          [](const Tree& tree) { tree.compiles({"labs/kit/CMakeFiles/kit.dir/idle.cpp.o"}); }},
                         {"lab.cpp.o: missing from compile_commands.json; configure again",
                          written("build/compile_commands.json",
                                  R"([{"command": "c++ -o labs/kit/CMakeFiles/kit.dir/used.cpp.o"}])")},
                         {"compile_commands.json: ", written("build/compile_commands.json", "[{")},
                         {"lab.map: expected lab.cpp.o in it, as in a map of GNU ld; link with GNU ld",
                          written("build/lab.map", "something else\n")}}) {
    const Tree tree;
    spoil(tree);
    const hf::Outcome outcome = tree.run();
    CAPTURE(outcome.text);
    CHECK(outcome.status == 2);
    CHECK_FALSE(std::filesystem::exists(tree.root / "i.json"));
    CHECK(outcome.text.find(told) != std::string::npos);
  }
}

TEST_CASE("a library is told by the name that links lead to, and by what is in it") {
  const hf::TemporaryDirectory system;
  hf::write(system / "libfast.so.1.2", "abc");
  std::filesystem::create_symlink("libfast.so.1.2", system / "libfast.so");
  CHECK(hf::library_name(system / "libfast.so") == "libfast");
  CHECK(hf::library_name("/usr/lib/libxsmm.a") == "libxsmm");
  const std::string identity = hf::library_identity(system / "libfast.so");
  CHECK(identity == "libfast.so.1.2, sha256 ba7816bf8f01");
  hf::write(system / "libfast.so.1.2", "abd");
  CHECK(hf::library_identity(system / "libfast.so") != identity);
  CHECK(hf::library_identity(system / "none.so") == "none");
}

TEST_CASE("a map without an object of the program itself is refused") {
  const Tree tree;
  for (const char* object : {"lab.cpp.o", "text.cpp.o"}) {  // gold leaves some out, mold and lld write none
    tree.map("");
    std::string map = hf::content(tree.root / "build/lab.map");
    const std::string load = std::string("LOAD labs/CMakeFiles/lab.dir/") + object + "\n";
    map.erase(map.find(load), load.size());
    hf::write(tree.root / "build/lab.map", map);
    const hf::Outcome outcome = tree.run();
    CHECK(outcome.status == 2);
    CHECK(outcome.text.find(std::string("lab.map: expected ") + object + " in it") != std::string::npos);
  }
}

TEST_CASE("flags are recorded without their paths") {
  CHECK(hf::without_paths("-O3 -DNDEBUG -std=c++20 -march=native") == "-O3 -DNDEBUG -std=c++20 -march=native");
  CHECK(hf::without_paths("-O2 -isystem /home/a/env/include -I/x -L/y/z") == "-O2 -isystem … -I… -L…");
  CHECK(hf::without_paths("-ffile-prefix-map=/home/a=/usr/src --sysroot=/s -g") ==
        "-ffile-prefix-map=…=… --sysroot=… -g");
  CHECK(hf::without_paths("-I\"/home/a b/c\" -I/home/a\\ b/c -Wl,-rpath,/r -O3") == "-I… -I… -Wl,-rpath,… -O3");
  CHECK(hf::without_paths("-DHALF=1/2 -Iinclude/x -I. -I..") == "-DHALF=1/2 -Iinclude/x -I. -I..");
  CHECK(hf::without_paths("@/home/a/flags.rsp -DX={/home/a} -DY=\\\"/home/a\\\" -specs=~/s") ==
        "@… -DX={…} -DY=\\… -specs=…");
  CHECK(hf::without_paths("-I../../home/a -Iinclude/../../home/a/b -include ../x.hpp -iquote/a/b -I~a/b") ==
        "-I… -I… -include … -iquote… -I…");
  CHECK(hf::without_paths("-fplugin=\"../../home/a b\" -DZ=f(/home/a,1) -DW='<../a>'") ==
        "-fplugin=… -DZ=f(…,1) -DW='<…>'");
}
