#include "tokens.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hf {
namespace {

using Text = std::string_view;

const std::set<Text> kEncodings = {"", "u8", "u", "U", "L"}, kRawPrefixes = {"R", "u8R", "uR", "UR", "LR"};
// Words before a header's name, in which `//` does not begin a comment; `include` is handled separately.
const std::set<Text> kBeforeHeaders = {"import", "include_next", "__has_include", "__has_include_next"};
constexpr Text kPunctuators[] = {"%:%:", "<=>", "->*", "...", "<<=", ">>=", "::", ".*", "->", "+=", "-=",
                                 "*=",   "/=",  "%=",  "^=",  "&=",  "|=",  "==", "!=", "<=", ">=", "&&",
                                 "||",   "<<",  ">>",  "++",  "--",  "##",  "<:", ":>", "<%", "%>", "%:"};

// Functions whose texts are only shown.
const std::set<Text> kShowing = {"shown_as", "note", "incomplete", "show"};

/// Thrown if a compiler might read the source differently.
struct Doubt {};

void require(bool certain) {
  if (!certain) throw Doubt();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool in_name(char c) { return is_letter(c) || is_digit(c) || c == '$' || static_cast<unsigned char>(c) >= 0x80; }

bool begins_with_quote(Text text) { return text.starts_with('"') || text.starts_with('\''); }

// The following functions return the length of one kind of token at the start of `text`; 0 if another kind is there.

std::size_t name_length(Text text) {
  if (text.empty() || is_digit(text[0])) return 0;
  return static_cast<std::size_t>(std::ranges::find_if_not(text, in_name) - text.begin());
}

std::size_t number_length(Text text) {
  std::size_t end = text.starts_with('.') ? 1 : 0;
  if (end == text.size() || !is_digit(text[end])) return 0;
  for (++end; end < text.size(); ++end) {
    const bool sign = (text[end] == '+' || text[end] == '-') && Text("eEpP").find(text[end - 1]) != Text::npos;
    const char next = end + 1 < text.size() ? text[end + 1] : ' ';
    const bool separator = text[end] == '\'' && (is_digit(next) || is_letter(next));
    if (!in_name(text[end]) && text[end] != '.' && !sign && !separator) break;
  }
  return end;
}

// The length of a literal, from its opening quote to the closing one.
std::size_t quoted_length(Text text) {
  std::size_t end = 1;
  for (; end < text.size() && text[end] != text[0]; ++end) {
    if (text[end] == '\\') ++end;
    require(end < text.size() && text[end] != '\n');
  }
  require(end < text.size());
  return end + 1;
}

std::size_t raw_length(Text text) {
  const std::size_t open = text.find_first_of("( )\\\t\n", 1);
  require(open != Text::npos && text[open] == '(' && open <= 17);  // the delimiter has 16 characters at most
  const std::string close = ")" + std::string(text.substr(1, open - 1)) + "\"";
  const std::size_t end = text.find(close, open);
  require(end != Text::npos);
  return end + close.size();
}

// The length of a name, or of a literal with its prefix and suffix. Compilers disagree on whether R in "a"R"(b)" is a
// suffix.
std::size_t word_length(Text text) {
  std::size_t length = name_length(text);
  const Text name = text.substr(0, length), after = text.substr(length);
  const bool raw = after.starts_with('"') && kRawPrefixes.contains(name);
  if (!raw && !(begins_with_quote(after) && kEncodings.contains(name))) return length;
  length += raw ? raw_length(after) : quoted_length(after);
  const std::size_t suffix = name_length(text.substr(length));
  require(suffix == 0 || !begins_with_quote(text.substr(length + suffix)));
  return length + suffix;
}

std::size_t punctuator_length(Text text) {
  // In a<::b> the first character is a token by itself; in <::> and <::: the first two are a bracket.
  if (text.starts_with("<::") && !text.starts_with("<::>") && !text.starts_with("<:::")) return 1;
  const auto* longer = std::ranges::find_if(kPunctuators, [&](Text one) { return text.starts_with(one); });
  if (longer != std::end(kPunctuators)) return longer->size();
  return Text("{}[]()<>;:?.~!+-*/%^&|=,#").find(text[0]) == Text::npos ? 0 : 1;
}

// The length of a comment, or of a blank other than a newline.
std::size_t blank_length(Text text) {
  if (text[0] == ' ' || text[0] == '\t') return 1;
  const bool line = text.starts_with("//");
  if (!line && !text.starts_with("/*")) return 0;
  const std::size_t end = line ? std::min(text.find('\n'), text.size()) : text.find("*/", 2);
  require(end != Text::npos);
  // A backslash joins its line with the next one; most compilers allow blanks between it and the newline.
  const Text comment = text.substr(0, end + 1);
  for (std::size_t at = comment.find('\n'); at != Text::npos; at = comment.find('\n', at + 1)) {
    require(text[text.find_last_not_of(" \t", at - 1)] != '\\');
  }
  return line ? end : end + 2;
}

// The length of the next token, given the tokens before it in its directive.
std::size_t token_length(Text text, const std::vector<Text>& before = {}) {
  const bool names_header = before == std::vector<Text>{"include"} && (text[0] == '<' || text[0] == '"');
  if (names_header) {
    const std::size_t end = text.find_first_of(text[0] == '<' ? ">\n" : "\"\n", 1);
    require(end != Text::npos && text[end] != '\n');
    return end + 1;
  }
  std::size_t length = word_length(text);
  if (length == 0) length = number_length(text);
  if (length == 0) length = punctuator_length(text);
  require(length != 0 && !kBeforeHeaders.contains(text.substr(0, length)));
  const bool has_parameters = before == std::vector<Text>{"define"} && text.substr(length).starts_with('(');
  return has_parameters ? length + 1 : length;
}

std::string line_of(Text token) {
  std::string line(token);
  std::ranges::replace(line, '\n', '\r');
  return line + '\n';
}

// Consumes the rest of a directive after its #, up to the newline that ends it, and returns its lines.
std::string take_directive(Text& rest) {
  std::vector<Text> tokens;
  while (!rest.empty() && rest[0] != '\n') {
    const bool goes_on = rest.starts_with(" \\\n") || rest.starts_with("\t\\\n");
    std::size_t length = goes_on ? 3 : blank_length(rest);
    if (length == 0) tokens.push_back(rest.substr(0, length = token_length(rest, tokens)));
    rest.remove_prefix(length);
  }
  if (tokens.size() == 2 && tokens[0] == "include" && tokens[1].starts_with('"')) return "";
  std::string lines = "[#\n";
  for (const Text token : tokens) lines += line_of(token);
  return lines + "#]\n";
}

bool is_text(Text token) { return token.ends_with('"') && !token.starts_with('\''); }

std::string take_source(Text rest) {
  std::string lines;
  Text before;            // the token before
  std::size_t shown = 0;  // the parentheses that are open, from that of a function that shows its texts
  for (bool line_begins = true; !rest.empty();) {
    const std::size_t blank = rest[0] == '\n' ? 1 : blank_length(rest);
    const Text next = rest.substr(0, blank > 0 ? blank : token_length(rest));
    rest.remove_prefix(next.size());
    const bool directive = next == "#" && line_begins;
    require(directive || !(next.starts_with('#') || next.starts_with("%:")));
    if (directive) {
      lines += take_directive(rest);
    } else if (blank == 0) {
      if (next == "(" && (shown > 0 || kShowing.contains(before))) ++shown;
      if (next == ")" && shown > 0) --shown;
      if (shown == 0 || !is_text(next)) lines += line_of(next);
      before = next;
    }
    line_begins = next == "\n" || (line_begins && blank > 0);
  }
  return lines;
}

}  // namespace

std::optional<std::string> tokens_of(std::string_view source) try {
  for (std::size_t at = 0; (at = source.find('\r', at)) != Text::npos; ++at) {
    require(source.substr(at).starts_with("\r\n"));
  }
  std::string text(source);
  std::erase(text, '\r');
  // A compiler with trigraphs reads the last of these as a backslash.
  require(text.find_first_of(Text("\0\v\f", 3)) == Text::npos && text.find("?\?/") == Text::npos);
  return take_source(text);
} catch (const Doubt&) {
  return std::nullopt;
}

}  // namespace hf
