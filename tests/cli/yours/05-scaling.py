"""All-reduces for tests/cli/test_yours.py."""

KERNEL = """#include <cstring>
#include <span>
#include <thread>
#include <vector>
#include "kit/ranks/transport.hpp"
extern "C" void all_reduce(hf::Transport& ranks, std::span<float> numbers) {
  %s
  if (ranks.rank() > 0) {
    ranks.send(0, numbers);
    ranks.receive(0, numbers);
  } else {
    for (int from = 1; from < ranks.size(); ++from) ranks.receive_add(from, numbers);
    for (int to = 1; to < ranks.size(); ++to) ranks.send(to, numbers);
  }
  %s
}
"""
# Doubling; ranks beyond a power of two hand their numbers over.
BETTER = """#include <bit>
#include <span>
#include "kit/ranks/transport.hpp"
extern "C" void all_reduce(hf::Transport& ranks, std::span<float> numbers) {
  const int me = ranks.rank(), workers = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks.size())));
  if (me >= workers) {
    ranks.send(me - workers, numbers);
    ranks.receive(me - workers, numbers);
    return;
  }
  const bool helps = me + workers < ranks.size();
  if (helps) ranks.receive_add(me + workers, numbers);
  for (int apart = 1; apart < workers; apart *= 2) ranks.exchange_add(me ^ apart, numbers, me ^ apart, numbers);
  if (helps) ranks.send(me + workers, numbers);
}
"""
LESS = ("rounds for 4 bytes, 8 ranks", 4)
ROWS = ["yours", "ring"]
STARS = 2

FOREVER = "for (volatile unsigned z = 0;; ++z) {}"
LAST = "ranks.rank() == 2 && numbers.size() == 17 && ranks.size() == 3"
WRONG = {
    "an edge": ("", f"if ({LAST}) numbers[16] += 1;", "right   no: numbers[16] is "),
    "many numbers": ("", "if (numbers.size() > 1 << 17 && ranks.rank() == 1) numbers[7] += 1;",
                     "(rank 1, 262145 numbers on 2 ranks)"),
    "past its end": (f"if ({LAST}) *(volatile float*)(numbers.data() + 17) = 1;", "",
                     "right   no: touches numbers[17], past its end: numbers has 17 elements, for 17 numbers on 3 ranks"),
    "before its start": (f"if ({LAST}) *(volatile float*)(numbers.data() - 1) = 1;", "",
                         "right   no: writes before the start of numbers, for 17 numbers on 3 ranks"),
    "a crash": (f"if ({LAST}) *(volatile int*)8 = 1;", "",
                "right   no: touches an address that belongs to none of its arrays, for 17 numbers on 3 ranks"),
    "no end": (f"if ({LAST}) {FOREVER}", "", "right   no: does not end: "),
    "a deadlock": ("if (ranks.size() == 4) { ranks.send((ranks.rank() + 1) % 4, numbers); return; }", "",
                   "right   no: deadlock: rank 0 waits to send to 1, rank 1 waits to send to 2"),
    "a message of another length": ("if (ranks.size() == 2 && ranks.rank() == 1 && numbers.size() > 8) numbers = numbers.first(8);", "",
                                    "right   no: rank 1 sends 8 numbers where rank 0 expects 17"),
    "no messages": ("static float* all[64]; static int here = 0; if (ranks.size() == 2) { all[ranks.rank()] = numbers.data(); "
                    "float none = 0; ranks.exchange(1 - ranks.rank(), {&none, 1}, 1 - ranks.rank(), {&none, 1}); "
                    "if (ranks.rank() == here) for (std::size_t i = 0; i < numbers.size(); ++i) all[0][i] = all[1][i] += all[0][i]; "
                    "ranks.exchange(1 - ranks.rank(), {&none, 1}, 1 - ranks.rank(), {&none, 1}); return; }", "",
                    "right   no: does not send all its numbers in messages: rank 0, 3 numbers on 2 ranks"),
    "a remembered result": ("static std::vector<float> kept;", "if (ranks.rank() == 0 && ranks.size() > 1 && numbers.size() > 0) { "
                            "if (kept.size() == numbers.size()) { std::memcpy(numbers.data(), kept.data(), numbers.size_bytes()); } "
                            "else kept.assign(numbers.begin(), numbers.end()); }", "right   no: numbers[0] is "),
    "a late write": ("", "std::thread([=] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); "
                     "if (numbers.size() > 0) numbers[0] = 1; }).detach();", "right   no: writes to numbers[0] after it has returned"),
    "a thread that stays": (f"static bool started = false; if (!started) {{ started = true; std::thread([] {{ {FOREVER} }}).detach(); }}",
                            "", "right   no: threads are still computing after it has returned"),
    "a word of C++": ("int x = ;", "int y = ;", "builds  no: yours/05-scaling.cpp:7:"),
}
