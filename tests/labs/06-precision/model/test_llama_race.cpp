// llama.cpp in a process of its own: where it is installed, and with all that can be wrong with it.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "00-workload/transformer.hpp"
#include "06-precision/formats/formats.hpp"
#include "06-precision/model/decode_runs.hpp"
#include "06-precision/model/gguf.hpp"
#include "06-precision/model/llama_peer.hpp"
#include "06-precision/model/llama_race.hpp"
#include "harness/lab.hpp"
#include "harness/machine.hpp"
#include "harness/sampling.hpp"
#include "harness/scratch_file.hpp"
#include "process.hpp"

namespace hf::precision {
namespace {

using workload::Transformer;
using workload::TransformerShape;

constexpr TransformerShape small = {2, 64, 2, 97, 128};
const std::vector<int> text = {5, 96, 0, 41, 41, 12};

/// While it is there, python3 is this shell script, or is not to be found.
class FakePython {
 public:
  explicit FakePython(const std::string& script) : path_(std::getenv("PATH")) {
    const std::filesystem::path file = folder_.path() / "python3";
    if (!script.empty()) {
      write(file, "#!/bin/sh\n" + script);
      chmod(file.c_str(), 0700);
    }
    setenv("PATH", folder_.path().c_str(), 1);
  }
  ~FakePython() { setenv("PATH", path_.c_str(), 1); }
  FakePython(const FakePython&) = delete;
  FakePython& operator=(const FakePython&) = delete;

 private:
  TemporaryFolder folder_;
  std::string path_;
};

/// Says it is ready, and then these words to each command.
std::string answering(const std::string& words) {
  return "echo ready 1\nwhile read command; do echo '" + words + "'; done\n";
}

const std::string hanging = "while :; do /bin/sleep 1; done\n";

bool has_no_children() { return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }

/// A lab that prints into the void.
struct Quiet {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> nowhere{std::fopen("/dev/null", "w"), std::fclose};
  Terminal terminal{nowhere.get()};
  Lab lab{{"06-precision", "", {}}, Budget::quick, {}, terminal};
};

/// What is said where there is no python3. An emulator of processes cannot tell why one did not start: it starts, and ends.
std::string without_python() {
  return probe_machine().emulated ? "llama.cpp: its process has ended"
                                  : "llama.cpp: python3: No such file or directory";
}

TEST_CASE("a python3 that is not there, ends, complains or talks nonsense is one line") {
  const auto start = [](const std::string& script, const std::string& message) {
    CAPTURE(script);
    const FakePython python(script);
    CHECK_THROWS_WITH_AS(LlamaPeer(), message.c_str(), PeerFailed);
    CHECK(has_no_children());
  };
  start("", without_python());
  start("exit 1\n", "llama.cpp: its process has ended");
  start("echo error: no llama_cpp; exit 1\n", "llama.cpp: no llama_cpp");
  start("echo Hello\n" + hanging, "llama.cpp: says 'Hello' instead of being ready");
}

TEST_CASE("a peer that hangs is given up, and ended") {
  const FakePython python(hanging);
  CHECK_THROWS_WITH_AS(LlamaPeer(std::chrono::seconds(1)), "llama.cpp: no answer within 1 s", PeerFailed);
  CHECK(has_no_children());
}

TEST_CASE("a peer that ends or talks nonsense later has ended for good") {
  for (const char* words : {"", "fast", "-1", "0", "nan", "inf", "0.5 s"}) {
    CAPTURE(words);
    const FakePython python(answering(words));
    LlamaPeer peer;
    CHECK_THROWS_AS(peer.step_seconds(0, 1, 1), PeerFailed);
    CHECK(has_no_children());
    CHECK_THROWS_WITH_AS(peer.step_seconds(0, 1, 1), "llama.cpp: its process has ended", PeerFailed);
  }
  const FakePython python("echo ready 1\nread command\n");
  LlamaPeer peer;
  CHECK_THROWS_WITH_AS(peer.load("model"), "llama.cpp: its process has ended", PeerFailed);
}

TEST_CASE("between commands the peer stands still, and it is gone with its object") {
  const FakePython python(answering("0.25"));
  {
    LlamaPeer peer;
    CHECK(peer.step_seconds(0, 1, 1) == 0.25);
    siginfo_t state{};
    CHECK(waitid(P_ALL, 0, &state, WSTOPPED | WNOWAIT) == 0);
    CHECK(state.si_status == SIGSTOP);
  }
  CHECK(has_no_children());
}

TEST_CASE("without llama.cpp there is a note, and no race") {
  const FakePython python("");
  Quiet quiet;
  const Transformer model(small);
  LlamaRace race(quiet.lab, model, {Format::fp32});
  CHECK(race.variants().empty());
  CHECK(quiet.lab.results().notes == std::vector<std::string>{"not raced: " + without_python()});
}

TEST_CASE("when llama.cpp dies in the race, the lab goes on with its own samples") {
  // It loads a model, decodes a text, gives 97 logits of 0, decodes again and takes a second; then it is gone.
  const FakePython python(
      "echo ready 1\nread c; echo 0\nread c; echo primed\nread c; echo 97; /usr/bin/head -c 388 /dev/zero\n"
      "read c; echo primed\nread c; echo 1\nread c\n");
  Quiet quiet;
  const Transformer model(small);
  Decoders decoders(quiet.lab, model, {Format::fp32});
  LlamaRace race(quiet.lab, model, decoders.formats());
  std::vector<Variant> variants = race.variants();
  REQUIRE(variants.size() == 2);
  variants.push_back(timed("own", [] {}));
  const Sampling sampling = sample_interleaved(variants, {.rounds = 3});
  CHECK(std::isfinite(sampling.of("own").median));
  race.add_results(quiet.lab, decoders, sampling);
  CHECK(quiet.lab.results().values.empty());
  CHECK(quiet.lab.results().notes == std::vector<std::string>{"not raced: llama.cpp: its process has ended"});
  CHECK(has_no_children());
}

/// Null where it is not installed.
std::unique_ptr<LlamaPeer> installed_peer() {
  try {
    return std::make_unique<LlamaPeer>();
  } catch (const PeerFailed&) {
    return nullptr;
  }
}

TEST_CASE("llama.cpp, where it is installed, reads the file and computes what we compute") {
  const std::unique_ptr<LlamaPeer> peer = installed_peer();
  if (peer == nullptr) return;
  Quiet quiet;
  const Transformer model(small);
  Decoders decoders(quiet.lab, model, {Format::fp32, Format::bf16, Format::q8_0, Format::q4_0});
  for (Format format : decoders.formats()) {
    CAPTURE(id(format));
    const ScratchFile file;
    write_gguf(model, format, file.path());
    const int loaded = peer->load(file.path());
    peer->prime(loaded, text);
    CHECK(relative_distance(decoders.logits(format, text), peer->logits(loaded)) < 0.03);
    CHECK(peer->step_seconds(loaded, 1, 2) > 0);
    // The cache is as it was: the same text gives the same logits.
    peer->prime(loaded, text);
    CHECK(relative_distance(decoders.logits(format, text), peer->logits(loaded)) < 0.03);
  }
}

TEST_CASE("llama.cpp, where it is installed, says in one line what it cannot read") {
  const std::unique_ptr<LlamaPeer> peer = installed_peer();
  if (peer == nullptr) return;
  CHECK_THROWS_WITH_AS(peer->load("/dev/null"), "llama.cpp: llama.cpp cannot read /dev/null", PeerFailed);
}

}  // namespace
}  // namespace hf::precision
