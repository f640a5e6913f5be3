/// \file
/// Text to learn from: sentences about animals, made by a grammar that says how likely each next word is. So it is known
/// what the best of all language models loses: the grammar's entropy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hf::precision {

constexpr std::size_t vocabulary_size = 32;
extern const std::array<const char*, vocabulary_size> vocabulary;

/// How likely each word is to come next: adds up to 1.
using Chances = std::array<double, vocabulary_size>;

/// What of the words so far decides how likely each next one is.
struct SentenceState {
  enum class Part { determiner, noun, verb, object_determiner, object_noun, full_stop };
  Part part = Part::determiner;  ///< what comes next
  bool singular = true;          ///< whether the noun may be that, or was
  bool plural = true;
  bool adjective = false;  ///< whether there was one before the noun that is to come
  int subject = 0;         ///< which animal
};

Chances next_words(const SentenceState& state);

/// The state after one more word. \pre the word is possible
SentenceState after(const SentenceState& state, std::size_t word);

/// Mean entropy of a word when all before it are known: nats.
double grammar_entropy();

/// So many words, the last ones, are enough to know the state.
constexpr std::size_t words_seen = 4;

/// Words to be guessed, each from those before it.
struct Examples {
  std::vector<int> seen;         ///< (rows, words_seen), in the order of the text
  std::vector<int> next;         ///< (rows)
  std::vector<Chances> chances;  ///< (rows): of each word to have come next

  std::size_t rows() const { return next.size(); }
};

/// A text of so many words, and a few before them. \param sequence  of random numbers (common/random.hpp)
Examples make_examples(std::size_t rows, std::uint64_t sequence);

/// As it is written.
std::string spell(std::span<const int> words);

}  // namespace hf::precision
