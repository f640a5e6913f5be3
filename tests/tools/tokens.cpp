// record-tokens FILE...: prints the text of each file's tokens after a line "== FILE"; only a line "?? FILE" if its
// bytes count.
#include "record/tokens.hpp"

#include <cstddef>
#include <iostream>
#include <optional>
#include <string>

#include "record/file.hpp"

int main(int count, char** names) {
  constexpr std::size_t most = std::size_t{16} << 20;
  for (int i = 1; i < count; ++i) {
    const std::optional<std::string> tokens = hf::tokens_of(hf::read_file(names[i], most));
    std::cout << (tokens ? "== " : "?? ") << names[i] << '\n' << tokens.value_or("");
  }
}
