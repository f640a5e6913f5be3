#include "07-compilers/kernels/legality/permissions.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/legality/permitted_loops_cpp.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/vector.hpp"

namespace hf::compilers {
namespace {

constexpr double most_seconds = 60;  ///< for the compiler, for each source

using Flags = std::vector<std::string>;
const Flags reorder = {"-fassociative-math",  // needs the other two
                       "-fno-signed-zeros", "-fno-trapping-math"};
const Flags exchange = {"-floop-interchange"}, keep_order = {"-fno-loop-interchange"};

Flags joined(Flags flags, const Flags& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

using Code = std::shared_ptr<void>;

template <class Signature>
Signature* function(const Code& code, const char* name) {
  return code ? reinterpret_cast<Signature*>(dlsym(code.get(), name)) : nullptr;
}

/// Builds the loops with permissions in addition to the common flags. \throws BuildError
Code built(Toolchain toolchain, const std::filesystem::path& cache, const Flags& permissions) {
  toolchain.flags = joined(toolchain.flags, {"-O3", "-ffp-contract=off", "-DROWS=" + std::to_string(product_rows),
                                             "-DWIDTH=" + std::to_string(product_width)});
  if (*VECTOR_FLAG != '\0') toolchain.flags.emplace_back(VECTOR_FLAG);
  toolchain.flags = joined(toolchain.flags, permissions);
  return build(permitted_loops_cpp, toolchain, cache, most_seconds).code;
}

template <class Number>
void add_at_once(std::size_t times) {
  constexpr std::size_t sums = 12;  // more than can be in flight, and few enough for the registers
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
  const Toolchain with = find_toolchain(compiler);
  Code exchanged;
  try {
    exchanged = built(with, cache, exchange);
  } catch (const BuildError&) {  // the compiler does not have the flag
  }
  const Code both = exchanged ? built(with, cache, joined(exchange, reorder)) : exchanged;
  const Code kept = built(with, cache, exchanged ? keep_order : Flags{}), reordered = built(with, cache, reorder);
  return Permissions{.smooth = function<Smooth>(kept, "smooth"),
                     .smooth_restrict = function<Smooth>(kept, "smooth_restrict"),
                     .rotate = function<Rotate>(kept, "rotate"),
                     .rotate_restrict = function<Rotate>(kept, "rotate_restrict"),
                     .dot = function<Dot>(kept, "dot"),
                     .dot_reordered = function<Dot>(reordered, "dot"),
                     .product_jki = function<Product>(kept, "product_jki"),
                     .product_ijk = function<Product>(kept, "product_ijk"),
                     .product_ikj = function<Product>(kept, "product_ikj"),
                     .product_ijk_exchanged = function<Product>(exchanged, "product_ijk"),
                     .product_ijk_both = function<Product>(both, "product_ijk"),
                     .code = {kept, reordered, exchanged, both}};
}

const std::size_t permission_lanes = lanes;

void add_one_by_one(std::size_t times) { add_at_once<float>(times); }
void add_in_vectors(std::size_t times) { add_at_once<Floats>(times); }

}  // namespace hf::compilers
