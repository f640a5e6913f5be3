#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "terminal.hpp"
#include "text.hpp"

namespace hf {
namespace {

constexpr std::size_t gap = 2;     // before each column
constexpr std::size_t indent = 6;  // of what belongs to the line above

using Row = std::vector<std::string>;
using Widths = std::vector<std::size_t>;

/// Each column as wide as its cells and, at least, so much of its heading.
template <class HeadingWidth>
Widths widths_of(const Table& table, HeadingWidth heading_width) {
  Widths widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    widths.push_back(heading_width(table.columns[i]));
    for (const Row& row : table.rows) {
      if (i < row.size()) widths[i] = std::max(widths[i], columns(row[i]));
    }
  }
  return widths;
}

std::size_t total(const Widths& widths, std::size_t from) {
  std::size_t sum = 0;
  for (std::size_t i = from; i < widths.size(); ++i) sum += gap + widths[i];
  return sum;
}

std::string without_trailing_spaces(const std::string& text) { return text.substr(0, text.find_last_not_of(' ') + 1); }

/// A row as lines, its cells broken between words where a column is narrower; the first column stands to the left, the
/// others, numbers mostly, to the right, and those of few lines, in the heading, at the bottom.
std::vector<std::string> lines_of(const Row& row, const Widths& widths, std::size_t from, bool heading) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = from; i < widths.size(); ++i) {
    cells.push_back(wrapped(i < row.size() ? row[i] : "", widths[i]));
    height = std::max(height, cells.back().size());
  }
  std::vector<std::string> lines(height, from > 0 ? std::string(indent - gap, ' ') : "");
  for (std::size_t i = from; i < widths.size(); ++i) {
    std::vector<std::string>& cell = cells[i - from];
    cell.insert(heading ? cell.begin() : cell.end(), height - cell.size(), "");
    for (std::size_t line = 0; line < height; ++line) {
      lines[line] += std::string(gap, ' ') + padded(cell[line], widths[i], i > 0);
    }
  }
  std::transform(lines.begin(), lines.end(), lines.begin(), without_trailing_spaces);
  return lines;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& lines) {
  to.insert(to.end(), lines.begin(), lines.end());
}

TableText in_columns(const Table& table, const Widths& widths) {
  TableText text;
  text.heading = lines_of(table.columns, widths, 0, true);
  for (const Row& row : table.rows) append(text.rows, lines_of(row, widths, 0, false));
  return text;
}

/// The first column on a line of its own, the others below it.
TableText folded(const Table& table, const Widths& widths, std::size_t width) {
  const auto lines = [&](const Row& row, bool heading) {
    std::vector<std::string> result;
    for (const std::string& line : wrapped(row.front(), width - gap)) result.push_back(std::string(gap, ' ') + line);
    append(result, lines_of(row, widths, 1, heading));
    return result;
  };
  TableText text;
  text.heading = lines(table.columns, true);
  for (const Row& row : table.rows) append(text.rows, lines(row, false));
  return text;
}

/// Every cell on a line of its own, after its heading.
TableText as_list(const Table& table, std::size_t width) {
  TableText text;
  for (const Row& row : table.rows) {
    for (std::size_t i = 0; i < std::min(row.size(), table.columns.size()); ++i) {
      if (row[i].empty()) continue;
      const std::size_t margin = i == 0 ? gap : indent;
      for (const std::string& line : wrapped(i == 0 ? row[i] : table.columns[i] + ": " + row[i], width - margin)) {
        text.rows.push_back(std::string(margin, ' ') + line);
      }
    }
  }
  return text;
}

}  // namespace

TableText table_text(const Table& table, std::size_t width) {
  if (table.columns.empty()) return {};
  Widths widths = widths_of(table, columns);
  if (total(widths, 0) <= width) return in_columns(table, widths);

  widths = widths_of(table, longest_word);  // headings on several lines
  if (total(widths, 0) <= width) return in_columns(table, widths);

  std::size_t narrowest = longest_word(table.columns.front());  // names on several lines
  for (const Row& row : table.rows) narrowest = std::max(narrowest, longest_word(row.front()));
  const std::size_t others = total(widths, 1);
  if (others + gap + narrowest <= width) {
    const std::size_t room = width - others - gap;
    widths.front() = 0;
    const auto make_room = [&](const std::string& cell) {
      for (const std::string& line : wrapped(cell, room)) widths.front() = std::max(widths.front(), columns(line));
    };
    make_room(table.columns.front());
    for (const Row& row : table.rows) make_room(row.front());
    return in_columns(table, widths);
  }
  if (others + indent - gap <= width) return folded(table, widths, width);
  return as_list(table, width);
}

}  // namespace hf
