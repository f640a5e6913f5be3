#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

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

/// Columns that UTF-8 text takes, at one per code point.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string pad(const std::string& text, std::size_t width, bool right) {
  const std::string spaces(width > columns(text) ? width - columns(text) : 0, ' ');
  return right ? spaces + text : text + spaces;
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
  if (style.interactive && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.width = size.ws_col;
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
  std::istringstream words{std::string(text)};
  std::string present;
  for (std::string word; words >> word;) {
    if (!present.empty() && columns(present) + 1 + columns(word) > static_cast<std::size_t>(style_.width)) {
      line(present);
      present.clear();
    }
    present += (present.empty() ? "  " : " ") + word;
  }
  if (!present.empty()) line(present);
}

void Terminal::table(const Table& table) {
  heading(table.title);
  std::vector<std::size_t> widths(table.columns.size());
  const auto measure = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i)
      widths[i] = std::max(widths[i], columns(row[i]));
  };
  measure(table.columns);
  for (const auto& row : table.rows) measure(row);
  const auto text_of = [&](const std::vector<std::string>& row) {
    std::string text;
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i) text += "  " + pad(row[i], widths[i], i > 0);
    return text.substr(0, text.find_last_not_of(' ') + 1);
  };
  emphasise(text_of(table.columns), "2");
  std::fputc('\n', stream_);
  for (const auto& row : table.rows) line(text_of(row));
}

void Terminal::plot(std::string_view title, std::span<const Series* const> series) {
  heading(title);
  std::fputs(plot_text(series, style_).c_str(), stream_);
  std::fflush(stream_);
}

void Terminal::claim(const Claim& claim) {
  clear_progress();
  std::fputs("  ", stream_);
  emphasise(claim.holds ? "holds" : "fails", claim.holds ? "32" : "31");
  const std::string unit = claim.unit == "1" ? "" : " " + claim.unit;
  line("  " + claim.text + " (" + number_text(claim.observed) + unit + "; " + claim.bound + unit + ")");
}

void Terminal::progress(std::string_view step, double share_done, double seconds_left) {
  const int percent = static_cast<int>(100 * std::clamp(share_done, 0.0, 1.0));
  std::string text =
      std::to_string(percent) + " %  " + std::string(step) + ", about " + duration_text(seconds_left) + " left";
  if (style_.interactive) {
    constexpr int cells = 20;
    const int full = percent * cells / 100;
    std::string bar;
    for (int cell = 0; cell < cells; ++cell) bar += cell < full ? (style_.utf8 ? "█" : "#") : (style_.utf8 ? "░" : ".");
    const auto room = static_cast<std::size_t>(style_.width - cells - 4);
    std::fprintf(stream_, "\r\x1b[K  %s %s", bar.c_str(), text.substr(0, room).c_str());
    progress_drawn_ = true;
  } else if (last_step_ != step) {
    std::fprintf(stream_, "  %s\n", text.c_str());
  }
  last_step_ = step;
  std::fflush(stream_);
}

void Terminal::clear_progress() {
  if (!progress_drawn_) return;
  std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
  progress_drawn_ = false;
}

}  // namespace hf
