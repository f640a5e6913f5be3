// What does a browser cost? The kernels as WebAssembly, in a browser if there is one, measured side by side with the
// same kernels compiled for registers of 128 bits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "01-roofline/bench/steps.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/report/lab.hpp"
#include "kit/browser/browser_peer.hpp"
#include "kit/random.hpp"
#include "kit/streams/chase.hpp"

namespace hf::roofline {
namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;
constexpr std::size_t near_bytes = 16 * KiB, far_most = 256 * MiB;
constexpr int lanes = 4;                                             // in the module's registers
constexpr std::int64_t iterations = 4000, passes = 64, hops = 4000;  // in a call
constexpr double factor = 0.7, addend = 0.8;                         // any numbers that keep x between 0 and 10
constexpr double sample_seconds = 2e-2;                              // 200 steps of a browser's clock

/// Returns the pages of a browser's memory: small ones, unless the system gives huge ones to all processes.
Pages pages_of_a_browser() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  const std::string modes{std::istreambuf_iterator<char>(file), {}};
  return modes.find("[always]") == std::string::npos ? Pages::base : Pages::huge;
}

/// Returns the loop of separate multiplications and additions on registers as wide as the module's; null if this
/// machine's narrowest registers are wider, or its set has none.
const PeakLoop* native_loop(const KernelSet& set) {
  const auto found = std::find_if(std::begin(set.peaks), std::end(set.peaks), [](const PeakLoop& loop) {
    return loop.run != nullptr && !loop.fp64 && loop.lanes == lanes && loop.flops > 0;
  });
  return found == std::end(set.peaks) ? nullptr : found;
}

/// The same memory twice, in this process and in the browser, and the kernels on both.
class Twins {
 public:
  Twins(BrowserPeer& browser, const KernelSet& set, const PeakLoop& loop, std::size_t bytes)
      : browser_(browser),
        set_(set),
        loop_(loop),
        buffer_(bytes, pages_of_a_browser()),
        there_(browser.reserve(static_cast<std::int64_t>(bytes / MiB) + 1)) {
    const std::size_t floats = bytes / sizeof(float);
    fill_random(buffer_.as<float>(), 0);
    browser_.call("fill", std::vector{there_, static_cast<double>(floats)});
  }

  std::vector<Variant> arithmetic() {
    const double chains = loop_.flops / (2 * lanes);
    return {timed("peak", [this] { keep(loop_.run(iterations, factor, addend)); }),
            there("peak", "peak", {1, chains, static_cast<double>(iterations), factor, addend})};
  }

  /// \param id  of the native variant; the other has "_wasm" appended
  std::vector<Variant> reading(const std::string& id, std::size_t bytes, std::int64_t times) {
    const std::size_t floats = bytes / sizeof(float);
    return {timed(id, [this, floats, times] { set_.streams.read(buffer_.as<float>().data(), floats, times); }),
            there(id, "read", {there_, static_cast<double>(floats), static_cast<double>(times)})};
  }

  /// Makes both cycles cover `bytes` from now on.
  std::vector<Variant> waiting(const std::string& id, std::size_t bytes) {
    if (!cycle_)
      at_ = cycle_.emplace(buffer_.as<Line>()).start();  // overwrites the numbers, which doesn't affect reading
    const std::size_t lines = bytes / sizeof(Line);
    cycle_->grow(lines);
    browser_.call("grow", std::vector{there_, static_cast<double>(lines)});
    return {timed(id, [this] { keep(at_ = chase(at_, hops)); }), there(id, "chase", {1, static_cast<double>(hops)})};
  }

 private:
  Variant there(const std::string& id, const std::string& function, std::initializer_list<double> numbers) {
    return {id + "_wasm", [this, function, numbers = std::vector(numbers)](std::int64_t calls) {
              return browser_.seconds(calls, function, numbers);
            }};
  }

  BrowserPeer& browser_;
  const KernelSet& set_;
  const PeakLoop& loop_;
  Buffer buffer_;
  std::optional<RandomCycle> cycle_;
  const Line* at_ = nullptr;
  double there_;  ///< address of the browser's memory
};

std::vector<Variant> joined(std::initializer_list<std::vector<Variant>> lists) {
  std::vector<Variant> all;
  for (const std::vector<Variant>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

void race(Lab& lab, Twins& twins, std::size_t far) {
  Plan near_plan = lab.plan(2), far_plan = lab.memory_plan(2);
  for (Plan* plan : {&near_plan, &far_plan}) {
    plan->rounds = std::min(plan->rounds, 15);
    plan->sample_seconds = sample_seconds;
  }
  const Sampling near = sample_interleaved(joined({twins.arithmetic(), twins.reading("read_cache", near_bytes, passes),
                                                   twins.waiting("wait_cache", near_bytes)}),
                                           near_plan);
  const Sampling distant =
      sample_interleaved(joined({twins.reading("read_dram", far, 1), twins.waiting("wait_dram", far)}), far_plan);
  lab.add(Value("wasm_peak_over_native", near.ratio("peak", "peak_wasm"), "1", "arithmetic"));
  lab.add(Value("wasm_cache_over_native", near.ratio("read_cache", "read_cache_wasm"), "1", "reading the first cache"));
  lab.add(Value("wasm_dram_over_native", distant.ratio("read_dram", "read_dram_wasm"), "1", "reading DRAM"));
  lab.add(Value("wasm_cache_wait_over_native", near.ratio("wait_cache_wasm", "wait_cache"), "1",
                "waiting for the first cache"));
  lab.add(Value("wasm_dram_wait_over_native", distant.ratio("wait_dram_wasm", "wait_dram"), "1", "waiting for DRAM"));
}

}  // namespace

void measure_in_browser(Lab& lab, Shared& shared) {
  const char* named = std::getenv("HARDWARE_FIRST_BROWSER");
  const std::string program = named != nullptr && *named != '\0' ? named : "chromium";
  const KernelSet& narrowest = *shared.sets.front();
  const PeakLoop* loop = native_loop(narrowest);
  const std::size_t far = std::min(shared.largest, far_most);
  const std::string not_measured = "WebAssembly was not measured: ";
  if (!std::filesystem::exists(BROWSER_MODULE))
    return lab.note(not_measured + "its module is missing; site/browser/build compiles it, with Clang 19");
  if (loop == nullptr)
    return lab.note(not_measured + "no native loop here uses 128-bit registers, as the browser's loops do");
  try {
    BrowserPeer browser(program, BROWSER_MODULE);
    Twins twins(browser, narrowest, *loop, far);
    race(lab, twins, far);
  } catch (const PeerFailed& failure) {
    lab.note(not_measured + failure.what());
  }
}

}  // namespace hf::roofline
