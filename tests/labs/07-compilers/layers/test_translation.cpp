// A graph translated by the system's compiler; and instructions read from its assembly.
#include <doctest/doctest.h>

#include <string>

#include "../compiler/graphs.hpp"
#include "07-compilers/kernels/layers/translation.hpp"

namespace hf::compilers {
namespace {

TEST_CASE("a chain of three operators is one loop, some lines, a few instructions") {
  const Translation translation = translate(chain_of_three({64, 64}));
  CHECK(translation.operators == 3);
  CHECK(translation.loops == 1);
  CHECK(translation.lines > 3);
  const AssemblyFunction& loop = translation.first_loop;
  CHECK(loop.loop_count > 0);
  CHECK(loop.instructions.size() > loop.loop_count);
}

// Two loops, one inside the other; and another function.
const std::string nested = R"(
other:
	.cfi_startproc
	ret
	.cfi_endproc
sum:
.LFB0:
	.cfi_startproc
	xorl	%eax, %eax
.L3:
	movq	%rdi, %rdx   # a remark
.L2:
	addss	(%rdx), %xmm0
	addq	$4, %rdx
	cmpq	%rdx, %rsi
	jne	.L2
	incq	%rax
	cmpq	%rax, %rcx
	jne	.L3
	je	.L5
.L5:
	ret
	.cfi_endproc
after:
	nop
)";

TEST_CASE("a function's instructions are counted without labels, directives, remarks and other functions") {
  const AssemblyFunction sum = read_assembly(nested, "sum");
  CHECK(sum.instructions.size() == 11);
  CHECK(sum.instructions.front() == "xorl\t%eax, %eax");
  CHECK(sum.instructions[1] == "movq\t%rdi, %rdx");
  CHECK(sum.instructions.back() == "ret");
}

TEST_CASE("its loop is the one that holds no other, from its label to the jump back") {
  const AssemblyFunction sum = read_assembly(nested, "sum");
  CHECK(sum.loop_count == 4);
}

TEST_CASE("of several such loops the one that multiplies most is taken, then the longest; AArch64's are found too") {
  const std::string first = "f:\n.L1:\n\tfadd\ts0, s0, s1 // a remark\n\ttbnz\tw0, #3, .L1\n",
                    second = ".L2:\n\tldr\tq0, [x1], 16\n\tsubs\tx0, x0, 4\n\tb.ne\t.L2\n",
                    third = ".L3:\n\tfmla\tv0.4s, v1.4s, v2.4s\n\tb.ne\t.L3\n", end = "\tret\n\t.size\tf, .-f\n\tnop\n";
  const AssemblyFunction two = read_assembly(first + second + end, "f");
  CHECK(two.instructions.size() == 6);
  CHECK(two.loop_count == 3);
  const AssemblyFunction three = read_assembly(first + second + third + end, "f");
  CHECK(three.loop_count == 2);
}

TEST_CASE("a jump back over the end of the function's work is no loop") {
  CHECK(read_assembly("f:\n\tjmp\t.L2\n.L1:\n\tret\n.L2:\n\tja\t.L1\n\tnop\n\t.size\tf, .-f\n", "f").loop_count == 0);
}

TEST_CASE("a function without a loop, and one that is not there") {
  CHECK(read_assembly(nested, "other").instructions.size() == 1);
  CHECK(read_assembly(nested, "other").loop_count == 0);
  CHECK(read_assembly(nested, "nobody").instructions.empty());
}

}  // namespace
}  // namespace hf::compilers
