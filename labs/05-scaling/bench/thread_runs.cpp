#include "05-scaling/bench/thread_runs.hpp"

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "02-matmul/kernels/gemm.hpp"
#include "common/product.hpp"
#include "common/random.hpp"
#include "common/reference.hpp"
#include "common/verify.hpp"
#include "harness/keep.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/shared_array.hpp"
#include "harness/statistics.hpp"
#include "harness/threads.hpp"

namespace hf::scaling {
namespace {

/// The part of a thread when `count` things are shared as evenly as can be.
struct Part {
  std::size_t first, last;
};
Part part_of(std::size_t count, int thread, int threads) {
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
  void compute(Part part) {
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
      const Part mine = part(thread, all.size());
      for (std::size_t i = mine.first; i < mine.last; ++i) {
        x()[i] = random_number(1, i);
        y()[i] = random_number(2, i);
      }
    });
  }

  std::size_t size() const { return x_.as<float>().size() / block * block; }
  float dot(const roofline::KernelSet& kernels, Part part) const {
    return kernels.dot(x() + part.first, y() + part.first, part.last - part.first);
  }
  Part part(int thread, int threads) const {
    const Part blocks = part_of(size() / block, thread, threads);
    return {blocks.first * block, blocks.last * block};
  }
  /// Loads the same numbers, and nothing else.
  void read(Part part) const {
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
    const Part part = part_of(product_.rows() - serial_, thread, threads);
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

}  // namespace

std::vector<int> thread_counts(int cores) {
  std::vector<int> counts;
  for (int count = 1; count < cores; count *= 2) counts.push_back(count);
  counts.push_back(cores);
  return counts;
}

ThreadTimes time_threads(const Lab& lab) {
  Teams teams(lab.machine().cores);
  ThreadTimes times;
  times.threads = teams.counts;
  compare_products(lab, teams, times);
  compare_dot_products(lab, teams, times);
  return times;
}

}  // namespace hf::scaling
