// What do more cores bring: to a kernel that computes, to one that waits for memory, and to one of which a part is not
// shared?
#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "02-matmul/kernels/gemm.hpp"
#include "05-scaling/bench/steps.hpp"
#include "05-scaling/kernels/chip/amdahl.hpp"
#include "common/product.hpp"
#include "common/random.hpp"
#include "common/reference.hpp"
#include "common/verify.hpp"
#include "harness/keep.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/shared_array.hpp"
#include "harness/statistics.hpp"
#include "harness/threads.hpp"

namespace hf::scaling {
namespace {

const Axis thread_axis = {"threads", "1"}, speedup_axis = {"speedup", "1"}, share_axis = {"serial share", "1"};

/// Speedups of one kernel; point i belongs to ThreadTimes::threads[i], and the first is 1.
using Speedups = std::vector<Estimate>;

/// A kernel whose serial part is known.
struct SerialRun {
  Estimate share;    ///< of one thread's time, measured on one thread
  Speedups speedup;  ///< the same work on more threads over one
};

struct ThreadTimes {
  std::vector<int> threads;
  // Strong scaling: the same work for all.
  Speedups gemm;  ///< a product of matrices, its rows shared
  Speedups dot;   ///< a dot product of vectors in memory
  Speedups read;  ///< only reading them, from which the dot product is predicted
  // Weak scaling: as many times the work as threads.
  Estimate gemm_weak, dot_weak;  ///< one thread's seconds over those of all
  Speedups dot_near;             ///< work per second over one thread's, on vectors in each core's own level-2 cache
  /// The product again, but with rows that only the first thread computes, ever more of them.
  std::vector<SerialRun> serial;
};

/// 1, 2, 4… and all of them.
std::vector<int> thread_counts(int cores) {
  std::vector<int> counts;
  for (int count = 1; count < cores; count *= 2) counts.push_back(count);
  counts.push_back(cores);
  return counts;
}

/// A thread's rows or numbers, when `count` of them are shared as evenly as can be.
struct ThreadPart {
  std::size_t first, last;
};
ThreadPart part_of(std::size_t count, int thread, int threads) {
  const auto at = [&](int t) { return count * static_cast<std::size_t>(t) / static_cast<std::size_t>(threads); };
  return {at(thread), at(thread + 1)};
}

/// c = a · b, by rows. Every thread reads the same b and keeps what it needs of it in its own cache.
class RowsOfProduct {
 public:
  explicit RowsOfProduct(std::size_t rows) : rows_(rows) {
    for (Buffer* buffer : {&a_, &b_, &c_}) fill_random(buffer->as<float>(), next_sequence_++);
  }

  std::size_t rows() const { return rows_; }
  void compute(ThreadPart part) {
    if (part.first == part.last) return;
    matmul::gemm(part.last - part.first, side, side, a() + part.first * side, b_.as<float>().data(),
                 c() + part.first * side);
  }
  double error_share() const {
    return worst_product_error(rows_, side, side, a(), b_.as<float>().data(), c_.as<float>().data(), 2000);
  }

 private:
  static constexpr std::size_t side = 768;

  float* a() const { return a_.as<float>().data(); }
  float* c() const { return c_.as<float>().data(); }

  std::size_t rows_;
  std::uint64_t next_sequence_ = 1;
  Buffer a_{rows_ * side * sizeof(float), Pages::huge}, b_{side * side * sizeof(float), Pages::huge},
      c_{rows_ * side * sizeof(float), Pages::huge};
};

/// Two vectors, each thread's part touched by it first.
class Vectors {
 public:
  Vectors(Team& all, std::size_t bytes) : x_(bytes / 2, Pages::huge), y_(bytes / 2, Pages::huge) {
    all.run([&](int thread) {
      const ThreadPart mine = part(thread, all.size());
      for (std::size_t i = mine.first; i < mine.last; ++i) {
        x()[i] = random_number(1, i);
        y()[i] = random_number(2, i);
      }
    });
  }

  std::size_t size() const { return x_.as<float>().size() / block * block; }
  float dot(const roofline::KernelSet& kernels, ThreadPart part) const {
    return kernels.dot(x() + part.first, y() + part.first, part.last - part.first);
  }
  ThreadPart part(int thread, int threads) const {
    const ThreadPart blocks = part_of(size() / block, thread, threads);
    return {blocks.first * block, blocks.last * block};
  }
  /// Loads the same numbers, and nothing else.
  void read(ThreadPart part) const {
    for (const Buffer* buffer : {&x_, &y_})
      read_words(buffer->as<std::uint64_t>().subspan(part.first / 2, (part.last - part.first) / 2));
  }
  /// Of the first numbers, as many as can be checked soon.
  double error_share(const roofline::KernelSet& kernels) const {
    const std::size_t count = std::min<std::size_t>(size(), std::size_t{1} << 20);
    return hf::error_share(kernels.dot(x(), y(), count), reference_dot(x(), y(), count));
  }

 private:
  static constexpr std::size_t block = 128;  // floats: a step of every kernel

  float* x() const { return x_.as<float>().data(); }
  float* y() const { return y_.as<float>().data(); }

  Buffer x_, y_;
};

/// The numbers of threads that are compared, with a team for each.
struct Teams {
  std::vector<int> counts;
  std::vector<std::unique_ptr<Team>> teams;

  explicit Teams(int cores) : counts(thread_counts(cores)) {
    for (int count : counts) teams.push_back(std::make_unique<Team>(count));
  }

  Team& all() { return *teams.back(); }
  std::size_t most() const { return static_cast<std::size_t>(counts.back()); }
};

/// What is being compared. Ids are a kernel's name and a number of threads.
class Comparison {
 public:
  explicit Comparison(Teams& teams) : teams_(teams) {}

  /// \param code  code(thread, threads)
  template <class Code>
  void add(const std::string& name, Code code) {
    for (std::size_t i = 0; i < teams_.counts.size(); ++i) add_one(name, i, code);
  }

  /// On the i-th number of threads alone.
  template <class Code>
  void add_one(const std::string& name, std::size_t i, Code code) {
    const int threads = teams_.counts[i];
    variants_.push_back(timed(id(name, i), *teams_.teams[i], [=](int thread) { code(thread, threads); }));
  }

  void sample(const Plan& plan) { sampling_ = sample_interleaved(variants_, plan); }

  /// One thread's seconds over those of more, times how much more work these do.
  Speedups speedups(const std::string& name, bool weak = false) const {
    Speedups all;
    for (std::size_t i = 0; i < teams_.counts.size(); ++i) {
      const double work = weak ? teams_.counts[i] : 1;
      all.push_back(
          transform(sampling_.ratio(id(name, 0), id(name, i)), [work](double speedup) { return speedup * work; }));
    }
    return all;
  }

  /// One thread's seconds over those of all.
  Estimate ends(const std::string& name) const {
    return sampling_.ratio(id(name, 0), id(name, teams_.counts.size() - 1));
  }

  /// One thread's seconds for one thing over those for another.
  Estimate share(const std::string& part, const std::string& whole) const {
    return sampling_.ratio(id(part, 0), id(whole, 0));
  }

 private:
  std::string id(const std::string& name, std::size_t i) const {
    return name + ", threads: " + std::to_string(teams_.counts[i]);
  }

  Teams& teams_;
  std::vector<Variant> variants_;
  Sampling sampling_;
};

/// The product with its first rows computed by the first thread, while the others wait, and the rest by all.
class PartlySerial {
 public:
  PartlySerial(RowsOfProduct& product, std::size_t serial_rows, Teams& teams)
      : product_(product), serial_(serial_rows), name_(std::to_string(serial_rows) + " serial rows") {
    for (int count : teams.counts) barriers_.push_back(std::make_unique<std::barrier<>>(count));
    counts_ = teams.counts;
  }

  void add_to(Comparison& comparison) {
    comparison.add(name_, [this](int thread, int threads) { run(thread, threads); });
    comparison.add_one("only " + name_, 0, [this](int, int) { product_.compute({0, serial_}); });
  }

  SerialRun result(const Comparison& comparison) const {
    return {comparison.share("only " + name_, name_), comparison.speedups(name_)};
  }

 private:
  void run(int thread, int threads) {
    if (thread == 0) product_.compute({0, serial_});
    all_here(threads);
    const ThreadPart part = part_of(product_.rows() - serial_, thread, threads);
    product_.compute({serial_ + part.first, serial_ + part.last});
    all_here(threads);
  }

  void all_here(int threads) {
    const auto at = std::find(counts_.begin(), counts_.end(), threads) - counts_.begin();
    barriers_[static_cast<std::size_t>(at)]->arrive_and_wait();
  }

  RowsOfProduct& product_;
  std::size_t serial_;
  std::string name_;
  std::vector<int> counts_;
  std::vector<std::unique_ptr<std::barrier<>>> barriers_;
};

/// Strong and weak scaling of the product, and strong scaling where a growing part of it is not shared.
void compare_products(const Lab& lab, Teams& teams, ThreadTimes& times) {
  constexpr std::size_t rows_each = 384;  // of weak scaling
  RowsOfProduct product(std::max<std::size_t>(768, 16 * teams.most())), growing(rows_each * teams.most());
  for (RowsOfProduct* each : {&product, &growing}) {
    each->compute({0, each->rows()});
    verify(each->error_share(), "the matrix product");
  }
  std::vector<std::unique_ptr<PartlySerial>> partly_serial;
  for (std::size_t part : {32, 16, 8, 4, 2})
    partly_serial.push_back(std::make_unique<PartlySerial>(product, product.rows() / part, teams));

  Comparison comparison(teams);
  comparison.add("strong", [&](int thread, int threads) { product.compute(part_of(product.rows(), thread, threads)); });
  comparison.add("weak", [&](int thread, int) {
    const std::size_t first = rows_each * static_cast<std::size_t>(thread);
    growing.compute({first, first + rows_each});
  });
  for (const auto& each : partly_serial) each->add_to(comparison);
  comparison.sample(lab.plan(2));
  times.gemm = comparison.speedups("strong");
  times.gemm_weak = comparison.ends("weak");
  for (const auto& each : partly_serial) times.serial.push_back(each->result(comparison));
}

/// Bytes that one core's level-2 cache holds with ease, and its level-1 cache does not.
std::size_t near_bytes(const Lab& lab) {
  const std::uint64_t l2 = lab.machine().cache_bytes(2);
  return (l2 != 0 ? l2 : 512 * 1024) / 4;
}

/// Strong and weak scaling of the dot product in memory, beside reading alone; and weak scaling in each core's own cache,
/// since a part that shrinks would move to a nearer one.
void compare_dot_products(const Lab& lab, Teams& teams, ThreadTimes& times) {
  const roofline::KernelSet& kernels = *roofline::kernel_sets(lab.machine()).back();
  const std::size_t of_one = std::min<std::size_t>(default_dram_bytes(), available_memory_bytes() / 4 / teams.most());
  const Vectors near(teams.all(), near_bytes(lab) * teams.most()), far(teams.all(), of_one * teams.most());
  verify(far.error_share(kernels), "the dot product");

  Comparison comparison(teams);
  const int all = static_cast<int>(teams.most());
  comparison.add("dot", [&](int thread, int threads) { keep(far.dot(kernels, far.part(thread, threads))); });
  comparison.add("weak", [&, all](int thread, int) { keep(far.dot(kernels, far.part(thread, all))); });
  comparison.add("near", [&, all](int thread, int) { keep(near.dot(kernels, near.part(thread, all))); });
  comparison.add("read", [&](int thread, int threads) { far.read(far.part(thread, threads)); });
  comparison.sample(lab.memory_plan(2));
  times.dot = comparison.speedups("dot");
  times.dot_weak = comparison.ends("weak");
  times.dot_near = comparison.speedups("near", true);
  times.read = comparison.speedups("read");
}

Series over_threads(const ThreadTimes& times, std::string id, std::string label, const Speedups& speedups) {
  Series series = {std::move(id), std::move(label), Kind::measured, thread_axis, speedup_axis};
  for (std::size_t i = 0; i < times.threads.size(); ++i) series.points.emplace_back(times.threads[i], speedups[i]);
  return series;
}

/// A speedup of all threads, as a share of their number.
Value efficiency(std::string id, const ThreadTimes& threads, const Speedups& speedups) {
  return Value(std::move(id), times(speedups.back(), 1.0 / threads.threads.back()), "1");
}

void add_strong_and_weak(Lab& lab, const ThreadTimes& times) {
  lab.add(over_threads(times, "strong_gemm", "matrix product", times.gemm));
  lab.add(over_threads(times, "strong_dot", "dot product, memory", times.dot));
  lab.add(over_threads(times, "strong_dot_near", "dot product, near cache", times.dot_near));
  Series predicted = {"strong_dot_predicted", "predicted from reading", Kind::modelled, thread_axis, speedup_axis};
  for (std::size_t i = 0; i < times.threads.size(); ++i)
    predicted.points.emplace_back(times.threads[i], times.read[i].median);
  lab.add(std::move(predicted));
  lab.add(efficiency("gemm_efficiency", times, times.gemm));
  lab.add(Value("gemm_weak_efficiency", times.gemm_weak, "1"));
  lab.add(efficiency("dot_efficiency", times, times.dot));
  lab.add(Value("dot_weak_efficiency", times.dot_weak, "1"));
  lab.add(efficiency("dot_near_efficiency", times, times.dot_near));
  lab.derived("dot_speedup_error", std::abs(times.dot.back().median / times.read.back().median - 1));
}

/// Amdahl's law, from a serial share that one thread was seen to have; and what it would say of a kernel that has none.
void add_serial(Lab& lab, const ThreadTimes& times) {
  const double threads = times.threads.back();
  Series measured = {"amdahl", "measured", Kind::measured, share_axis, speedup_axis};
  Series predicted = {"amdahl_predicted", "Amdahl's law", Kind::modelled, share_axis, speedup_axis};
  double worst = 0;
  for (const SerialRun& run : times.serial) {
    const double expected = amdahl_speedup(run.share.median, threads);
    measured.points.emplace_back(run.share.median, run.speedup.back());
    predicted.points.emplace_back(run.share.median, expected);
    worst = std::max(worst, std::abs(expected / run.speedup.back().median - 1));
  }
  lab.add(std::move(measured));
  lab.add(std::move(predicted));
  lab.derived("amdahl_error_worst", worst);
  const SerialRun& some = times.serial[times.serial.size() / 2];
  Series law = {"strong_serial_predicted", "Amdahl's law", Kind::modelled, thread_axis, speedup_axis};
  for (int n : times.threads) law.points.emplace_back(n, amdahl_speedup(some.share.median, n));
  lab.add(over_threads(times, "strong_serial", "product, partly serial", some.speedup));
  lab.add(std::move(law));
  lab.add(Value("serial_share", some.share, "1"));
}

}  // namespace

void measure_threads(Lab& lab) {
  if (lab.machine().cores < 2)
    return lab.note("one core: threads have nothing to share, so their speedups are missing");
  Teams teams(lab.machine().cores);
  ThreadTimes times;
  times.threads = teams.counts;
  compare_products(lab, teams, times);
  compare_dot_products(lab, teams, times);
  add_strong_and_weak(lab, times);
  add_serial(lab, times);
}

}  // namespace hf::scaling
