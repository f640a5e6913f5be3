/// \file
/// Shows a lab's progress, tables and claims in the terminal.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "harness/measure/number_text.hpp"  // IWYU pragma: export
#include "record/claims.hpp"

namespace hf {

/// A table of texts; numbers in a column should have the same unit, given in its heading.
struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< each has at least a name for the first column
};

/// A table as lines, with the heading separate.
struct TableText {
  std::vector<std::string> heading, rows;
};

/// Lays out a table in \p width columns of the terminal. If it is too wide, breaks the headings between words, then the
/// names in its first column; then puts each name on its own line; then each cell, after its heading.
TableText table_text(const Table& table, std::size_t width);

/// The abilities of the output.
struct TerminalStyle {
  bool interactive = false;  ///< a progress bar may be redrawn
  bool colour = false;       ///< off with NO_COLOR or if not a terminal
  bool utf8 = false;
  int width = 80;
};

/// Detects the style from a stream and the environment (NO_COLOR, TERM, COLUMNS, LC_ALL, LC_CTYPE, LANG).
TerminalStyle detect_style(std::FILE* stream);

/// Prints a lab's progress and results: coloured and redrawn on a terminal, plain lines elsewhere.
class Terminal {
 public:
  explicit Terminal(std::FILE* stream = stdout);
  Terminal(std::FILE* stream, TerminalStyle style);

  const TerminalStyle& style() const { return style_; }

  void line(std::string_view text);
  void heading(std::string_view text);
  /// Prints an indented paragraph, broken between words to fit the terminal.
  void paragraph(std::string_view text);
  void table(const Table& table);
  /// Prints a claim and its verdict, broken between words to fit the terminal.
  void verdict(const Claim& claim, const Verdict& verdict);

  /// Shows how far a run is. On a terminal, redraws one line and leaves the cursor below it, so that output from a
  /// shell or Ctrl-C gets its own line; elsewhere prints one line per step.
  void progress(std::string_view step, double share_done, double seconds_left);
  /// Removes the progress bar if one is drawn.
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
