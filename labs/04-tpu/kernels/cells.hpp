/// \file
/// The cells of a systolic array. All cells act at once in every cycle, so each kind of register is stored as a plane
/// of rows × columns, and a cycle is one pass over the planes, which the compiler turns into vector instructions.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "04-tpu/kernels/systolic.hpp"

namespace hf::tpu {

/// The registers of one kind, row by row.
template <class Number>
class Plane {
 public:
  explicit Plane(const ArrayShape& array) : columns_(array.columns), registers_(array.rows * array.columns) {}

  Number* row(std::size_t r) { return registers_.data() + r * columns_; }
  std::span<const Number> all() const { return registers_; }
  void clear() { registers_.assign(registers_.size(), 0); }

 private:
  std::size_t columns_;
  std::vector<Number> registers_;
};

/// a + b; wraps around on overflow, as a hardware adder does.
inline std::int32_t add(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

// [begin: multiply-accumulate]
/// One cycle of a row of cells: each cell multiplies the operand flowing past by
/// the operand it holds, and adds the product to the sum from above.
inline void multiply_accumulate(std::size_t columns,
                                const std::int8_t* moving,  // flows past
                                const std::int8_t* held,    // stays
                                const std::int32_t* above,  // comes down
                                std::int32_t* sum) {        // goes down
  for (std::size_t c = 0; c < columns; ++c) {
    sum[c] = add(above[c], moving[c] * held[c]);
  }
}
// [end: multiply-accumulate]

/// Moves a row of operands one cell to the right; `entering` comes in at the left edge.
inline void move_right(std::int8_t* row, std::size_t columns, std::int8_t entering) {
  std::memmove(row + 1, row, columns - 1);
  row[0] = entering;
}

/// Cells that hold an operand. The other operand flows right, sums flow down.
class WeightStationaryCells {
 public:
  explicit WeightStationaryCells(const ArrayShape& array)
      : array_(array), moving(array), held(array), next(array), sums(array), none_(array.columns) {}

  // [begin: cycle]
  /// Runs one clock cycle of every cell, from the bottom row up: each row must
  /// read the sums of the row above before they are overwritten.
  void cycle(const std::int8_t* entering) {
    const std::size_t n = array_.columns;
    for (std::size_t r = array_.rows; r-- > 0;) {
      const std::int32_t* above = r > 0 ? sums.row(r - 1) : none_.data();
      move_right(moving.row(r), n, entering[r]);
      multiply_accumulate(n, moving.row(r), held.row(r), above, sums.row(r));
    }
  }
  // [end: cycle]

  /// Moves the operands in columns [from, to) down by one row, as far as row `last`; `top` enters row 0.
  static void shift_down(Plane<std::int8_t>& plane, std::size_t last, std::size_t from, std::size_t to,
                         const std::int8_t* top) {
    for (std::size_t r = last; r > 0; --r) std::memcpy(plane.row(r) + from, plane.row(r - 1) + from, to - from);
    std::memcpy(plane.row(0) + from, top + from, to - from);
  }

 private:
  ArrayShape array_;

 public:
  Plane<std::int8_t> moving, held, next;  ///< next: the second register of a double-buffered array
  Plane<std::int32_t> sums;

 private:
  std::vector<std::int32_t> none_;  ///< zeros enter above the top row
};

/// Cells that hold a sum. One operand flows right, the other down.
class OutputStationaryCells {
 public:
  explicit OutputStationaryCells(const ArrayShape& array) : array_(array), moving(array), falling(array), sums(array) {}

  void cycle(const std::int8_t* entering, const std::int8_t* entering_above) {
    WeightStationaryCells::shift_down(falling, array_.rows - 1, 0, array_.columns, entering_above);
    for (std::size_t r = 0; r < array_.rows; ++r) {
      move_right(moving.row(r), array_.columns, entering[r]);
      multiply_accumulate(array_.columns, moving.row(r), falling.row(r), sums.row(r), sums.row(r));
    }
  }

 private:
  ArrayShape array_;

 public:
  Plane<std::int8_t> moving, falling;
  Plane<std::int32_t> sums;
};

}  // namespace hf::tpu
