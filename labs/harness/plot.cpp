#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "machine.hpp"
#include "results.hpp"
#include "terminal.hpp"

namespace hf {
namespace {

constexpr int rows = 16;
constexpr const char* unicode_marks[] = {"●", "○", "▲", "△", "■", "□", "◆", "◇"};
constexpr const char* ascii_marks[] = {"*", "o", "^", "+", "#", "x", "@", "%"};

/// One axis: where a number lies along it, 0 to 1.
class Scale {
 public:
  void include(double value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  double low() const { return low_; }
  double high() const { return high_; }
  bool logarithmic() const { return low_ > 0 && high_ >= 10 * low_; }

  double position(double value) const {
    if (high_ <= low_) return 0.5;
    if (logarithmic()) return std::log(value / low_) / std::log(high_ / low_);
    return (value - low_) / (high_ - low_);
  }

 private:
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

std::string tick(double value, const std::string& unit) {
  return unit == "B" ? capacity_text(static_cast<std::uint64_t>(value)) : number_text(value);
}

std::string axis_text(const Axis& axis, bool with_unit) {
  return axis.name + (with_unit && axis.unit != "1" ? ", " + axis.unit : "");
}

using Grid = std::vector<std::vector<std::string>>;

void draw(Grid& grid, const Series& series, const char* mark, const Scale& x, const Scale& y) {
  const int width = static_cast<int>(grid.front().size());
  for (const Point& point : series.points) {
    const auto column = std::lround(x.position(point.x) * (width - 1));
    const auto row = std::lround((1 - y.position(point.y.median)) * (rows - 1));
    grid[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = mark;
  }
}

/// The grid with its frame and the ends of its axes.
std::string framed(const Grid& grid, const Scale& x, const Scale& y, const Series& like, bool utf8) {
  const std::string top = tick(y.high(), like.y.unit), bottom = tick(y.low(), like.y.unit);
  const std::size_t margin = std::max(top.size(), bottom.size()) + 2, width = grid.front().size();
  const auto label = [&](const std::string& text) { return std::string(margin - text.size(), ' ') + text; };
  std::string text =
      std::string(margin + 1, ' ') + axis_text(like.y, true) + (y.logarithmic() ? " (logarithmic)" : "") + "\n";
  for (std::size_t row = 0; row < grid.size(); ++row) {
    text += label(row == 0 ? top : row + 1 == grid.size() ? bottom : "") + (utf8 ? " │" : " |");
    std::string cells;
    for (const std::string& cell : grid[row]) cells += cell;
    text += cells.substr(0, cells.find_last_not_of(' ') + 1) + "\n";
  }
  text += std::string(margin + 1, ' ') + (utf8 ? "└" : "+");
  for (std::size_t column = 0; column < width; ++column) text += utf8 ? "─" : "-";
  const std::string left = tick(x.low(), like.x.unit), right = tick(x.high(), like.x.unit);
  const std::string name = axis_text(like.x, like.x.unit != "B") + (x.logarithmic() ? " (logarithmic)" : "");
  const std::size_t used = left.size() + name.size() + right.size();
  const std::size_t gap = width > used ? (width - used) / 2 : 1;
  return text + "\n" + std::string(margin + 2, ' ') + left + std::string(gap, ' ') + name + std::string(gap, ' ') +
         right + "\n";
}

}  // namespace

std::string plot_text(std::span<const Series* const> series, const TerminalStyle& style) {
  Scale x, y;
  for (const Series* one : series) {
    for (const Point& point : one->points) {
      x.include(point.x);
      y.include(point.y.median);
    }
  }
  if (series.empty() || x.high() < x.low()) return "  (nothing to plot)\n";
  Grid grid(rows, std::vector<std::string>(static_cast<std::size_t>(style.width - 14), " "));
  std::string legend;
  for (std::size_t index = 0; index < series.size(); ++index) {
    const auto& marks = style.utf8 ? unicode_marks : ascii_marks;
    const char* mark = marks[index % std::size(unicode_marks)];
    draw(grid, *series[index], mark, x, y);
    legend += std::string("    ") + mark + " " + series[index]->label + "\n";
  }
  return framed(grid, x, y, *series.front(), style.utf8) + legend;
}

}  // namespace hf
