/// \file
/// What a lab shows while it runs and at its end: progress, tables, claims.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "harness/measure/number_text.hpp"  // IWYU pragma: export
#include "record/claims.hpp"

namespace hf {

/// Text in columns; numbers in a column should carry the same unit, named in its heading.
struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< each with a name, at least, for the first column
};

/// A table as lines, its headings apart.
struct TableText {
  std::vector<std::string> heading, rows;
};

/// Lays a table out in so many columns of the terminal. Where it is wider, headings are broken between words, then the
/// names in its first column; then each name stands on a line of its own; then every cell does, after its heading.
TableText table_text(const Table& table, std::size_t width);

/// What the output can show.
struct TerminalStyle {
  bool interactive = false;  ///< a progress bar may be redrawn
  bool colour = false;       ///< off with NO_COLOR or when not a terminal
  bool utf8 = false;
  int width = 80;
};

/// Looks at a stream and the environment (NO_COLOR, TERM, COLUMNS, LC_ALL, LC_CTYPE, LANG).
TerminalStyle detect_style(std::FILE* stream);

/// Prints a lab's progress and results: coloured and redrawn on a terminal, plain lines elsewhere.
class Terminal {
 public:
  explicit Terminal(std::FILE* stream = stdout);
  Terminal(std::FILE* stream, TerminalStyle style);

  const TerminalStyle& style() const { return style_; }

  void line(std::string_view text);
  void heading(std::string_view text);
  /// Indented, broken between words where it is wider than the terminal.
  void paragraph(std::string_view text);
  void table(const Table& table);
  /// Broken between words where it is wider than the terminal.
  void verdict(const Claim& claim, const Verdict& verdict);

  /// Shows how far a run is. On a terminal one line is redrawn, and the cursor waits below it, so that what a shell or
  /// Ctrl-C prints there stands by itself; elsewhere each new step is one line.
  void progress(std::string_view step, double share_done, double seconds_left);
  /// Removes the progress bar, if one is drawn.
  void clear_progress();

 private:
  void emphasise(std::string_view text, const char* code);
  std::string progress_text(std::string_view step, int percent, double seconds_left) const;

  std::FILE* stream_;
  TerminalStyle style_;
  std::string last_step_;
  bool progress_drawn_ = false;
};

}  // namespace hf
