// record diff BEFORE AFTER
//   Lists the changes beyond the noise; exit status 1 if a claim in the lab's current claims.json flipped.
// record diff --git PATH OLD-FILE OLD-HASH OLD-MODE NEW-FILE NEW-HASH NEW-MODE
//   The same as git asks for it (gitattributes(5), "Defining an external diff driver"), for records under
//   `git config diff.record.command 'build/bin/record diff --git'`. Always status 0, or git would stop there.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "record/check.hpp"
#include "record/claims.hpp"
#include "record/diff.hpp"
#include "record/reading.hpp"
#include "record/record.hpp"

namespace hf {
namespace {

using Row = std::vector<std::string>;

std::string short_text(double value) { return digits(value, 4); }

std::string percent(double before, double after) {
  if (before == 0) return "";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.1f %%", 100 * (after / before - 1));
  return text.data();
}

// Columns on a terminal: continuation bytes of UTF-8 take none.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// Aligns the first column left, the others right, and leaves the last as it is.
void print(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  for (const Row& row : rows) {
    std::string text = "  " + row[0] + std::string(widths[0] - width(row[0]), ' ');
    for (std::size_t i = 1; i + 1 < row.size(); ++i)
      text += "  " + std::string(widths[i] - width(row[i]), ' ') + row[i];
    std::cout << text << "  " << row.back() << "\n";
  }
}

bool use_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0');
}

void heading(const std::string& text) { std::cout << (use_colour() ? "\033[1m" + text + "\033[0m" : text) << "\n"; }

std::string origin(const std::string& role, const std::string& file, const Json& record) {
  return role + ": " + printable(file) + ", " + record.at("/machine/cpu"_json_pointer).get<std::string>() + ", " +
         record.at("/run/started"_json_pointer).get<std::string>() + ", " +
         record.at("/run/budget"_json_pointer).get<std::string>();
}

void print_flips(const std::string& title, const std::vector<Flip>& flips, bool contradictions) {
  std::vector<Row> rows;
  for (const Flip& flip : flips) {
    if (flip.is_contradiction() != contradictions) continue;
    rows.push_back({flip.id, std::string(words(flip.before)) + " → " + words(flip.after),
                    short_text(flip.observed_before), "→ " + short_text(flip.observed_after), "bound " + flip.bound});
  }
  if (rows.empty()) return;
  heading(title);
  print(rows);
}

void print_moves(const std::string& title, const std::vector<Move>& moves) {
  if (moves.empty()) return;
  heading(title);
  std::vector<Row> rows;
  for (const Move& move : moves) {
    rows.push_back({move.name, short_text(move.before), "→ " + short_text(move.after), percent(move.before, move.after),
                    move.unit});
  }
  print(rows);
}

// Git's name for a side of the difference that does not exist.
void introduce(const std::string& what, const std::string& file) {
  const Json record = load_record(file);
  std::cout << origin(what, file, record) << "\n";
}

}  // namespace

int diff_command(const Tool& tool, const std::string& before_file, const std::string& after_file) {
  const Json before = as_read(load_record(before_file), tool.labs());
  const Json after = as_read(load_record(after_file), tool.labs());
  const auto lab = [](const Json& record) { return record.at("/lab/id"_json_pointer).get<std::string>(); };
  if (lab(before) != lab(after)) {
    throw FileError(printable(after_file) + ": /lab/id: expected " + lab(before) + ", not " + lab(after) +
                    "; compare two records of one lab");
  }
  const std::vector<Claim> claims = load_claims(tool.labs(), lab(after));
  const Difference changed = difference(before, after, claims);
  std::cout << origin("before", before_file, before) << "\n" << origin("after", after_file, after) << "\n";
  print_flips("Claims that flipped", changed.flips, true);
  print_flips("Claims that are, or were, too close to call", changed.flips, false);
  print_moves("Values that moved beyond the noise", changed.values);
  print_moves("Points that moved beyond the noise", changed.points);
  if (!changed.missing.empty()) heading("In only one of the two");
  for (const std::string& text : changed.missing) std::cout << "  " << text << "\n";
  const bool flipped = std::ranges::any_of(changed.flips, &Flip::is_contradiction);
  if (!flipped && !claims.empty()) std::cout << "No claim flipped.\n";
  return flipped ? 1 : 0;
}

int git_diff_command(const Tool& tool, const Files& words) {
  const std::string nothing = "/dev/null";
  heading("record " + printable(words.front()));
  try {
    if (words.size() < 7) {
      std::cout << "not merged\n";
    } else if (words[1] == nothing || words[4] == nothing) {
      words[1] == nothing ? introduce("new", words[4]) : introduce("removed", words[1]);
    } else {
      diff_command(tool, words[1], words[4]);
    }
  } catch (const FileError& error) {
    std::cout << error.what() << "\n";
  }
  return 0;
}

}  // namespace hf
