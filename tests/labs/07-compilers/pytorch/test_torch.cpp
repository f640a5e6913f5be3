// A graph as a PyTorch program; and PyTorch in its own process, if it is installed, with every fault that it may have.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../compiler/graphs.hpp"
#include "07-compilers/bench/torch_race.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/peers/torch_peer.hpp"
#include "harness/machine/machine_registers.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/report/lab.hpp"
#include "process.hpp"
#include "quiet_lab.hpp"

namespace hf::compilers {
namespace {

using Sizes = std::vector<std::vector<std::size_t>>;

/// The contents of the line that computes the result.
std::string last_line(const Graph& graph) {
  const std::string source = torch_program(graph).source, result = "    v" + std::to_string(graph.nodes().size() - 1);
  const std::size_t at = source.find(result + " = ") + result.size() + 3;
  return source.substr(at, source.find('\n', at) - at);
}

TEST_CASE("a chain of operators is a line for each") {
  const TorchProgram program = torch_program(chain_of_three({4, 8}));
  CHECK(program.source ==
        "def graph(v0):\n"
        "    v1 = torch.relu(v0)\n"
        "    v3 = v1 * 0.5\n"
        "    v5 = v3 + 1\n"
        "    return v5\n");
  CHECK(program.sizes == Sizes{{4, 8}});
  CHECK(program.parameters.empty());
}

TEST_CASE("a product with a row added is one operator, and gain, shift and bias are vectors") {
  const TorchProgram program = torch_program(network_block(6, 4, 8));
  CHECK(program.source ==
        "def graph(v0, v1, v2, v3, v4):\n"
        "    v5 = F.layer_norm(v0, (4,), v1, v2)\n"
        "    v7 = torch.addmm(v4, v5, v3)\n"
        "    v8 = F.gelu(v7, approximate=\"tanh\")\n"
        "    v9 = F.dropout(v8, 0.1, training=True)\n"
        "    return v9\n");
  CHECK(program.sizes == Sizes{{6, 4}, {4}, {4}, {4, 8}, {8}});
  CHECK(program.parameters == std::vector<std::size_t>{1, 2, 3, 4});
}

TEST_CASE("every operator is written as PyTorch has it") {
  const Shape shape = {3, 5};
  CHECK(last_line(one_operator(Op::subtract, {shape, shape})) == "v0 - v1");
  CHECK(last_line(one_operator(Op::divide, {shape, {1, 5}})) == "v0 / v1");
  CHECK(last_line(one_operator(Op::maximum, {shape, shape})) == "torch.maximum(v0, v1)");
  CHECK(last_line(one_operator(Op::exp, {shape})) == "torch.exp(v0)");
  CHECK(last_line(one_operator(Op::rsqrt, {shape})) == "torch.rsqrt(v0)");
  CHECK(last_line(one_operator(Op::row_sum, {shape})) == "v0.sum(1, keepdim=True)");
  CHECK(last_line(one_operator(Op::row_max, {shape})) == "v0.amax(1, keepdim=True)");
  CHECK(last_line(one_operator(Op::matmul, {shape, {5, 2}})) == "torch.mm(v0, v1)");
  CHECK(last_line(one_operator(Op::softmax, {shape})) == "torch.softmax(v0, 1)");
}

TEST_CASE("a maximum with a number is a clamp") {
  Graph graph;
  const Ref x = graph.input({3, 5});
  graph.add(Op::maximum, {graph.constant(-2), x});
  CHECK(last_line(graph) == "torch.clamp_min(v0, -2)");
}

TEST_CASE("a product that is needed by itself too, or a sum that is more than a row, is no addmm") {
  Graph twice;
  const Ref product = twice.add(Op::matmul, {twice.input({3, 4}), twice.input({4, 5})});
  const Ref sum = twice.add(Op::add, {product, twice.input({1, 5})});
  twice.add(Op::multiply, {sum, product});
  CHECK(torch_program(twice).source.find("addmm") == std::string::npos);
  CHECK(torch_program(twice).sizes.back() == std::vector<std::size_t>{1, 5});

  Graph whole;
  const Ref other = whole.add(Op::matmul, {whole.input({3, 4}), whole.input({4, 5})});
  whole.add(Op::add, {other, whole.input({3, 5})});
  CHECK(torch_program(whole).parameters.empty());  // products of two activations, as in attention
  CHECK(torch_program(whole).source.find("addmm") == std::string::npos);
}

/// A race in a lab whose output is discarded.
struct QuietRace : QuietLab {
  QuietRace() : QuietLab({"07-compilers", "", {}, {}}) {}

  /// A line for each.
  std::string notes() const {
    std::string lines;
    for (const std::string& note : lab.results().notes) lines += (lines.empty() ? "" : "\n") + note;
    return lines;
  }

  TorchHost host;
  TorchRace race{lab, host};
};

/// The result that PyTorch should return for a graph of one number: relu(x) · 0.5 + 1 of 2.
struct One {
  Graph graph = chain_of_three({1, 1});
  const float two = 2;
  std::vector<const float*> inputs = {&two};
  std::vector<float> result = {2};

  void enter(TorchRace& race, TorchEntry how = {}) const {
    race.enter("one", graph, inputs, result, 1e-6, std::move(how));
  }
};

// A fake python3's replies to the commands, in order.
const std::string ready = "echo ready 2\n", loaded = "read c; echo kept\nread c; echo 0\n", took = "read c; echo 0.5\n",
                  took_longer = "read c; echo 0.75\n", cannot = "read c; echo cannot: no compiler\n",
                  gives_two = "read c; echo 1; printf '\\000\\000\\000@'\n",
                  gives_zero = "read c; echo 1; /usr/bin/head -c 4 /dev/zero\n";

TEST_CASE("without PyTorch there is one note, and no race") {
  const FakePython python("echo error: no torch; exit 1\n");
  QuietRace quiet;
  for (int step = 0; step < 2; ++step) {
    TorchRace race(quiet.lab, quiet.host);
    One().enter(race);
    CHECK(race.variants().empty());
    CHECK_FALSE(race.is_there("torch eager one"));
    CHECK_FALSE(race.best("one"));
  }
  CHECK(quiet.notes() == "not raced: PyTorch: no torch");
  CHECK(has_no_children());
}

TEST_CASE("what PyTorch computes otherwise is not raced") {
  const FakePython python(ready + loaded + took + gives_zero + "read c; echo released\n");
  QuietRace quiet;
  TorchRace& race = quiet.race;
  One().enter(race, {.modes = {TorchMode::eager}});
  CHECK(race.variants().empty());
  CHECK(quiet.notes() ==
        "not raced: torch eager one: its result differs from ours by 1.00; at most 1.00e-06 is allowed");
}

TEST_CASE("what PyTorch cannot compile runs eagerly still") {
  const FakePython python(ready + loaded + took + gives_two + took + loaded + cannot + loaded + cannot + loaded +
                          cannot + took + "read c; echo released\n");
  QuietRace quiet;
  TorchRace& race = quiet.race;
  One().enter(race);
  CHECK(quiet.notes() ==
        "not raced: torch compiled one, default: PyTorch: no compiler\n"
        "not raced: torch compiled one, max_autotune: PyTorch: no compiler\n"
        "not raced: torch compiled one, cpp_wrapper: PyTorch: no compiler");
  CHECK_FALSE(race.best("one"));
  const std::vector<Variant> variants = race.variants();
  REQUIRE(variants.size() == 1);
  CHECK(variants[0].id == "torch eager one");
  CHECK(variants[0].seconds(3) == 0.5);
  CHECK(race.is_there("torch eager one"));
  CHECK_FALSE(race.is_there("torch compiled one"));
}

TEST_CASE("of torch.compile's settings the fastest is raced, and what is wrong is not") {
  std::string turns;
  for (int round = 0; round < 5; ++round) turns += took_longer + took_longer + took + took;
  const FakePython python(ready + took + loaded + took + gives_two + loaded + took_longer + gives_two + loaded + took +
                          gives_zero + turns + "while read c; do echo \"$c\" >&2; echo 0.25; done\n");
  QuietRace quiet;
  TorchRace& race = quiet.race;
  One().enter(race, {.modes = {TorchMode::compiled}});
  CHECK(
      quiet.notes() ==
      "not raced: torch compiled one, cpp_wrapper: its result differs from ours by 1.00; at most 1.00e-06 is allowed");
  REQUIRE(race.best("one"));
  CHECK(race.best("one")->settings == "max_autotune");
  CHECK(race.best("one")->first_call_seconds == 0.75);
  const std::vector<Variant> variants = race.variants();
  REQUIRE(variants.size() == 1);
  CHECK(variants[0].id == "torch compiled one");
  CHECK(variants[0].seconds(1) == 0.25);
}

TEST_CASE("when PyTorch dies in the race, the lab goes on with its own samples") {
  const FakePython python(ready + loaded + took + gives_two + took);
  QuietRace quiet;
  TorchRace& race = quiet.race;
  One().enter(race, {.modes = {TorchMode::eager}});
  std::vector<Variant> variants = race.variants();
  REQUIRE(variants.size() == 1);
  variants.push_back(timed("own", [] {}));
  const Sampling sampling = sample_interleaved(variants, {.rounds = 3});
  CHECK(std::isfinite(sampling.of("own").median));
  CHECK_FALSE(race.is_there("torch eager one"));
  CHECK(quiet.notes() == "not raced: PyTorch: its process has ended");
  CHECK(has_no_children());
}

TEST_CASE("its folder for what is compiled goes with it") {
  const TemporaryFolder folder;
  const FakePython python("echo ready 2\nread c; echo $TORCHINDUCTOR_CACHE_DIR $OMP_WAIT_POLICY\n");
  const std::string before = std::filesystem::temp_directory_path();
  setenv("TMPDIR", folder.path().c_str(), 1);
  {
    TorchPeer peer;
    CHECK_FALSE(std::filesystem::is_empty(folder.path()));
    CHECK(peer.version() == "2");
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  setenv("TMPDIR", before.c_str(), 1);
}

#if defined(__x86_64__)
TEST_CASE("on another maker's processor MKL is told to use what it can do; where it cannot be told, that is a note") {
  const bool is_told = vendor_signature() != "GenuineIntel";
  const FakePython python(
      "echo ready 2\nread c; echo $LD_PRELOAD | /usr/bin/cut -d: -f1 | /usr/bin/xargs -r test -s && echo 1\n");
  TorchPeer peer;
  CHECK(peer.remark() == "");
  if (is_told) CHECK(peer.seconds(0, "default", 1, 1) == 1);

  const char* const before = std::getenv("CXX");
  const std::string compiler = before != nullptr ? before : "";
  setenv("CXX", "no-compiler", 1);
  CHECK(QuietRace().notes() == (is_told
                                    ? "PyTorch's MKL may run slower than it could here: compiler no-compiler: cannot "
                                      "be started; name one in CXX, or install g++"
                                    : ""));
  if (before != nullptr) {
    setenv("CXX", compiler.c_str(), 1);
  } else {
    unsetenv("CXX");
  }
}
#endif

/// Our operators' result, without the last operator if it is a dropout.
std::vector<float> ours(const Graph& graph, const Inputs& inputs) {
  Graph without;
  for (const Node& node : graph.nodes()) {
    if (node.op == Op::input) {
      without.input(node.shape);
    } else if (node.op == Op::constant) {
      without.constant(node.number);
    } else {
      without.add(node.op, node.operands, node.op == Op::dropout ? 0 : node.number, node.seed);
    }
  }
  return result_of(Eager(without), without, inputs);
}

const bool torch_is_missing = python_lacks("torch");

TEST_CASE("PyTorch computes what we compute, eager and compiled with any settings, on all cores and on one" *
          doctest::skip(torch_is_missing)) {
  QuietRace quiet;
  TorchRace& race = quiet.race;
  REQUIRE(quiet.host.peer != nullptr);
  const TorchEntry both = {.threads = {Threads::all, Threads::one}};
  const auto enter = [&](const std::string& name, const Graph& graph, const TorchEntry& how) {
    const Inputs inputs(graph);
    race.enter(name, graph, inputs.pointers(), ours(graph, inputs), 1e-5, how);
  };
  enter("chain", chain_of_three({64, 300}), both);
  enter("softmax", one_operator(Op::softmax, {{33, 77}}), {});
  enter("softmax by hand", decompose(one_operator(Op::softmax, {{33, 77}})), {});
  enter("block", network_block(64, 96, 128), {});
  enter("one row", network_block(1, 16, 512), {});
  CHECK(quiet.notes() == "");
  CHECK(race.variants().size() == 12);
  for (const Variant& variant : race.variants()) {
    CAPTURE(variant.id);
    CHECK(std::isfinite(variant.seconds(2)));
    CHECK(race.is_there(variant.id));
  }
  CHECK(race.best("block")->first_call_seconds > 0);
}

TEST_CASE("PyTorch takes programs of other sizes for other programs, and would say if it compiled one again" *
          doctest::skip(torch_is_missing)) {
  TorchPeer peer;
  const std::vector<float> x(24, 1.0f);
  const std::vector<const float*> tensors = {x.data()};
  const std::string source = "def graph(x):\n    return x + 1\n";
  for (const std::size_t rows : {2, 3, 4}) {  // with sizes that vary, the second would be compiled for any
    const int program = peer.load({source, {{rows, 6}}}, tensors);
    CHECK(peer.result(program, "default") == std::vector<float>(rows * 6, 2.0f));
  }
  // Another number each time it is called: a program that must be compiled again.
  const std::string changing = "calls = [0]\ndef graph(x):\n    calls[0] += 1\n    return x * calls[0]\n";
  const int program = peer.load({changing, {{4, 6}}}, tensors);
  CHECK(peer.seconds(program, "default", 1, 1) > 0);
  CHECK_THROWS_AS(peer.seconds(program, "default", 1, 1), PeerCannot);
  CHECK_THROWS_AS(peer.seconds(program, "max_autotune", 1, 1), PeerCannot);  // it was called with other settings
}

TEST_CASE("PyTorch is asked for attention in heads, and says what it cannot do" * doctest::skip(torch_is_missing)) {
  QuietRace quiet;
  TorchRace& race = quiet.race;
  REQUIRE(quiet.host.peer != nullptr);
  // One head with identical keys: each token gets the mean of the values.
  const std::vector<float> zeros(2 * 4 * 8), values(2 * 4 * 8, 0.25f);
  const std::vector<const float*> q_k_v = {zeros.data(), zeros.data(), values.data()};
  race.enter("attention",
             {"def graph(q, k, v):\n    return F.scaled_dot_product_attention(q, k, v)\n",
              std::vector(3, std::vector<std::size_t>{1, 2, 4, 8})},
             q_k_v, values, 1e-6, {.modes = {TorchMode::eager}});
  CHECK(race.variants().size() == 1);
  race.enter("wrong", {"def graph(x):\n    raise ValueError('no\\nsense')\n", {{4}}}, q_k_v, {}, 1,
             {.modes = {TorchMode::eager}});
  CHECK(quiet.notes() == "not raced: torch eager wrong: PyTorch: no sense");
  CHECK(race.variants().size() == 1);
}

}  // namespace
}  // namespace hf::compilers
