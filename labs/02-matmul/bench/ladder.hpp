/// \file
/// The rungs, and gemm() above them, timed on square matrices of growing size.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "02-matmul/kernels/dot_products.hpp"
#include "02-matmul/kernels/rungs.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"

namespace hf::matmul {

/// Rising: ordinary sizes, anatomy_size() among them; and powers of two, at which the columns of the naive product collide.
std::vector<std::size_t> ladder_sizes(const Lab& lab);

/// A rung of rungs(), or gemm() on one thread or on all.
struct Contestant {
  std::string id;     ///< "packed"
  std::string label;  ///< "packing"
  std::function<Product> multiply;
  std::size_t least_rows;  ///< of c, whose speed is that of all
};

/// The five rungs, gemm() on one thread ("best") and, where there are more cores than one, on all ("best_all").
std::vector<Contestant> contestants(int cores);

/// Random square matrices a and b, and room for their product.
class SquareMatrices {
 public:
  /// \throws OutOfMemory
  explicit SquareMatrices(std::size_t n);

  std::size_t n() const { return n_; }
  const float* b() const { return b_.as<float>().data(); }

  /// Computes the first `rows` rows of c = a · b.
  void multiply(const Contestant& contestant, std::size_t rows) const;

  /// Poisons c, multiplies, and holds about a thousand elements against the double-precision reference: their largest
  /// error as a share of what rounding allows.
  double worst_error(const Contestant& contestant, std::size_t rows) const;

  /// \throws std::runtime_error, one line, where one is wrong
  void check(const Contestant& contestant, std::size_t rows) const;

 private:
  std::size_t n_;
  Buffer a_, b_, c_;
};

/// The rounds of samplings in which the machine was in one state, as peaks among them saw it; and how many those leave out.
class OneState {
 public:
  Sampling of(Sampling sampling, const std::vector<std::string>& peaks);
  /// Notes how many rounds of the step called so were left out, where some were.
  void note(Lab& lab, const std::string& step) const;

 private:
  std::size_t rounds_ = 0, left_out_ = 0;
};

/// What one size showed, in interleaved rounds: contestants that would take too long are missing.
struct LadderStep {
  std::size_t n;
  std::map<std::string, Estimate> gflops;  ///< by id

  bool has(const std::string& id) const { return gflops.contains(id); }
  /// How many times as fast one was as the other, in pairs.
  Estimate gain(const std::string& faster, const std::string& slower) const {
    return ratio(gflops.at(faster).samples, gflops.at(slower).samples);
  }
};

/// Who is timed, and how many rows of the product.
struct Entry {
  const Contestant* contestant;
  std::size_t rows;
};

/// Checks the entries, then times them and both peaks, of one thread and of as many as there are cores.
LadderStep time_together(const SquareMatrices& matrices, const std::vector<Entry>& entries, int cores, const Plan& plan,
                         OneState& state);

/// One point for each contestant: the share of the peak of its threads that it reached, %, in pairs.
Series anatomy_series(const std::string& id, const std::vector<Contestant>& contestants, const LadderStep& step);

/// b in another place, element (p, j) at p * down + j * across.
class RelaidMatrix {
 public:
  RelaidMatrix(const SquareMatrices& matrices, std::size_t down, std::size_t across);

  /// A product with this b. \pre this outlives it
  Contestant multiplied_by(const char* id, DotProducts* multiply) const;

 private:
  Buffer memory_;
  Stored stored_;
};

/// One point for each cause of the definition's slowness: how many times as fast the product is without it, in pairs, the causes
/// before it being gone.
Series causes_series(const std::string& id, const LadderStep& step);

/// The largest at which both were timed. \pre there is one
const LadderStep& last_step_with(const std::vector<LadderStep>& steps, const std::string& one,
                                 const std::string& other);

/// What the peaks are called among the contestants: on one thread, and on all of gemm().
constexpr const char* peak_id = "peak";
constexpr const char* peak_all_id = "peak_all";

/// The peak in the rounds of the size at which it was highest: above every product, however the clock changes between them.
/// \param id  peak_id or peak_all_id
const Estimate& highest_peak(const std::vector<LadderStep>& steps, const std::string& id);

/// Times all contestants, and both peaks among them, on each of these sizes, rising, in the present step of the lab. Of a
/// slow one only so many rows of the product are computed as time allows, since one row costs what the next one does; one
/// for which even its least is too long stops there.
/// \param cores  threads of the second peak
std::vector<LadderStep> climb(const Lab& lab, const std::vector<Contestant>& contestants,
                              const std::vector<std::size_t>& sizes, int cores, OneState& state);

/// Speed over N of one contestant.
Series rung_series(const std::string& id, const Contestant& contestant, const std::vector<LadderStep>& steps);

}  // namespace hf::matmul
