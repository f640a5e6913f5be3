// How much do more cores speed up a kernel that computes, one that waits for memory, and one with a serial part?
#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "02-matmul/kernels/gemm.hpp"
#include "05-scaling/bench/steps.hpp"
#include "05-scaling/kernels/chip/amdahl.hpp"
#include "05-scaling/kernels/collectives/collectives.hpp"
#include "common/product.hpp"
#include "common/random.hpp"
#include "common/reference.hpp"
#include "common/verify.hpp"
#include "harness/measure/shared_array.hpp"

namespace hf::scaling {
namespace {

const Axis thread_axis = {"threads", "1"}, speedup_axis = {"speedup", "1"}, share_axis = {"serial share", "1"};

/// A number of threads to compare: their team, and a barrier where they meet.
struct Crew {
  explicit Crew(int count) : threads(count), team(count), meeting(count) {}
  int threads;
  Team team;
  std::barrier<> meeting;
};

/// Returns crews of 1, 2, 4… threads, and one of as many threads as cores.
std::list<Crew> crews_of(int cores) {
  std::list<Crew> crews;
  for (int count = 1; count < cores; count *= 2) crews.emplace_back(count);
  crews.emplace_back(cores);
  return crews;
}

/// Speedups of one kernel, in the order of the crews; the first is 1.
using Speedups = std::vector<Estimate>;

/// c = a · b, split by rows. Every thread reads the same b, and keeps the part it needs in its own cache.
class RowsOfProduct {
 public:
  explicit RowsOfProduct(std::size_t rows) : rows_(rows) {
    std::uint64_t sequence = 1;
    for (Buffer* buffer : {&a_, &b_, &c_}) fill_random(buffer->as<float>(), sequence++);
  }

  std::size_t rows() const { return rows_; }
  void compute(Range part) {
    if (part.size() == 0) return;
    matmul::gemm(part.size(), side, side, a() + part.first * side, b_.as<float>().data(), c() + part.first * side);
  }
  double error_share() const {
    return worst_product_error(rows_, side, side, a(), b_.as<float>().data(), c_.as<float>().data(), 2000);
  }

 private:
  static constexpr std::size_t side = 768;

  float* a() const { return a_.as<float>().data(); }
  float* c() const { return c_.as<float>().data(); }

  std::size_t rows_;
  Buffer a_{rows_ * side * sizeof(float), Pages::huge}, b_{side * side * sizeof(float), Pages::huge},
      c_{rows_ * side * sizeof(float), Pages::huge};
};

/// Two vectors; each thread is the first to touch its own part.
class Vectors {
 public:
  Vectors(Team& all, std::size_t bytes) : x_(bytes / 2, Pages::huge), y_(bytes / 2, Pages::huge) {
    all.run([&](int thread) {
      const Range mine = part(thread, all.size());
      for (std::size_t i = mine.first; i < mine.last; ++i) {
        x()[i] = random_number(1, i);
        y()[i] = random_number(2, i);
      }
    });
  }

  std::size_t size() const { return x_.as<float>().size() / block * block; }
  float dot(const roofline::KernelSet& kernels, Range part) const {
    return kernels.dot(x() + part.first, y() + part.first, part.size());
  }
  Range part(int thread, int threads) const {
    const Range blocks = share(size() / block, thread, threads);
    return {blocks.first * block, blocks.last * block};
  }
  /// Loads the same numbers, but computes nothing.
  void read(Range part) const {
    const std::size_t first = part.first / 2, words = part.size() / 2;
    for (const Buffer* buffer : {&x_, &y_}) read_words(buffer->as<std::uint64_t>().subspan(first, words));
  }
  /// Returns the error share of the first numbers, as many as can be checked quickly.
  double error_share(const roofline::KernelSet& kernels) const {
    const std::size_t count = std::min<std::size_t>(size(), std::size_t{1} << 20);
    return hf::error_share(kernels.dot(x(), y(), count), reference_dot(x(), y(), count));
  }

 private:
  static constexpr std::size_t block = 128;  // floats: a multiple of every kernel's step

  float* x() const { return x_.as<float>().data(); }
  float* y() const { return y_.as<float>().data(); }

  Buffer x_, y_;
};

/// Kernels compared on every crew. An id consists of a kernel's name and a number of threads.
class Comparison {
 public:
  explicit Comparison(std::list<Crew>& crews) : crews_(crews) {}

  /// \param code  code(thread, crew)
  template <class Code>
  void add(const std::string& name, Code code) {
    for (Crew& crew : crews_) add_on(crew, name, code);
  }
  template <class Code>
  void add_on(Crew& crew, const std::string& name, Code code) {
    variants_.push_back(timed(id(name, crew), crew.team, [code, &crew](int thread) { code(thread, crew); }));
  }

  void sample(const Plan& plan) { sampling_ = sample_interleaved(variants_, plan); }

  /// Returns one thread's seconds divided by those of each crew.
  Speedups speedups(const std::string& name) const {
    Speedups all;
    for (const Crew& crew : crews_) all.push_back(sampling_.ratio(id(name, crews_.front()), id(name, crew)));
    return all;
  }

  /// Returns one thread's seconds for `part` divided by those for `whole`.
  Estimate share(const std::string& part, const std::string& whole) const {
    return sampling_.ratio(id(part, crews_.front()), id(whole, crews_.front()));
  }

 private:
  static std::string id(const std::string& name, const Crew& crew) {
    return name + ", threads: " + std::to_string(crew.threads);
  }

  std::list<Crew>& crews_;
  std::vector<Variant> variants_;
  Sampling sampling_;
};

Series over_threads(const std::list<Crew>& crews, const char* id, const char* label, const Speedups& speedups) {
  Series series = {id, label, Kind::measured, thread_axis, speedup_axis};
  auto speedup = speedups.begin();
  for (const Crew& crew : crews) series.points.emplace_back(crew.threads, *speedup++);
  return series;
}

/// Returns the speedup of all threads divided by their number.
Value efficiency(const char* id, const std::list<Crew>& crews, const Speedups& speedups) {
  return Value(id, times(speedups.back(), 1.0 / crews.back().threads), "1");
}

// ---- A product of matrices: strong scaling, and with a growing serial part ----

/// Adds the product whose first rows are computed by the first thread, while the others wait, and the rest by all.
void add_partly_serial(Comparison& comparison, std::list<Crew>& crews, RowsOfProduct& product, std::size_t rows) {
  const std::string name = std::to_string(rows) + " serial rows";
  comparison.add(name, [&product, rows](int thread, Crew& crew) {
    if (thread == 0) product.compute({0, rows});
    crew.meeting.arrive_and_wait();
    const Range part = share(product.rows() - rows, thread, crew.threads);
    product.compute({rows + part.first, rows + part.last});
    crew.meeting.arrive_and_wait();
  });
  comparison.add_on(crews.front(), "only " + name, [&product, rows](int, Crew&) { product.compute({0, rows}); });
}

/// Adds the speedups of partly serial products, and those that Amdahl's law predicts from the serial share of one
/// thread.
void add_serial(Lab& lab, const std::list<Crew>& crews, const Comparison& comparison,
                const std::vector<std::size_t>& serial_rows) {
  Series measured = {"amdahl", "measured", Kind::measured, share_axis, speedup_axis};
  Series predicted = {"amdahl_predicted", "Amdahl's law", Kind::modelled, share_axis, speedup_axis};
  double worst = 0;
  for (const std::size_t rows : serial_rows) {
    const std::string name = std::to_string(rows) + " serial rows";
    const Estimate serial = comparison.share("only " + name, name);
    const Speedups speedups = comparison.speedups(name);
    const double expected = amdahl_speedup(serial.median, crews.back().threads);
    measured.points.emplace_back(serial.median, speedups.back());
    predicted.points.emplace_back(serial.median, expected);
    worst = std::max(worst, std::abs(expected / speedups.back().median - 1));
    if (rows != serial_rows[serial_rows.size() / 2]) continue;
    Series law = {"strong_serial_predicted", "Amdahl's law", Kind::modelled, thread_axis, speedup_axis};
    for (const Crew& crew : crews) law.points.emplace_back(crew.threads, amdahl_speedup(serial.median, crew.threads));
    lab.add(over_threads(crews, "strong_serial", "product, partly serial", speedups));
    lab.add(std::move(law));
    lab.add(Value("serial_share", serial, "1"));
  }
  for (Series* series : {&measured, &predicted}) lab.add(std::move(*series));
  lab.derived("amdahl_error_worst", worst);
}

void compare_products(Lab& lab, std::list<Crew>& crews) {
  const auto most = static_cast<std::size_t>(crews.back().threads);
  RowsOfProduct product(std::max<std::size_t>(768, 16 * most));
  product.compute({0, product.rows()});
  verify(product.error_share(), "the matrix product");
  Comparison comparison(crews);
  comparison.add("strong",
                 [&](int thread, Crew& crew) { product.compute(share(product.rows(), thread, crew.threads)); });
  std::vector<std::size_t> serial_rows;
  for (const std::size_t part : {32, 16, 8, 4, 2}) {
    serial_rows.push_back(product.rows() / part);
    add_partly_serial(comparison, crews, product, serial_rows.back());
  }
  comparison.sample(lab.plan(2));
  const Speedups strong = comparison.speedups("strong");
  lab.add(over_threads(crews, "strong_gemm", "matrix product", strong));
  lab.add(efficiency("gemm_efficiency", crews, strong));
  add_serial(lab, crews, comparison, serial_rows);
}

// ---- A dot product of vectors ----

/// Compares strong scaling of the dot product in memory with that of reading alone, which predicts it; and measures
/// weak scaling in each core's own cache, since with strong scaling a shrinking part would move to a nearer cache.
void compare_dot_products(Lab& lab, std::list<Crew>& crews) {
  const roofline::KernelSet& kernels = *roofline::kernel_sets(lab.machine()).back();
  const int all = crews.back().threads;
  const auto most = static_cast<std::size_t>(all);
  const std::size_t of_one = std::min<std::size_t>(default_dram_bytes(), available_memory_bytes() / 4 / most);
  const std::uint64_t l2 = lab.machine().cache_bytes(2);
  const std::size_t near_of_one = (l2 != 0 ? l2 : 512 * 1024) / 4;  // fits easily into level 2, but not into level 1
  const Vectors near(crews.back().team, near_of_one * most), far(crews.back().team, of_one * most);
  verify(far.error_share(kernels), "the dot product");

  Comparison comparison(crews);
  comparison.add("dot", [&](int thread, Crew& crew) { keep(far.dot(kernels, far.part(thread, crew.threads))); });
  comparison.add("near", [&, all](int thread, Crew&) { keep(near.dot(kernels, near.part(thread, all))); });
  comparison.add("read", [&](int thread, Crew& crew) { far.read(far.part(thread, crew.threads)); });
  comparison.sample(lab.memory_plan(2));
  const Speedups dot = comparison.speedups("dot"), read = comparison.speedups("read");
  Speedups near_work = comparison.speedups("near");  // of all threads together
  Series predicted = {"strong_dot_predicted", "predicted from reading", Kind::modelled, thread_axis, speedup_axis};
  std::size_t i = 0;
  for (const Crew& crew : crews) {
    near_work[i] = times(near_work[i], crew.threads);
    predicted.points.emplace_back(crew.threads, read[i++].median);
  }
  lab.add(over_threads(crews, "strong_dot", "dot product, memory", dot));
  lab.add(over_threads(crews, "strong_dot_near", "dot product, near cache", near_work));
  lab.add(std::move(predicted));
  lab.add(efficiency("dot_efficiency", crews, dot));
  lab.add(efficiency("dot_near_efficiency", crews, near_work));
  lab.derived("dot_speedup_error", std::abs(dot.back().median / read.back().median - 1));
}

}  // namespace

void measure_threads(Lab& lab) {
  if (lab.machine().cores < 2)
    return lab.note("one core: threads have nothing to share, so their speedups are missing");
  std::list<Crew> crews = crews_of(lab.machine().cores);
  compare_products(lab, crews);
  compare_dot_products(lab, crews);
}

}  // namespace hf::scaling
