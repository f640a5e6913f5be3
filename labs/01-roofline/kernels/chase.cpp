#include "01-roofline/kernels/chase.hpp"

#include <cstddef>
#include <span>
#include <stdexcept>

namespace hf::roofline {

RandomCycle::RandomCycle(std::span<Line> memory) : memory_(memory) {
  if (memory_.empty()) throw std::invalid_argument("RandomCycle: expected memory for at least one line");
  memory_.front().next = &memory_.front();
}

void RandomCycle::grow(std::size_t lines) {
  if (lines > memory_.size() || lines < lines_) {
    throw std::invalid_argument("RandomCycle: expected at least the lines of the cycle, at most those of the memory");
  }
  add_to_cycle([this](std::size_t i) -> Line& { return memory_[i]; }, lines_, lines);
  lines_ = lines;
}

}  // namespace hf::roofline
