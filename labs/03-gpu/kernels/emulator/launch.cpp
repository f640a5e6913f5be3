#include "03-gpu/kernels/emulator/launch.hpp"

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "03-gpu/kernels/emulator/count.hpp"
#include "03-gpu/kernels/emulator/emulator.hpp"
#include "03-gpu/kernels/emulator/shadow.hpp"
#include "03-gpu/kernels/emulator/source_line.hpp"

namespace hf::emulator {

Here here;

namespace {

namespace context = boost::context;

constexpr std::size_t stack_bytes = 64 << 10;

/// Reuses the same stacks for one block after another.
class Stacks {
 public:
  context::stack_context at(std::size_t thread) {
    while (stacks_.size() <= thread) stacks_.push_back(allocator_.allocate());
    return stacks_[thread];
  }
  ~Stacks() {
    for (context::stack_context& stack : stacks_) allocator_.deallocate(stack);
  }

 private:
  context::fixedsize_stack allocator_{stack_bytes};
  std::vector<context::stack_context> stacks_;
};

/// Stack functions for a fiber, which does not own its stack.
struct Borrowed {
  static context::stack_context allocate() { return {}; }
  static void deallocate(context::stack_context&) {}
};

enum class State { runs, at_warp, at_block, ended };

struct Thread {
  context::fiber fiber;
  State state = State::runs;
  std::uintptr_t stack_begin = 0;
  std::deque<LateCopy> copies;
};

struct Fault {
  const void* code = nullptr;
  std::string_view what;
  dim3 thread, block;

  /// Must be called outside a fiber, whose stack is too small for it.
  std::string text() const {
    std::ostringstream text;
    text << source_line(code) << ": " << what << "; thread (" << thread.x << ", " << thread.y << ", " << thread.z
         << ") of block (" << block.x << ", " << block.y << ", " << block.z << ")";
    return text.str();
  }
};

/// One launch at a time.
class Machine {
 public:
  void launch(dim3 grid, dim3 block, const Kernel& kernel);
  void meet(State at) {
    threads_[thread_].state = at;
    outside_ = std::move(outside_).resume();
  }
  void see(std::uintptr_t address, std::uint8_t size, bool writes, const void* code);
  void enter_basic_block(const void* code) {
    if (inside_) logs_[thread_].push_back({0, code, 0, false, Space::code});
  }
  std::deque<LateCopy>& copies() { return threads_[thread_].copies; }
  Counts take_counts() { return std::exchange(counts_, {}); }

 private:
  void run_block(const Kernel& kernel);
  void run_warp(unsigned first, unsigned last);
  void run_thread(unsigned thread);
  void start(unsigned thread, const Kernel& kernel);
  void fault(const void* code, std::string_view what);

  Stacks stacks_;
  std::vector<Thread> threads_;
  std::vector<Log> logs_;  ///< of the threads, reused from block to block
  context::fiber outside_;
  bool inside_ = false;  ///< a thread of the kernel is running
  unsigned thread_ = 0;
  Moment now_;
  Kernel kernel_ = {};
  Counts counts_;
  Fault fault_;  ///< the first of this launch
};
Machine& machine() {
  static Machine one;
  return one;
}

void Machine::start(unsigned number, const Kernel& kernel) {
  Thread& thread = threads_[number];
  const context::stack_context stack = stacks_.at(number);
  thread.stack_begin = reinterpret_cast<std::uintptr_t>(stack.sp) - stack.size;
  thread.state = State::runs;
  thread.copies.clear();
  const context::preallocated place(stack.sp, stack.size, stack);
  thread.fiber = context::fiber(std::allocator_arg, place, Borrowed(), [this, number, &kernel](context::fiber&& from) {
    outside_ = std::move(from);
    kernel.run(kernel.closure);
    threads_[number].state = State::ended;
    return std::move(outside_);
  });
}

void Machine::run_thread(unsigned number) {
  thread_ = number;
  now_.thread = static_cast<std::uint16_t>(number);
  const dim3& size = here.block_size;
  here.thread = {number % size.x, number / size.x % size.y, number / size.x / size.y};
  inside_ = true;
  threads_[number].fiber = std::move(threads_[number].fiber).resume();
  inside_ = false;
}

/// Runs until the warp's threads wait for the block, or end.
void Machine::run_warp(unsigned first, unsigned last) {
  const std::span<Thread> warp(threads_.data() + first, last - first);
  const auto is = [](State state) { return [state](const Thread& thread) { return thread.state == state; }; };
  do {
    const auto live =
        static_cast<unsigned>(warp.size()) - static_cast<unsigned>(std::ranges::count_if(warp, is(State::ended)));
    for (unsigned number = first; number < last; ++number)
      if (threads_[number].state == State::runs) run_thread(number);
    count_warp(std::span(logs_).subspan(first, last - first), now_.block, live, counts_);
    if (std::ranges::none_of(warp, is(State::at_warp))) return;
    if (std::ranges::any_of(warp, is(State::at_block)))
      throw KernelFault("some threads of a warp wait for the warp, others for the block");
    ++now_.since_warp;
    for (Thread& thread : warp)
      if (thread.state == State::at_warp) thread.state = State::runs;
  } while (true);
}

void Machine::run_block(const Kernel& kernel) {
  const unsigned count = here.block_size.count();
  ++now_.block;
  ++now_.since_block;
  for (unsigned number = 0; number < count; ++number) start(number, kernel);
  for (;;) {
    for (unsigned first = 0; first < count; first += warp_threads)
      run_warp(first, std::min(first + warp_threads, count));
    bool met = false;
    for (Thread& thread : threads_) {
      if (thread.state != State::at_block) continue;
      thread.state = State::runs;
      met = true;
    }
    if (!met) return;
    ++counts_.barriers;
    ++now_.since_block;
  }
}

void Machine::launch(dim3 grid, dim3 block, const Kernel& kernel) {
  here.block_size = block;
  here.grid_size = grid;
  kernel_ = kernel;
  fault_ = {};
  threads_ = std::vector<Thread>(block.count());
  if (logs_.size() < block.count()) logs_.resize(block.count());
  for (unsigned at = 0; at < grid.count(); ++at) {
    here.block = {at % grid.x, at / grid.x % grid.y, at / grid.x / grid.y};
    run_block(kernel);
  }
  if (fault_.code != nullptr) throw KernelFault(fault_.text());
}

void Machine::fault(const void* code, std::string_view what) {
  if (fault_.code == nullptr) fault_ = {code, what, here.thread, here.block};
}

void Machine::see(std::uintptr_t address, std::uint8_t size, bool writes, const void* code) {
  if (!inside_) return;
  const auto within = [address](const void* begin, std::size_t bytes) {
    return address - reinterpret_cast<std::uintptr_t>(begin) < bytes;
  };
  if (address - threads_[thread_].stack_begin < stack_bytes) return;                 // a register, or a local array
  if (within(&here, sizeof here) || within(kernel_.closure, kernel_.bytes)) return;  // coordinates, arguments
  const Access access = {address, code, size, writes, space_of(address)};
  if (access.space == Space::none) {  // the thread cannot continue
    fault(code, "uses an address that is no array's");
    return meet(State::ended);
  }
  if (const std::string_view wrong = remember(access, now_); !wrong.empty()) fault(code, wrong);
  logs_[thread_].push_back(access);
}

}  // namespace

void launch(dim3 grid, dim3 block, const Kernel& kernel) { machine().launch(grid, block, kernel); }
void meet_block() { machine().meet(State::at_block); }
void meet_warp() { machine().meet(State::at_warp); }
void begin_copy(LateCopy copy) { machine().copies().push_back(copy); }
bool has_copies() { return !machine().copies().empty(); }
LateCopy take_copy() {
  const LateCopy copy = machine().copies().front();
  machine().copies().pop_front();
  return copy;
}
Counts take_counts() { return machine().take_counts(); }

/// Called by the compiler's instrumentation.
void see(const void* address, std::size_t size, bool writes, const void* code) {
  machine().see(reinterpret_cast<std::uintptr_t>(address), static_cast<std::uint8_t>(size), writes, code);
}

void enter_basic_block(const void* code) { machine().enter_basic_block(code); }

}  // namespace hf::emulator

// The compiler's instrumentation calls these at each access, each function and each basic block.
#define HF_SEE(name, bytes, writes) \
  void __tsan_##name(void* address) { hf::emulator::see(address, bytes, writes, __builtin_return_address(0)); }
#define HF_SEE_ALL(bytes)                     \
  HF_SEE(read##bytes, bytes, false)           \
  HF_SEE(write##bytes, bytes, true)           \
  HF_SEE(unaligned_read##bytes, bytes, false) \
  HF_SEE(unaligned_write##bytes, bytes, true)

extern "C" {
HF_SEE_ALL(1)
HF_SEE_ALL(2)
HF_SEE_ALL(4)
HF_SEE_ALL(8)
HF_SEE_ALL(16)
void __tsan_read_range(void*, unsigned long) {}
void __tsan_write_range(void*, unsigned long) {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}
void __sanitizer_cov_trace_pc() { hf::emulator::enter_basic_block(__builtin_return_address(0)); }
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
// Clang compiles copying loops into calls of this, which copies word by word, as the loops were written.
void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) {
  const std::size_t word = bytes % 4 == 0 ? 4 : 1;
  for (std::size_t at = 0; at < bytes; at += word) {
    hf::emulator::see(static_cast<const char*>(from) + at, word, false, __builtin_return_address(0));
    hf::emulator::see(static_cast<const char*>(to) + at, word, true, __builtin_return_address(0));
  }
  return std::memcpy(to, from, bytes);
}
void* __tsan_memset(void* to, int value, unsigned long bytes) {
  const std::size_t word = bytes % 4 == 0 ? 4 : 1;
  for (std::size_t at = 0; at < bytes; at += word)
    hf::emulator::see(static_cast<const char*>(to) + at, word, true, __builtin_return_address(0));
  return std::memset(to, value, bytes);
}
}
