#include "07-compilers/kernels/legality/permissions.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/legality/permitted_loops_cpp.hpp"
#include "harness/keep.hpp"
#include "harness/shared_library.hpp"
#include "harness/vector.hpp"

namespace hf::compilers {
namespace {

constexpr double most_seconds = 60;  ///< that the compiler may take for a source

using Flags = std::vector<std::string>;
const Flags reorder = {"-fassociative-math",  // which needs the other two
                       "-fno-signed-zeros", "-fno-trapping-math"};
const Flags exchange = {"-floop-interchange"}, keep_order = {"-fno-loop-interchange"};

Flags joined(Flags flags, const Flags& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

/// The loops, built with permissions beside what all have. \throws BuildError
SharedLibrary built(Toolchain toolchain, const std::filesystem::path& cache, const Flags& permissions) {
  toolchain.flags = joined(toolchain.flags, {"-O3", "-ffp-contract=off", "-DROWS=" + std::to_string(product_rows),
                                             "-DWIDTH=" + std::to_string(product_width)});
  if (*VECTOR_FLAG != '\0') toolchain.flags.emplace_back(VECTOR_FLAG);
  toolchain.flags = joined(toolchain.flags, permissions);
  // The cache names what it has by its source: with other flags it is another.
  std::string source = "//";
  for (const std::string& flag : permissions) source += " " + flag;
  const Built made = build(source + "\n" + permitted_loops_cpp, toolchain, cache, most_seconds);
  const SharedLibrary library({made.library.c_str()});
  if (!library) throw BuildError("what the compiler built cannot be loaded; name another in CXX");
  return library;
}

template <class Number>
void add_at_once(std::size_t times) {
  constexpr std::size_t sums = 12;  // more than are in flight, and no more than there are registers
  Number sum[sums] = {};
  const Number term = opaque(Number{} + 1.0f);
  for (std::size_t i = 0; i < times; ++i) {
#pragma GCC unroll 12
    for (Number& each : sum) each = opaque(each + term);
  }
  for (const Number& each : sum) keep(first_lane(each));
}

}  // namespace

Permissions build_permissions(const std::string& compiler, const std::filesystem::path& cache) {
  const Toolchain with = find_toolchain(compiler, most_seconds);
  SharedLibrary exchanged({});
  try {
    exchanged = built(with, cache, exchange);
  } catch (const BuildError&) {  // it does not know the flag
  }
  const SharedLibrary both = exchanged ? built(with, cache, joined(exchange, reorder)) : exchanged;
  const SharedLibrary kept = built(with, cache, exchanged ? keep_order : Flags{}),
                      reordered = built(with, cache, reorder);
  return Permissions{.smooth = kept.function<Smooth>("smooth"),
                     .smooth_restrict = kept.function<Smooth>("smooth_restrict"),
                     .rotate = kept.function<Rotate>("rotate"),
                     .rotate_restrict = kept.function<Rotate>("rotate_restrict"),
                     .dot = kept.function<Dot>("dot"),
                     .dot_reordered = reordered.function<Dot>("dot"),
                     .product_jki = kept.function<Product>("product_jki"),
                     .product_ijk = kept.function<Product>("product_ijk"),
                     .product_ikj = kept.function<Product>("product_ikj"),
                     .product_ijk_exchanged = exchanged.function<Product>("product_ijk"),
                     .product_ijk_both = both.function<Product>("product_ijk")};
}

const std::size_t permission_lanes = lanes;

void add_one_by_one(std::size_t times) { add_at_once<float>(times); }
void add_in_vectors(std::size_t times) { add_at_once<Floats>(times); }

}  // namespace hf::compilers
