#include "07-compilers/kernels/legality/permissions.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/legality/permissions/aliasing_cpp.hpp"
#include "07-compilers/kernels/legality/permissions/dot_cpp.hpp"
#include "07-compilers/kernels/legality/permissions/triple_loop_cpp.hpp"
#include "harness/keep.hpp"
#include "harness/shared_library.hpp"
#include "harness/vector.hpp"

namespace hf::compilers {
namespace {

constexpr double most_seconds = 60;  ///< that the compiler may take for a source

/// \param flags  permissions, beside what all sources are built with
SharedLibrary built(const char* source, Toolchain toolchain, const std::filesystem::path& cache,
                    const std::vector<std::string>& flags = {}) {
  toolchain.flags.insert(toolchain.flags.end(), {"-O3", "-ffp-contract=off", "-DROWS=" + std::to_string(product_rows),
                                                 "-DWIDTH=" + std::to_string(product_width)});
  if (*VECTOR_FLAG != '\0') toolchain.flags.emplace_back(VECTOR_FLAG);
  toolchain.flags.insert(toolchain.flags.end(), flags.begin(), flags.end());
  // The cache names what it has by its source: with other flags it is another.
  std::string text = "//";
  for (const std::string& flag : flags) text += " " + flag;
  const Built library = build(text + "\n" + source, toolchain, cache, most_seconds);
  return SharedLibrary({library.library.c_str()});
}

/// Whether the compiler knows these flags.
bool accepts(const Toolchain& toolchain, const std::filesystem::path& cache, const std::vector<std::string>& flags) {
  try {
    built("", toolchain, cache, flags);
    return true;
  } catch (const BuildError&) {
    return false;
  }
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

const SharedLibrary nothing({});

// clang-format off
using Flags = std::vector<std::string>;
const Flags no_flags = {};
const Flags reorder = {"-fassociative-math",  // which needs the other two
                       "-fno-signed-zeros", "-fno-trapping-math"};
const Flags keep_order = {"-fno-loop-interchange"};
const Flags exchange = {"-floop-interchange"};
const Flags reorder_and_exchange = {"-floop-interchange",  // and as above
                                    "-fassociative-math", "-fno-signed-zeros",
                                    "-fno-trapping-math"};
// clang-format on

}  // namespace

Permissions build_permissions(const std::string& compiler, const std::filesystem::path& cache) {
  const Toolchain with = find_toolchain(compiler, most_seconds);
  const auto build_with = [&](const char* source, const std::vector<std::string>& flags) {
    return built(source, with, cache, flags);
  };
  const SharedLibrary aliasing = build_with(aliasing_cpp, {}), dot = build_with(dot_cpp, {}),
                      reordered = build_with(dot_cpp, reorder);
  const bool exchanges = accepts(with, cache, exchange);
  const SharedLibrary kept = build_with(triple_loop_cpp, exchanges ? keep_order : no_flags),
                      exchanged = exchanges ? build_with(triple_loop_cpp, exchange) : nothing,
                      both = exchanges ? build_with(triple_loop_cpp, reorder_and_exchange) : nothing;
  for (const SharedLibrary* library : {&aliasing, &dot, &reordered, &kept}) {
    if (!*library) throw BuildError("what the compiler built cannot be loaded; name another in CXX");
  }
  return Permissions{.smooth = aliasing.function<Smooth>("smooth"),
                     .smooth_restrict = aliasing.function<Smooth>("smooth_restrict"),
                     .rotate = aliasing.function<Rotate>("rotate"),
                     .rotate_restrict = aliasing.function<Rotate>("rotate_restrict"),
                     .dot = dot.function<Dot>("dot"),
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
