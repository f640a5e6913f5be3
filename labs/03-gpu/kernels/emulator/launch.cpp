#include "03-gpu/kernels/emulator/launch.hpp"

#include <algorithm>
#include <array>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "03-gpu/kernels/emulator/count.hpp"
#include "03-gpu/kernels/emulator/emulator.hpp"
#include "03-gpu/kernels/emulator/instrumentation.hpp"
#include "03-gpu/kernels/emulator/shadow.hpp"
#include "03-gpu/kernels/emulator/source_line.hpp"
#include "kit/observer.hpp"

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

enum class State { runs, at_warp, at_block, ended, stopped };

struct LateCopy {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes, from_bytes;
  unsigned group;
  const void* code;
};

struct Thread {
  context::fiber fiber;
  State state = State::runs;
  std::uintptr_t stack_begin = 0;
  std::deque<LateCopy> copies;
  unsigned copy_group = 0;
  const void* waits_at = nullptr;  ///< the code after the barrier
  Lanes waits_for = 0;
  bool orders = false;  ///< accesses before the meeting of a warp from those after it
  std::uint64_t offers = 0;
  std::array<std::uint64_t, warp_threads> offered;  ///< by all lanes, when they met
};

std::ostream& operator<<(std::ostream& out, const dim3& at) {
  return out << '(' << at.x << ", " << at.y << ", " << at.z << ')';
}

struct Fault {
  const void* code = nullptr;
  std::string what;
  dim3 thread, block;

  /// Must be called outside a fiber, whose stack is too small for it.
  std::string text() const {
    std::ostringstream text;
    text << source_line(code) << ": " << what << "; thread " << thread << " of block " << block;
    return text.str();
  }
};

/// Calls of a barrier in one line are the same barrier, even if the compiler has duplicated the code around it.
bool same_line(const void* code, const void* other) {
  static std::map<const void*, std::string> lines;
  const auto line_of = [](const void* of) -> const std::string& {
    std::string& line = lines[of];
    if (line.empty()) line = source_line(of);
    return line;
  };
  return code == other || line_of(code) == line_of(other);
}

/// One launch at a time.
class Machine {
 public:
  void launch(dim3 grid, dim3 block, const Kernel& kernel);
  /// Ends the launch, from the running thread, which cannot continue.
  void stop(const void* code, std::string_view what) {
    fault(code, what);
    meet(State::stopped, code);
  }
  void meet(State at, const void* code) {
    threads_[thread_].waits_at = code;
    threads_[thread_].state = at;
    outside_ = std::move(outside_).resume();
  }
  const Thread& meet_warp(Lanes lanes, bool orders, std::uint64_t offers, const void* code);
  unsigned lane() const { return thread_ % warp_threads; }
  void see(std::uintptr_t address, std::size_t size, Does does, const void* code);
  void enter_basic_block(const void* code) {
    if (inside_) logs_[thread_].push_back({0, code, 0, Does::read, Space::code});
  }
  void begin_copy(LateCopy copy);
  void end_copy_group() { ++threads_[thread_].copy_group; }
  void finish_copies(unsigned before_group);
  unsigned copy_group() const { return threads_[thread_].copy_group; }
  Counts take_counts() { return std::exchange(counts_, {}); }

 private:
  void run_block(const Kernel& kernel);
  void run_warp(unsigned first, unsigned last);
  bool release_warp(std::span<Thread> warp);
  bool release_block();
  void run_thread(unsigned thread);
  void start(unsigned thread, const Kernel& kernel);
  dim3 place_of(unsigned thread) const;
  void check_address(const Access& access);
  void fault(const void* code, std::string_view what);
  [[noreturn]] void fail(unsigned thread, std::string_view what);
  [[noreturn]] void fail_to_meet(const Thread& first, const Thread& other);

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
  thread.copy_group = 0;
  thread.copies.clear();
  const context::preallocated place(stack.sp, stack.size, stack);
  thread.fiber = context::fiber(std::allocator_arg, place, Borrowed(), [this, number, &kernel](context::fiber&& from) {
    outside_ = std::move(from);
    kernel.run(kernel.closure);
    threads_[number].state = State::ended;
    return std::move(outside_);
  });
}

dim3 Machine::place_of(unsigned number) const {
  const dim3& size = here.block_size;
  return {number % size.x, number / size.x % size.y, number / size.x / size.y};
}

void Machine::run_thread(unsigned number) {
  thread_ = number;
  now_.thread = static_cast<std::uint16_t>(number);
  here.thread = place_of(number);
  inside_ = true;
  threads_[number].fiber = std::move(threads_[number].fiber).resume();
  inside_ = false;
  if (threads_[number].state == State::stopped) throw KernelFault(fault_.text());
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
    const auto waiting = std::ranges::find_if(warp, is(State::at_warp));
    if (waiting == warp.end()) return;
    if (!release_warp(warp))
      fail(first + static_cast<unsigned>(waiting - warp.begin()),
           "waits for lanes of its warp that wait elsewhere (let all lanes that it names call the function)");
  } while (true);
}

/// Lets those lanes of a warp go on that have met. \return true if there are any
bool Machine::release_warp(std::span<Thread> warp) {
  Lanes released = 0;
  std::array<std::uint64_t, warp_threads> offered = {};
  for (unsigned lane = 0; lane < warp.size(); ++lane) offered[lane] = warp[lane].offers;
  for (unsigned lane = 0; lane < warp.size(); ++lane) {
    const Lanes lanes = warp[lane].waits_for;
    bool met = warp[lane].state == State::at_warp;
    for (unsigned other = 0; other < warp.size(); ++other)
      if ((lanes >> other & 1) != 0 && warp[other].state != State::ended)
        met = met && warp[other].state == State::at_warp && warp[other].waits_for == lanes;
    if (met) released |= Lanes{1} << lane;
  }
  bool orders = false;
  for (unsigned lane = 0; lane < warp.size(); ++lane) {
    if ((released >> lane & 1) == 0) continue;
    warp[lane].state = State::runs;
    warp[lane].offered = offered;
    warp[lane].waits_for &= released;  // the others have ended
    orders = orders || warp[lane].orders;
  }
  if (orders) ++now_.since_warp;
  return released != 0;
}

/// Lets the threads of the block go on that wait for it. \return true if there are any
bool Machine::release_block() {
  const Thread* first = nullptr;
  for (Thread& thread : threads_) {
    if (thread.state != State::at_block) continue;
    if (first == nullptr) first = &thread;
    if (!same_line(first->waits_at, thread.waits_at)) fail_to_meet(*first, thread);
    thread.state = State::runs;
  }
  return first != nullptr;
}

void Machine::fail_to_meet(const Thread& first, const Thread& other) {
  const auto number_of = [this](const Thread& thread) { return static_cast<unsigned>(&thread - threads_.data()); };
  std::ostringstream what;
  what << "waits at this __syncthreads(), but thread " << place_of(number_of(first)) << " at that of "
       << source_line(first.waits_at) << " (move it out of the branch: all threads of a block must reach the same one)";
  fail(number_of(other), what.str());
}

void Machine::run_block(const Kernel& kernel) {
  const unsigned count = here.block_size.count();
  ++now_.block;
  ++now_.since_block;
  for (unsigned number = 0; number < count; ++number) start(number, kernel);
  for (;;) {
    for (unsigned first = 0; first < count; first += warp_threads)
      run_warp(first, std::min(first + warp_threads, count));
    if (!release_block()) return;
    ++counts_.barriers;
    ++now_.since_block;
  }
}

void Machine::launch(dim3 grid, dim3 block, const Kernel& kernel) {
  choose_shared(reinterpret_cast<const void*>(kernel.run), kernel.dynamic_bytes);
  here.block_size = block;
  here.grid_size = grid;
  kernel_ = kernel;
  fault_ = {};
  threads_ = std::vector<Thread>(block.count());  // those of a launch that failed are unwound
  if (logs_.size() < block.count()) logs_.resize(block.count());
  for (Log& log : logs_) log.clear();
  for (unsigned at = 0; at < grid.count(); ++at) {
    here.block = {at % grid.x, at / grid.x % grid.y, at / grid.x / grid.y};
    run_block(kernel);
  }
  if (fault_.code != nullptr) throw KernelFault(fault_.text());
}

void Machine::fault(const void* code, std::string_view what) {
  if (fault_.code == nullptr) fault_ = {code, std::string(what), here.thread, here.block};
}

/// Ends the launch, from outside the fibers, with a fault of a thread that waits, unless there was one before.
void Machine::fail(unsigned thread, std::string_view what) {
  here.thread = place_of(thread);
  fault(threads_[thread].waits_at, what);
  throw KernelFault(fault_.text());
}

/// What a GPU would not even try.
void Machine::check_address(const Access& access) {
  if (access.space == Space::none)
    stop(access.code, "uses an address that is no array's (is it null, or a variable that lacks __shared__?)");
  if (access.address % access.size == 0) return;
  switch (access.size) {
    case 16: return stop(access.code, "a float4 at an address that is no multiple of 16 (use single floats there)");
    case 8: return stop(access.code, "a float2 at an address that is no multiple of 8 (use single floats there)");
    default: return stop(access.code, "a number at an address that is no multiple of its size");
  }
}

void Machine::see(std::uintptr_t address, std::size_t size, Does does, const void* code) {
  if (!inside_) return;
  const auto within = [address](const void* begin, std::size_t bytes) {
    return address - reinterpret_cast<std::uintptr_t>(begin) < bytes;
  };
  if (address - threads_[thread_].stack_begin < stack_bytes) return;                 // a register, or a local array
  if (within(&here, sizeof here) || within(kernel_.closure, kernel_.bytes)) return;  // coordinates, arguments
  const Access access = {address, code, static_cast<std::uint8_t>(size), does, space_of(address)};
  check_address(access);
  if (const std::string_view wrong = remember(access, now_); !wrong.empty()) fault(code, wrong);
  logs_[thread_].push_back(access);
}

const Thread& Machine::meet_warp(Lanes lanes, bool orders, std::uint64_t offers, const void* code) {
  Thread& thread = threads_[thread_];
  if ((lanes >> lane() & 1) == 0) stop(code, "is not in its own mask (name all lanes that call the function)");
  thread.waits_for = lanes;
  thread.orders = orders;
  thread.offers = offers;
  meet(State::at_warp, code);
  return thread;
}

void Machine::begin_copy(LateCopy copy) {
  const auto to = reinterpret_cast<std::uintptr_t>(copy.to), from = reinterpret_cast<std::uintptr_t>(copy.from);
  if (copy.bytes != 4 && copy.bytes != 8 && copy.bytes != 16)
    stop(copy.code, "copies asynchronously, but not 4, 8 or 16 bytes (copy each number by itself)");
  if (space_of(to) != Space::shared)
    stop(copy.code,
         "copies asynchronously to memory that is not shared (such a copy goes from global to shared memory)");
  if (copy.from_bytes == copy.bytes)
    see(from, copy.bytes, Does::read, copy.code);
  else
    for (std::size_t at = 0; at < copy.from_bytes; ++at) see(from + at, 1, Does::read, copy.code);
  see(to, copy.bytes, Does::copy, copy.code);
  Thread& thread = threads_[thread_];
  copy.group = thread.copy_group;
  thread.copies.push_back(copy);
}

void Machine::finish_copies(unsigned before_group) {
  std::deque<LateCopy>& copies = threads_[thread_].copies;
  for (; !copies.empty() && copies.front().group < before_group; copies.pop_front()) {
    const LateCopy& copy = copies.front();
    const auto to = reinterpret_cast<std::uintptr_t>(copy.to);
    arrive(to, copy.bytes);
    const Access access = {to, copy.code, static_cast<std::uint8_t>(copy.bytes), Does::write, Space::shared};
    if (const std::string_view wrong = remember(access, now_); !wrong.empty()) fault(copy.code, wrong);
    std::memcpy(copy.to, copy.from, copy.from_bytes);
    std::memset(copy.to + copy.from_bytes, 0, copy.bytes - copy.from_bytes);
  }
}

}  // namespace

void launch(dim3 grid, dim3 block, const Kernel& kernel) {
  observer = observe;
  machine().launch(grid, block, kernel);
}
Counts take_counts() { return machine().take_counts(); }

void meet_block() { machine().meet(State::at_block, __builtin_return_address(0)); }
void meet_warp(Lanes lanes) { machine().meet_warp(lanes, true, 0, __builtin_return_address(0)); }

std::uint64_t exchange(Lanes lanes, std::uint64_t mine, unsigned from_lane) {
  const void* const code = __builtin_return_address(0);
  const Thread& thread = machine().meet_warp(lanes, false, mine, code);
  if ((thread.waits_for >> from_lane & 1) == 0)
    machine().stop(
        code, "takes a number from a lane that does not take part (name it in the mask, and let it call the function)");
  return thread.offered[from_lane];
}

Lanes vote(Lanes lanes, bool mine) {
  const Thread& thread = machine().meet_warp(lanes, false, mine ? 1 : 0, __builtin_return_address(0));
  Lanes yes = 0;
  for (unsigned lane = 0; lane < warp_threads; ++lane) yes |= (thread.offered[lane] & 1) << lane;
  return yes & thread.waits_for;
}

unsigned lane() { return machine().lane(); }

void begin_change(const void* at, void* before, std::size_t bytes) {
  machine().see(reinterpret_cast<std::uintptr_t>(at), bytes, Does::change, __builtin_return_address(0));
  std::memcpy(before, at, bytes);
}
void end_change(void* at, const void* after, std::size_t bytes) { std::memcpy(at, after, bytes); }

void begin_copy(void* to, const void* from, std::size_t bytes, std::size_t from_bytes) {
  machine().begin_copy({static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes, from_bytes, 0,
                        __builtin_return_address(0)});
}
void end_copy_group() { machine().end_copy_group(); }
void wait_for_copy_groups(unsigned except) {
  const unsigned groups = machine().copy_group();
  machine().finish_copies(groups > except ? groups - except : 0);
}
void wait_for_all_copies() { machine().finish_copies(machine().copy_group() + 1); }

void see(const void* address, std::size_t size, bool writes, const void* code) {
  machine().see(reinterpret_cast<std::uintptr_t>(address), size, writes ? Does::write : Does::read, code);
}

void enter_basic_block(const void* code) { machine().enter_basic_block(code); }

}  // namespace hf::emulator
