#include "01-roofline/chase.hpp"

#include <cstddef>
#include <span>
#include <stdexcept>

#include "common/random.hpp"
#include "harness/interrupt.hpp"

namespace hf::roofline {

RandomCycle::RandomCycle(std::span<Line> memory) : memory_(memory) {
  if (memory_.empty()) throw std::invalid_argument("RandomCycle: expected memory for at least one line");
  memory_.front().next = &memory_.front();
}

void RandomCycle::grow(std::size_t lines) {
  if (lines > memory_.size() || lines < lines_) {
    throw std::invalid_argument("RandomCycle: expected at least the lines of the cycle, at most those of the memory");
  }
  for (; lines_ < lines; ++lines_) {
    if (lines_ % (1u << 20) == 0) stop_if_interrupted();
    Line& before = memory_[random_below(0, lines_, lines_)];
    Line& added = memory_[lines_];
    added.next = before.next;
    before.next = &added;
  }
}

}  // namespace hf::roofline
