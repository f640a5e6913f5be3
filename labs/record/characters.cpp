#include "characters.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace hf {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// The first character of `text`, which is not empty; one byte if it is not UTF-8.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = byte(0) < 0x80             ? 1
                            : (byte(0) & 0xe0) == 0xc0 ? 2
                            : (byte(0) & 0xf0) == 0xe0 ? 3
                            : (byte(0) & 0xf8) == 0xf0 ? 4
                                                       : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  char32_t code = bytes == 1 ? byte(0) : byte(0) & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // by length in bytes: longer encodings hide a character
  if (code < kLeast[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, bytes, true};
}

bool within(char32_t code, char32_t first, char32_t last) { return code >= first && code <= last; }

const char* fault(const Character& character) {
  const char32_t code = character.code;
  if (!character.valid) return "bytes that are not UTF-8";
  if (code < 0x20 || within(code, 0x7f, 0x9f) || within(code, 0x2028, 0x2029)) return "control characters";
  if (code == 0x61c || within(code, 0x200e, 0x200f) || within(code, 0x202a, 0x202e) || within(code, 0x2066, 0x2069)) {
    return "bidirectional controls";
  }
  if (code == 0xad || within(code, 0x115f, 0x1160) || code == 0x180e || within(code, 0x200b, 0x200d) ||
      within(code, 0x2060, 0x2064) || code == 0x2800 || code == 0x3164 || code == 0xfeff || code == 0xffa0 ||
      within(code, 0xe0000, 0xe007f)) {
    return "invisible characters";
  }
  if (within(code, 0xfdd0, 0xfdef) || (code & 0xfffe) == 0xfffe) return "noncharacters";
  return nullptr;
}

bool is_accent(char32_t code) {
  return within(code, 0x300, 0x36f) || within(code, 0x1ab0, 0x1aff) || within(code, 0x1dc0, 0x1dff) ||
         within(code, 0x20d0, 0x20ff) || within(code, 0xfe20, 0xfe2f);
}

}  // namespace

std::string dishonest_characters(std::string_view text) {
  constexpr int most_accents = 3;  // on one letter, as in Vietnamese and in transcriptions
  for (int accents = 0; !text.empty();) {
    const Character character = first_of(text);
    if (const char* found = fault(character)) return found;
    accents = is_accent(character.code) ? accents + 1 : 0;
    if (accents > most_accents) return "accents on accents";
    text.remove_prefix(character.bytes);
  }
  return "";
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Character character = first_of(text);
    for (const char c : text.substr(0, character.bytes)) {
      const auto byte = static_cast<unsigned char>(c);
      shown += fault(character) == nullptr
                   ? std::string(1, c)
                   : std::string("\\x") + "0123456789abcdef"[byte >> 4] + "0123456789abcdef"[byte & 15];
    }
    text.remove_prefix(character.bytes);
  }
  return shown;
}

}  // namespace hf
