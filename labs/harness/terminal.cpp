#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "record/claims.hpp"
#include "text.hpp"

namespace hf {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// The first of the locale's variables that is set decides.
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

std::string number_text(double value) {
  if (value == 0 || !std::isfinite(value)) return value == 0 ? "0" : "-";
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value) * (1 + 1e-9))));
  char text[48];
  if (magnitude < -4 || magnitude > 6) {
    std::snprintf(text, sizeof text, "%.2e", value);
  } else {
    std::snprintf(text, sizeof text, "%.*f", std::max(2 - magnitude, 0), value);
  }
  return text;
}

TerminalStyle detect_style(std::FILE* stream) {
  TerminalStyle style;
  const std::string kind = environment("TERM");
  style.interactive = isatty(fileno(stream)) != 0 && !kind.empty() && kind != "dumb";
  style.colour = style.interactive && environment("NO_COLOR").empty();
  style.utf8 = locale_is_utf8();
  winsize size = {};
  if (style.interactive && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.width = size.ws_col;
  } else if (const int columns = std::atoi(environment("COLUMNS").c_str()); columns > 0) {
    style.width = columns;  // what stands between this process and the terminal may know no more
  }
  style.width = std::clamp(style.width, 40, 120);
  return style;
}

Terminal::Terminal(std::FILE* stream) : Terminal(stream, detect_style(stream)) {}

Terminal::Terminal(std::FILE* stream, TerminalStyle style) : stream_(stream), style_(style) {}

/// Prints with an ANSI attribute where colour is on.
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
  const std::string unit = verdict.unit == "1" ? "" : " " + verdict.unit;
  const std::string text = claim.text + " (" + number_text(verdict.observed) + unit + "; " + claim.bound + unit + ")";
  constexpr std::size_t indent = 9;  // "  holds  "
  std::fputs("  ", stream_);
  emphasise(verdict.holds ? "holds" : "fails", verdict.holds ? "32" : "31");
  std::string before = "  ";
  for (const std::string& each : wrapped(text, static_cast<std::size_t>(style_.width) - indent)) {
    line(before + each);
    before = std::string(indent, ' ');
  }
}

/// A bar and how much is left; the step's name where there is room for it.
std::string Terminal::progress_text(std::string_view step, int percent, double seconds_left) const {
  const int cells = style_.width < 60 ? 10 : 20;
  std::string bar = "  ";
  for (int cell = 0; cell < cells; ++cell) {
    const bool full = cell < percent * cells / 100;
    bar += full ? (style_.utf8 ? "█" : "#") : (style_.utf8 ? "░" : ".");
  }
  std::string share = " ", left = "about ";
  share.append(std::to_string(percent)).append(" %  ");
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
    std::fprintf(stream_, "  %d %%  %.*s, about %s left\n", percent, static_cast<int>(step.size()), step.data(),
                 duration_text(seconds_left).c_str());
  }
  last_step_ = step;
  std::fflush(stream_);
}

void Terminal::clear_progress() {
  if (!progress_drawn_) return;
  std::fputs("\x1b[A\r\x1b[K", stream_);  // up to the bar, and away with it
  std::fflush(stream_);
  progress_drawn_ = false;
}

}  // namespace hf
