// The command line.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <sstream>
#include <string>
#include <vector>

#include "process.hpp"
#include "suite.hpp"

namespace {

Ended plan(const std::string& arguments) {
  std::vector<std::string> command = {PLAN};
  std::istringstream words(arguments);
  for (std::string word; words >> word;) command.push_back(word);
  return run(command);
}

using hf::contains;

void refused(const std::string& arguments, const std::string& why) {
  CAPTURE(arguments);
  const Ended ended = plan(arguments);
  CHECK(ended.status == 2);
  CHECK(ended.out.empty());
  CHECK(ended.err.find('\n') == ended.err.size() - 1);
  CHECK_MESSAGE(contains(ended.err, why), ended.err);
}

TEST_CASE("help and version") {
  CHECK(plan("--help").status == 0);
  for (const char* option : {"--model", "--chip", "--chips", "--batch", "--tensor", "--pipeline", "--runs"})
    CHECK(contains(plan("--help").out, option));
  CHECK(plan("--version").out.starts_with("plan "));
}

TEST_CASE("a plan's step, what it is spent on, and what it holds") {
  const Ended ended = plan(
      "--model gpt3-175b --chip h100 --chips 1024 --tensor 4 --pipeline 8 --interleave 6 --micro-batch 1 --batch 2048 "
      "--sequence 2048");
  CHECK(ended.status == 0);
  CHECK(ended.err.empty());
  for (const char* part : {"gpt3-175b, 174.6 billion parameters, on 1024 x h100: t4 p8 v6 d32", "arithmetic", "memory",
                           "tensor links", "network", "bubble", "MFU", "GiB", "largest part of a step: arithmetic"})
    CHECK_MESSAGE(contains(ended.out, part), part);
  CHECK_FALSE(contains(ended.out, "does not fit"));
}

TEST_CASE("a plan that does not fit says so") {
  const Ended ended = plan("--model gpt-1t --chip a100 --chips 8 --tensor 8 --batch 8");
  CHECK(ended.status == 0);
  CHECK(contains(ended.out, "does not fit: "));
}

TEST_CASE("overlap and fused attention can be taken away") {
  const std::string job = "--model 24/2048/16 --chips 8 --batch 8 --tensor 8";
  const auto all = [](const Ended& ended) { return ended.out.substr(ended.out.find("  total")); };
  CHECK(all(plan(job)) != all(plan(job + " --no-overlap")));
  CHECK(all(plan(job)) != all(plan(job + " --unfused-attention")));
  CHECK(all(plan(job)) != all(plan(job + " --recompute full")));
}

TEST_CASE("every size of a model can be said") {
  const std::string sizes =
      " --chips 64 --batch 256 --sequence 8192 --tensor 2 --kv-heads 8 --head-size 128 --ffn 14336 --vocabulary 128256 "
      "--gated --untied";
  const auto body = [](const Ended& ended) { return ended.out.substr(ended.out.find("on 64")); };
  const Ended mine = plan("--model 32/4096/32" + sizes);
  CHECK(mine.status == 0);
  CHECK(contains(mine.out, ", 8.0 billion parameters"));
  CHECK(body(mine) == body(plan("--model llama3-8b --chips 64 --batch 256 --sequence 8192 --tensor 2")));
}

TEST_CASE("experts, 8-bit products and short gradients") {
  const std::string job = "--model mixtral-8x7b --chips 64 --batch 256 --sequence 4096 --pipeline 4 --expert 8";
  const Ended ended = plan(job);
  CHECK(ended.status == 0);
  CHECK(contains(ended.out, "mixtral-8x7b, 46.7 billion parameters, on 64 x h100: e8 p4 d16"));
  for (const char* more : {" --fp8", " --gradient-bytes 2", " --active 1"}) CHECK(plan(job + more).out != ended.out);
  CHECK(contains(plan("--model mixtral-8x7b --chips 64 --batch 256 --sequence 4096").out, " e"));
  CHECK(plan("--model llama3-70b --chip gb200 --chips 64 --batch 256 --sequence 8192 --fp8").status == 0);
}

TEST_CASE("without a plan, plans are searched") {
  const Ended ended = plan("--model llama3-8b --chips 64 --batch 256 --sequence 8192");
  CHECK(ended.status == 0);
  CHECK(contains(ended.out, "micro-batch  recomputed"));
}

TEST_CASE("every published run, and the errors") {
  const Ended ended = plan("--runs");
  CHECK(ended.status == 0);
  for (const char* part :
       {"fitted: 17 runs", "tested: 100 runs", "megascale-175b", "tpu-v5e", "off by more than 10%", "K22: Korthikanti"})
    CHECK_MESSAGE(contains(ended.out, part), part);
}

TEST_CASE("what makes no sense is refused in one line") {
  refused("", "--chips: is missing");
  refused("--chips 8", "--batch: is missing");
  refused("--chips 8 --batch 8 --model nobody", "--model nobody: unknown; the models are");
  refused("--chips 8 --batch 8 --model 24/2048/7", "the third a divisor of the second");
  refused("--chips 8 --batch 8 --model 0/0/0", "give three positive sizes");
  refused("--chips 8 --batch 8 --model 24/2048/16/1", "unknown");
  refused("--chips 8 --batch 8 --model -4/2048/16", "give three positive sizes");
  refused("--chips 8 --batch 8 --chip abacus", "--chip abacus: unknown; the chips are");
  refused("--chips 0 --batch 8", "--chips");
  refused("--chips -8 --batch 8", "--chips");
  refused("--chips 99999999999999999999 --batch 8", "--chips");
  refused("--chips eight --batch 8", "--chips");
  refused("--chips 8 --batch nan", "--batch");
  refused("--chips 8 --batch inf", "--batch");
  refused("--chips 8 --batch 1.5", "--batch");
  refused("--chips 8 --batch 8 --tensor 3", "--chips 8: is not a multiple");
  refused("--chips 8 --batch 8 --tensor 16777216 --pipeline 16777216 --context 16777216", "is not a multiple");
  refused("--chips 5 --batch 5 --tensor 5", "--tensor 5: does not divide the model's heads, 96");
  refused("--chips 8 --batch 7 --tensor 4", "does not divide the batch");
  refused("--chips 8 --batch 8 --recompute some", "--recompute");
  refused("--chips 8 --batch 8 --sharding 2", "--sharding");
  refused("--chips 8 --batch 8 --pipeline 8 --sharding full", "--sharding full");
  refused("--chips 8 --batch 8 --fp8 --chip a100", "--fp8: nobody measured");
  refused("--chips 8 --batch 8 --gradient-bytes 3", "--gradient-bytes");
  refused("--chips 8 --batch 8 --kv-heads 7", "--kv-heads 7: does not divide the model's heads, 96");
  refused("--chips 8 --batch 8 --active 2", "--active 2: is more than the model's experts, 1");
  refused("--chips 8 --batch 8 --expert 8", "--expert 8: does not divide the model's experts, 1");
  refused("--chips 8 --batch 8 --ffn 0", "--ffn");
  refused("--chips 8 --batch 8 --colour blue", "--colour");
  refused("--chips 1 --batch 1 --model gpt-1t", "no plan fits");
  refused("--chips 8 --batch 8 --chips 9", "--chips");
}

TEST_CASE("a full disk is an error") {
  const auto fill = [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); };
  CHECK(run({PLAN, "--runs"}, {}, fill).status == 2);
}

}  // namespace
