// Both exercises, on the processor if PyTorch is installed; and other possible answers of python3.
#include <doctest/doctest.h>

#include <string>

#include "07-compilers/bench/steps.hpp"
#include "harness/machine/machine.hpp"
#include "process.hpp"

namespace hf::compilers {
namespace {

std::string failure() {
  try {
    run_exercises("cpu", 8, 1, 10);
  } catch (const ExercisesFailed& failed) {
    return failed.what();
  }
  return "";
}

TEST_CASE("what goes wrong is one line") {
  {
    const FakePython nowhere("");
    if (!probe_machine().emulated) CHECK(failure() == "PyTorch's exercises: python3 cannot be started");
  }
  {
    const FakePython python("echo Traceback; echo 'ModuleNotFoundError: no torch' >&2; exit 1\n");
    CHECK(failure() == "PyTorch's exercises: ModuleNotFoundError: no torch");
  }
  {
    const FakePython python("echo hello\n");
    CHECK(failure() == "PyTorch's exercises: said 'hello'");
  }
  const FakePython python("while :; do /bin/sleep 1; done\n");
  CHECK_THROWS_WITH_AS(run_exercises("cpu", 8, 1, 0.2), "PyTorch's exercises: stopped, for they took too long",
                       ExercisesFailed);
}

TEST_CASE("what the script says is read") {
  const FakePython python(
      "echo 'a warning'; echo '{\"device\": \"it\", \"milliseconds\": {\"unfused\": [3, 5, 4], \"fused\": [2, 1, 3]}, "
      "\"kernels\": {\"unfused\": 3.0, \"fused\": 1.0}}'\n");
  const Exercises exercises = run_exercises("cuda", 4096, 3, 10);
  CHECK(exercises.device == "it");
  CHECK(exercises.unfused_ms.median == 4);
  CHECK(exercises.fused_ms.median == 2);
  CHECK(exercises.unfused_kernels == 3);
  CHECK(exercises.fused_kernels == 1);
}

const bool torch_is_missing = python_lacks("torch");

TEST_CASE("with PyTorch, on the processor: three operators unfused, none of them fused" *
          doctest::skip(torch_is_missing)) {
  const Exercises exercises = run_exercises("cpu", 64, 3, 300);
  CHECK(exercises.unfused_ms.samples.size() == 3);
  CHECK(exercises.unfused_kernels == 3);
  CHECK(exercises.fused_kernels == 0);
}

}  // namespace
}  // namespace hf::compilers
