// llama.cpp in its own process, if it is installed, with every fault that it may have.
#include <doctest/doctest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "06-precision/bench/gguf.hpp"
#include "06-precision/bench/model.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/scratch_file.hpp"
#include "harness/measure/threads.hpp"
#include "harness/report/lab.hpp"
#include "kit/peers/llama_peer.hpp"
#include "kit/relative_distance.hpp"
#include "kit/transformer/transformer.hpp"
#include "process.hpp"
#include "quiet_lab.hpp"

namespace hf::precision {
namespace {

using workload::Transformer;
using workload::TransformerShape;

constexpr TransformerShape small = {2, 64, 2, 97, 128};
const std::vector<int> text = {5, 96, 0, 41, 41, 12};

struct Quiet : QuietLab {
  Quiet() : QuietLab({"06-precision", "", {}, {}}) {}
};

/// The message if there is no python3. Under an emulator of processes the cause of a failed start is unknown: the
/// process starts, and ends.
std::string without_python() {
  return probe_machine().emulated ? "llama.cpp: its process has ended"
                                  : "llama.cpp: python3: No such file or directory";
}

TEST_CASE("a peer that talks nonsense later has ended for good") {
  const FakePython python(answering("fast"));
  LlamaPeer peer;
  SUBCASE("to a file") { CHECK_THROWS_WITH_AS(peer.load("x"), "llama.cpp: loads model 'fast'", PeerFailed); }
  SUBCASE("to a text") { CHECK_THROWS_WITH_AS(peer.prime(0, text), "llama.cpp: says 'fast' to tokens", PeerFailed); }
  SUBCASE("to a question") { CHECK_THROWS_WITH_AS(peer.logits(0), "llama.cpp: gives 'fast' numbers", PeerFailed); }
  CHECK(has_no_children());
  CHECK_THROWS_WITH_AS(peer.step_seconds(0, 1, 1), "llama.cpp: its process has ended", PeerFailed);
}

TEST_CASE("without llama.cpp there is a note, and no race") {
  const FakePython python("");
  Quiet quiet;
  const Transformer model(small);
  LlamaRace race(quiet.lab, model, decoders_of(quiet.lab, model, {Format::fp32}));
  CHECK(race.variants(Format::fp32, Threads::all).empty());
  CHECK(quiet.lab.results().notes == std::vector<std::string>{"not raced: " + without_python()});
}

/// A peer that loads a model, decodes a text, returns 97 logits of 0, and decodes again.
const std::string logits_of_zero =
    "echo ready 1\nread c; echo 0\nread c; echo primed\nread c; echo 97; /usr/bin/head -c 388 /dev/zero\n"
    "read c; echo primed\n";

TEST_CASE("when llama.cpp dies in the race, the lab goes on with its own samples") {
  const FakePython python(logits_of_zero + "read c; echo 1\nread c\n");  // a step takes a second; then it exits
  Quiet quiet;
  const Transformer model(small);
  Decoders decoders = decoders_of(quiet.lab, model, {Format::fp32});
  LlamaRace race(quiet.lab, model, decoders);
  std::vector<Variant> variants = race.variants(Format::fp32, Threads::all);
  REQUIRE(variants.size() == 1);
  variants.push_back(race.variants(Format::fp32, Threads::one).at(0));
  variants.push_back(timed("own", [] {}));
  const Sampling sampling = sample_interleaved(variants, {.rounds = 3});
  CHECK(std::isfinite(sampling.of("own").median));
  race.add_results(quiet.lab, decoders, sampling, small_ids);
  CHECK(quiet.lab.results().values.empty());
  CHECK(quiet.lab.results().notes == std::vector<std::string>{"not raced: llama.cpp: its process has ended"});
  CHECK(has_no_children());
}

TEST_CASE("a peer that computes something else is left out") {
  const FakePython python(logits_of_zero + "while read c; do echo 1; done\n");  // each step takes a second
  Quiet quiet;
  const Transformer model(small);
  Decoders decoders = decoders_of(quiet.lab, model, {Format::fp32});
  LlamaRace race(quiet.lab, model, decoders);
  std::vector<Variant> variants = race.variants(Format::fp32, Threads::all);
  REQUIRE(variants.size() == 1);
  race.add_results(quiet.lab, decoders, sample_interleaved(variants, {.rounds = 3}), small_ids);
  CHECK(quiet.lab.results().series.empty());
  CHECK(quiet.lab.results().notes ==
        std::vector<std::string>{"llama.cpp gives a different result in fp32 and is left out"});
}

const bool llama_is_missing = python_lacks("llama_cpp");

TEST_CASE("llama.cpp reads the file and computes what we compute" * doctest::skip(llama_is_missing)) {
  LlamaPeer peer;
  Quiet quiet;
  const Transformer model(small);
  Decoders decoders = decoders_of(quiet.lab, model, {Format::fp32, Format::bf16, Format::q8_0, Format::q4_0});
  for (auto& [kept, decoder] : decoders) {
    const Format format = kept;
    CAPTURE(id(format));
    const ScratchFile file;
    write_gguf(model, format, file.path());
    const int loaded = peer.load(file.path());
    peer.prime(loaded, text);
    CHECK(relative_distance(decoder.logits(text), peer.logits(loaded)) < 0.03);
    CHECK(peer.step_seconds(loaded, 1, 2) > 0);
    CHECK(peer.prompt_seconds(loaded, 1, 2) > 0);
    // The cache is as it was: the same text gives the same logits.
    peer.prime(loaded, text);
    CHECK(relative_distance(decoder.logits(text), peer.logits(loaded)) < 0.03);
  }
}

TEST_CASE("llama.cpp says in one line what it cannot read" * doctest::skip(llama_is_missing)) {
  LlamaPeer peer;
  CHECK_THROWS_WITH_AS(peer.load("/dev/null"), "llama.cpp: llama.cpp cannot read /dev/null", PeerFailed);
}

}  // namespace
}  // namespace hf::precision
