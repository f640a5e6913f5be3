#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "harness/report/terminal.hpp"
#include "process.hpp"
#include "record/claims.hpp"

namespace {

/// The output of a terminal of a style.
std::string printed(const hf::TerminalStyle& style, const std::function<void(hf::Terminal&)>& print) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "out").string();
  std::FILE* stream = std::fopen(file.c_str(), "w");
  hf::Terminal terminal(stream, style);
  print(terminal);
  std::fclose(stream);
  return content(file);
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); });
}

}  // namespace

TEST_CASE("numbers have three significant digits") {
  CHECK(hf::number_text(0) == "0");
  CHECK(hf::number_text(1.0 / 12) == "0.0833");
  CHECK(hf::number_text(16.54) == "16.5");
  CHECK(hf::number_text(175.4) == "175");
  CHECK(hf::number_text(123456) == "123456");
  CHECK(hf::number_text(1.25e9) == "1.25e+09");
  CHECK(hf::number_text(-2.5) == "-2.50");
}

TEST_CASE("a table lines its columns up, however long a character is in bytes") {
  const std::string text = printed({}, [](hf::Terminal& terminal) {
    terminal.table({"Kernels", {"name", "GFLOP/s"}, {{"µ-kernel", "175"}, {"add", "1.4"}}});
  });
  CHECK(text == "\nKernels\n  name      GFLOP/s\n  µ-kernel      175\n  add           1.4\n");
}

TEST_CASE("a table wider than the terminal is broken between words, then folded") {
  const hf::Table table = {"", {"kernel", "predicted GFLOP/s", "measured GFLOP/s"}, {{"naive matmul", "12.5", "12.1"}}};
  const auto all = [](const hf::TableText& text) {
    std::vector<std::string> lines = text.heading;
    lines.insert(lines.end(), text.rows.begin(), text.rows.end());
    return lines;
  };
  using Lines = std::vector<std::string>;
  CHECK(all(hf::table_text(table, 80)) == Lines{"  kernel        predicted GFLOP/s  measured GFLOP/s",
                                                "  naive matmul               12.5              12.1"});
  CHECK(all(hf::table_text(table, 40)) == Lines{"                predicted  measured",  //
                                                "  kernel          GFLOP/s   GFLOP/s",  //
                                                "  naive matmul       12.5      12.1"});
  CHECK(all(hf::table_text(table, 32)) == Lines{"          predicted  measured",  //
                                                "  kernel    GFLOP/s   GFLOP/s",  //
                                                "  naive        12.5      12.1",  //
                                                "  matmul"});
  CHECK(all(hf::table_text(table, 27)) == Lines{"  kernel",                   //
                                                "      predicted  measured",  //
                                                "        GFLOP/s   GFLOP/s",  //
                                                "  naive matmul",             //
                                                "           12.5      12.1"});
  CHECK(all(hf::table_text(table, 24)) ==
        Lines{"  naive matmul", "      predicted GFLOP/s:", "      12.5", "      measured GFLOP/s:", "      12.1"});
}

TEST_CASE("a claim is broken between words, below itself") {
  hf::TerminalStyle narrow;
  narrow.width = 40;
  const std::string text = printed(narrow, [](hf::Terminal& terminal) {
    terminal.verdict({"a", "The nearest cache delivers three times the bandwidth.", "gain", ">= 3"},
                     {{{4, 4, 4}, "1", "measured"}, hf::Answer::holds});
  });
  CHECK(text ==
        "  holds  The nearest cache delivers\n         three times the bandwidth.\n         (claimed >= 3; measured "
        "4.00)\n");
}

TEST_CASE("a claim that is too close to call is told with its interval") {
  const std::string text = printed({}, [](hf::Terminal& terminal) {
    terminal.verdict({"a", "It pays.", "gain", ">= 2"}, {{{1.5, 2.5, 3}, "1", "measured"}, hf::Answer::too_close});
  });
  CHECK(text ==
        "  close  It pays. (claimed >= 2; measured 2.50, between 1.50 and 3.00: too close\n"
        "         to call)\n");
}

TEST_CASE("a claim about a number that was not measured has the number's kind in place of a verdict, or beside it") {
  const auto told = [](const char* kind, hf::Answer answer) {
    return printed({}, [&](hf::Terminal& terminal) {
      terminal.verdict({"a", "It pays.", "gain", ">= 2"}, {{{2.5, 2.5, 2.5}, "1", kind}, answer});
    });
  };
  CHECK(told("modelled", hf::Answer::holds) == "  modelled  It pays. (claimed >= 2; modelled 2.50)\n");
  CHECK(told("simulated", hf::Answer::fails) == "  fails  It pays. (claimed >= 2; simulated 2.50)\n");
}

TEST_CASE("a progress bar fits the terminal") {
  hf::TerminalStyle narrow{.interactive = true, .colour = false, .utf8 = true, .width = 40};
  const std::string text =
      printed(narrow, [](hf::Terminal& terminal) { terminal.progress("bandwidth of all threads", 0.5, 50); });
  CHECK(text == "  █████░░░░░ 50%  about 50 s left\n");
}

TEST_CASE("a paragraph is broken between words") {
  hf::TerminalStyle narrow;
  narrow.width = 12;
  const std::string text = printed(narrow, [](hf::Terminal& terminal) { terminal.paragraph("one two three four"); });
  CHECK(text == "  one two\n  three four\n");
}

TEST_CASE("where the output is no terminal there are no escapes and no redrawn lines") {
  const std::string text = printed({}, [](hf::Terminal& terminal) {
    terminal.progress("latency", 0.1, 50);
    terminal.progress("latency", 0.2, 45);
    terminal.progress("kernels", 0.5, 25);
    terminal.verdict({"a", "It pays.", "gain", ">= 2"}, {{{4, 4, 4}, "1", "measured"}, hf::Answer::holds});
  });
  CHECK(is_ascii(text));
  CHECK(text.starts_with("  10%  latency, about 50 s left\n  50%  kernels, about 25 s left\n"));
  CHECK(text.find("holds  It pays. (claimed >= 2; measured 4.00)") != std::string::npos);
}

TEST_CASE("a terminal is redrawn, with colour only where it is wanted") {
  const auto progress_and_claim = [](hf::Terminal& terminal) {
    terminal.progress("latency", 0.5, 50);
    terminal.verdict({"a", "It pays.", "gain", ">= 2"}, {{{1, 1, 1}, "1", "measured"}, hf::Answer::fails});
  };
  hf::TerminalStyle style{.interactive = true, .colour = false, .utf8 = false, .width = 80};
  const std::string plain = printed(style, progress_and_claim);
  CHECK(plain.starts_with(
      "  ##########.......... 50%  latency, about 50 s left\n"));  // the shell's addition has its own line
  CHECK(plain.find("left\n\x1b[A\r\x1b[K  fails") != std::string::npos);
  CHECK(plain.find("\x1b[31m") == std::string::npos);
  style.colour = true;
  CHECK(printed(style, progress_and_claim).find("\x1b[31mfails\x1b[0m") != std::string::npos);
}

TEST_CASE("a narrow terminal is narrow even if it can do nothing else") {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(master >= 0);
  REQUIRE(grantpt(master) == 0);
  REQUIRE(unlockpt(master) == 0);
  const winsize size = {.ws_row = 24, .ws_col = 47, .ws_xpixel = 0, .ws_ypixel = 0};
  REQUIRE(ioctl(master, TIOCSWINSZ, &size) == 0);
  CHECK(in_child([&] {
    setenv("TERM", "dumb", 1);
    std::FILE* const terminal = std::fopen(ptsname(master), "w");
    const hf::TerminalStyle style = hf::detect_style(terminal);
    return !style.interactive && style.width == 47;
  }));
  close(master);
}
