#include "07-compilers/legality/licences.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include "07-compilers/compiler/build.hpp"
#include "07-compilers/legality/licences/aliasing_cpp.hpp"
#include "07-compilers/legality/licences/dot_cpp.hpp"
#include "07-compilers/legality/licences/triple_loop_cpp.hpp"
#include "harness/shared_library.hpp"

namespace hf::compilers {
namespace {

constexpr double most_seconds = 60;  ///< that the compiler may take for a source

/// \param leave  what the compiler is told beside what it is told of all sources
SharedLibrary built(const char* source, Toolchain toolchain, const std::filesystem::path& cache,
                    const std::vector<std::string>& leave = {}) {
  toolchain.flags.insert(toolchain.flags.end(), {"-O3", "-ffp-contract=off", "-DROWS=" + std::to_string(product_rows),
                                                 "-DWIDTH=" + std::to_string(product_width)});
  if (*VECTOR_FLAG != '\0') toolchain.flags.emplace_back(VECTOR_FLAG);
  toolchain.flags.insert(toolchain.flags.end(), leave.begin(), leave.end());
  // The cache names what it has by its source: with other leave it is another.
  std::string text = "//";
  for (const std::string& flag : leave) text += " " + flag;
  const Built library = build(text + "\n" + source, toolchain, cache, most_seconds);
  return SharedLibrary({library.library.c_str()});
}

}  // namespace

// [begin: leave]
Licences build_licences(const std::string& compiler, const std::filesystem::path& cache) {
  const Toolchain with = find_toolchain(compiler, most_seconds);
  const std::vector<std::string> reorder = {"-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"};
  std::vector<std::string> reorder_and_exchange = reorder;
  reorder_and_exchange.emplace_back("-floop-interchange");
  const SharedLibrary aliasing = built(aliasing_cpp, with, cache), dot = built(dot_cpp, with, cache),
                      reordered = built(dot_cpp, with, cache, reorder),
                      kept = built(triple_loop_cpp, with, cache, {"-fno-loop-interchange"}),
                      exchanged = built(triple_loop_cpp, with, cache, {"-floop-interchange"}),
                      both = built(triple_loop_cpp, with, cache, reorder_and_exchange);
  // [end: leave]
  for (const SharedLibrary* library : {&aliasing, &dot, &reordered, &kept, &exchanged, &both}) {
    if (!*library) throw BuildError("what the compiler built cannot be loaded; name another in CXX");
  }
  return Licences{.smooth = aliasing.function<Smooth>("smooth"),
                  .smooth_restrict = aliasing.function<Smooth>("smooth_restrict"),
                  .rotate = aliasing.function<Rotate>("rotate"),
                  .rotate_restrict = aliasing.function<Rotate>("rotate_restrict"),
                  .dot = dot.function<Dot>("dot"),
                  .dot_reordered = reordered.function<Dot>("dot"),
                  .product_jki = kept.function<Product>("product_jki"),
                  .product_ijk = kept.function<Product>("product_ijk"),
                  .product_ikj = kept.function<Product>("product_ikj"),
                  .product_ijk_exchanged = exchanged.function<Product>("product_ijk"),
                  .product_ijk_both = both.function<Product>("product_ijk"),
                  .column_sums = kept.function<ColumnSums>("column_sums"),
                  .column_sums_exchanged = exchanged.function<ColumnSums>("column_sums")};
}

}  // namespace hf::compilers
