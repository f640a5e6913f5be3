/// \file
/// Times the rungs and gemm() on square matrices of growing size.
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

/// Returns rising sizes: ordinary ones, including anatomy_size(), and powers of two, where columns of the naive product
/// collide in the caches.
std::vector<std::size_t> ladder_sizes(const Lab& lab);

/// A rung of rungs(), or gemm() on one thread or on all.
struct Contestant {
  std::string id;     ///< "packed"
  std::string label;  ///< "packing"
  std::function<Product> multiply;
  std::size_t least_rows;  ///< fewest rows of c whose speed represents all rows
};

/// Returns the rungs, gemm() on one thread ("best") and, with more than one core, on all ("best_all").
std::vector<Contestant> contestants(int cores);

/// Random square matrices a and b, and memory for their product.
class SquareMatrices {
 public:
  /// \param shift  floats between the start of a cache line and that of b and of c
  /// \throws OutOfMemory
  explicit SquareMatrices(std::size_t n, std::size_t shift = 0);

  std::size_t n() const { return n_; }
  const float* b() const { return b_.as<float>().data() + shift_; }

  /// Computes the first `rows` rows of c = a · b.
  void multiply(const Contestant& contestant, std::size_t rows) const;

  /// Poisons c, multiplies, and compares about 1000 elements with the double-precision reference. \return their largest
  /// error, as a share of what rounding allows
  double worst_error(const Contestant& contestant, std::size_t rows) const;

  /// \throws std::runtime_error with a one-line message, if an element is wrong
  void check(const Contestant& contestant, std::size_t rows) const;

 private:
  float* c() const { return c_.as<float>().data() + shift_; }

  std::size_t n_, shift_;
  Buffer a_, b_, c_;
};

/// Selects the rounds in which the machine was in one state, judged by their peaks, and counts the rounds left out.
class OneState {
 public:
  Sampling of(Sampling sampling, const std::vector<std::string>& peaks);
  /// Adds a note with the number of rounds left out of step `step`, if any.
  void note(Lab& lab, const std::string& step) const;

 private:
  std::size_t rounds_ = 0, left_out_ = 0;
};

/// Results for one size, in interleaved rounds, without contestants that would take too long.
struct LadderStep {
  std::size_t n;
  std::map<std::string, Estimate> gflops;  ///< by id

  bool has(const std::string& id) const { return gflops.contains(id); }
  /// Returns how many times as fast one contestant was as another, in pairs.
  Estimate gain(const std::string& faster, const std::string& slower) const {
    return ratio(gflops.at(faster).samples, gflops.at(slower).samples);
  }
};

/// A contestant to time, and how many rows of the product it computes.
struct Entry {
  const Contestant* contestant;
  std::size_t rows;
};

/// Checks the entries, then times them and both peaks: on one thread, and on `cores` threads.
LadderStep time_together(const SquareMatrices& matrices, const std::vector<Entry>& entries, int cores, const Plan& plan,
                         OneState& state);

/// Returns a point for each contestant: its share of its threads' peak, %, in pairs.
Series anatomy_series(const std::string& id, const std::vector<Contestant>& contestants, const LadderStep& step);

/// A copy of b with another layout: element (p, j) is at p * down + j * across.
class RelaidMatrix {
 public:
  RelaidMatrix(const SquareMatrices& matrices, std::size_t down, std::size_t across);

  /// Returns a product with this b. \pre this outlives the result
  Contestant multiplied_by(const char* id, DotProducts* multiply) const;

 private:
  Buffer memory_;
  Stored stored_;
};

/// Returns a point for each cause of the definition's slowness: how many times as fast the product is without it, in
/// pairs, with all earlier causes already removed.
Series causes_series(const std::string& id, const LadderStep& step);

/// Returns the step with the largest size at which both were timed. \pre there is one
const LadderStep& last_step_with(const std::vector<LadderStep>& steps, const std::string& one,
                                 const std::string& other);

/// Ids of the peaks among the contestants: on one thread, and on all threads of gemm().
constexpr const char* peak_id = "peak";
constexpr const char* peak_all_id = "peak_all";

/// Returns the peak at the size where it was highest, which is above every product even if the clock changes between
/// sizes.
/// \param id  peak_id or peak_all_id
const Estimate& highest_peak(const std::vector<LadderStep>& steps, const std::string& id);

/// Times all contestants and both peaks at each of the sizes, in rising order, in the current step of the lab. Slow
/// contestants compute only as many rows as time allows, since every row costs the same. A contestant stops at the size
/// for which even its fewest rows take too long.
/// \param cores  threads of the second peak
std::vector<LadderStep> climb(const Lab& lab, const std::vector<Contestant>& contestants,
                              const std::vector<std::size_t>& sizes, int cores, OneState& state);

/// Returns the speed of one contestant over N.
Series rung_series(const std::string& id, const Contestant& contestant, const std::vector<LadderStep>& steps);

}  // namespace hf::matmul
