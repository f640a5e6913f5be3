// The stages of translation, run one by one with the system's compiler.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../compiler/graphs.hpp"
#include "07-compilers/kernels/layers/translation.hpp"
#include "harness/measure/sampling.hpp"

namespace hf::compilers {
namespace {

TEST_CASE("a chain of three operators is one loop, some lines, a few instructions") {
  const Translation translation(chain_of_three({64, 64}));
  CHECK(translation.operators == 3);
  CHECK(translation.loops == 1);
  CHECK(translation.lines > 3);
  CHECK(translation.program_lines > translation.lines);
  const AssemblyFunction& loop = translation.first_loop;
  CHECK(loop.loop_count > 0);
  CHECK(loop.instructions.size() > loop.loop_count);
}

TEST_CASE("every stage can be run by itself, again and again") {
  const Translation translation(chain_of_three({64, 64}));
  std::vector<std::string> names;
  for (const Variant& stage : translation.stages()) {
    names.push_back(stage.id);
    CHECK(stage.seconds(2) > 0);
  }
  CHECK(names == std::vector<std::string>{"plan", "emit", "compile", "assemble", "link", "load"});
}

}  // namespace
}  // namespace hf::compilers
