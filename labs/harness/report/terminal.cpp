#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "record/claims.hpp"
#include "record/record.hpp"
#include "text.hpp"

namespace hf {
namespace {

constexpr std::size_t gap = 2;     // before each column
constexpr std::size_t indent = 6;  // for continuations of the line above

using Row = std::vector<std::string>;
using Widths = std::vector<std::size_t>;

/// Widths that fit each column's cells and as much of its heading as `heading_width` requires.
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

/// A row as lines, with cells broken between words if a column is narrower. The first column is left-aligned, the
/// others, mostly numbers, right-aligned. In a heading, short cells are aligned to the bottom.
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

/// The table with the first column on its own line and the others below it.
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

/// The table with every cell on its own line, after its heading.
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

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// True if the first locale variable that is set names UTF-8.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment(name);
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(), [](unsigned char c) { return std::tolower(c); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::ceil(std::max(seconds, 0.0)));
  return whole < 100 ? std::to_string(whole) + " s" : std::to_string((whole + 59) / 60) + " min";
}

}  // namespace

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string spaces(width > columns(text) ? width - columns(text) : 0, ' ');
  return right ? spaces + text : text + spaces;
}

std::size_t longest_word(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::size_t longest = 0;
  for (std::string word; words >> word;) longest = std::max(longest, columns(word));
  return longest;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::istringstream words{std::string(text)};
  std::vector<std::string> lines(1);
  for (std::string word; words >> word;) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (columns(line) + 1 + columns(word) <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

TableText table_text(const Table& table, std::size_t width) {
  if (table.columns.empty()) return {};
  Widths widths = widths_of(table, columns);
  if (total(widths, 0) <= width) return in_columns(table, widths);

  widths = widths_of(table, longest_word);  // break headings over several lines
  if (total(widths, 0) <= width) return in_columns(table, widths);

  std::size_t narrowest = longest_word(table.columns.front());  // break names over several lines
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

TerminalStyle detect_style(std::FILE* stream) {
  TerminalStyle style;
  const std::string kind = environment("TERM");
  style.interactive = isatty(fileno(stream)) != 0 && !kind.empty() && kind != "dumb";
  style.colour = style.interactive && environment("NO_COLOR").empty();
  style.utf8 = locale_is_utf8();
  winsize size = {};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {  // also a dumb terminal's
    style.width = size.ws_col;
  } else if (const int columns = std::atoi(environment("COLUMNS").c_str()); columns > 0) {
    style.width = columns;  // a program in between may hide the terminal's size
  }
  style.width = std::clamp(style.width, 40, 120);
  return style;
}

Terminal::Terminal(std::FILE* stream) : Terminal(stream, detect_style(stream)) {}

Terminal::Terminal(std::FILE* stream, TerminalStyle style) : stream_(stream), style_(style) {}

/// Prints with an ANSI attribute if colour is on.
void Terminal::emphasise(std::string_view text, const char* code) {
  const int length = static_cast<int>(text.size());
  if (style_.colour) {
    std::fprintf(stream_, "\x1b[%sm%.*s\x1b[0m", code, length, text.data());
  } else {
    std::fprintf(stream_, "%.*s", length, text.data());
  }
}

void Terminal::line(std::string_view text) {
  clear_progress();
  std::fprintf(stream_, "%.*s\n", static_cast<int>(text.size()), text.data());
  std::fflush(stream_);
}

void Terminal::heading(std::string_view text) {
  line("");
  emphasise(text, "1");
  std::fputc('\n', stream_);
}

void Terminal::paragraph(std::string_view text) {
  constexpr std::size_t indent = 2;
  for (const std::string& each : wrapped(text, static_cast<std::size_t>(style_.width) - indent)) {
    line(std::string(indent, ' ') + each);
  }
}

void Terminal::table(const Table& table) {
  heading(table.title);
  const TableText text = table_text(table, static_cast<std::size_t>(style_.width));
  for (const std::string& each : text.heading) {
    emphasise(each, "2");
    std::fputc('\n', stream_);
  }
  for (const std::string& each : text.rows) line(each);
}

void Terminal::verdict(const Claim& claim, const Verdict& verdict) {
  clear_progress();
  const Number& number = verdict.observed;
  const auto& [low, median, high] = number.interval;
  const std::string unit = number.unit == "1" ? "" : " " + number.unit;
  const bool close = verdict.answer == Answer::too_close, fails = verdict.answer == Answer::fails;
  const bool measured = number.kind == "measured";  // otherwise shows the kind instead of "holds"
  const std::string spread =
      close ? ", between " + number_text(low) + " and " + number_text(high) + ": too close to call" : "";
  const std::string text = claim.text + " (claimed " + claim.bound + unit + "; " + number.kind + " " +
                           number_text(median) + unit + spread + ")";
  const std::string word = close ? "close" : fails || measured ? words(verdict.answer) : number.kind;
  const std::size_t indent = word.size() + 4;  // "  holds  "
  std::fputs("  ", stream_);
  emphasise(word, fails ? "31" : close ? "33" : measured ? "32" : "2");
  std::string before = "  ";
  for (const std::string& each : wrapped(text, static_cast<std::size_t>(style_.width) - indent)) {
    line(before + each);
    before = std::string(indent, ' ');
  }
}

/// A bar and the time left, with the step's name if there is room.
std::string Terminal::progress_text(std::string_view step, int percent, double seconds_left) const {
  const int cells = style_.width < 60 ? 10 : 20;
  std::string bar = "  ";
  for (int cell = 0; cell < cells; ++cell) {
    const bool full = cell < percent * cells / 100;
    bar += full ? (style_.utf8 ? "█" : "#") : (style_.utf8 ? "░" : ".");
  }
  std::string share = " ", left = "about ";
  share.append(std::to_string(percent)).append("%  ");
  left.append(duration_text(seconds_left)).append(" left");
  const std::string all = bar + share + std::string(step) + ", " + left;
  return columns(all) < static_cast<std::size_t>(style_.width) ? all : bar + share + left;
}

void Terminal::progress(std::string_view step, double share_done, double seconds_left) {
  const int percent = static_cast<int>(100 * std::clamp(share_done, 0.0, 1.0));
  if (style_.interactive) {
    clear_progress();
    std::fprintf(stream_, "%s\n", progress_text(step, percent, seconds_left).c_str());
    progress_drawn_ = true;
  } else if (last_step_ != step) {
    std::fprintf(stream_, "  %d%%  %.*s, about %s left\n", percent, static_cast<int>(step.size()), step.data(),
                 duration_text(seconds_left).c_str());
  }
  last_step_ = step;
  std::fflush(stream_);
}

void Terminal::clear_progress() {
  if (!progress_drawn_) return;
  std::fputs("\x1b[A\r\x1b[K", stream_);  // goes up to the bar and erases it
  std::fflush(stream_);
  progress_drawn_ = false;
}

}  // namespace hf
