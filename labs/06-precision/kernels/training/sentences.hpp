/// \file
/// Text to learn from: sentences about animals, made by a grammar that defines the probability of each next word. The
/// lowest possible loss of a language model is therefore known: the grammar's entropy.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kit/random.hpp"

namespace hf::precision {

/// A full stop; the, a, every, two, many; big, small, old, young, quick, wise; dog, cat, fox, hen, worm, mouse, and
/// their plurals; chases, fears, sees, sleeps, and their plurals.
constexpr std::size_t vocabulary_size = 32;

/// Probability of each word to come next; they add up to 1.
using Chances = std::array<double, vocabulary_size>;

/// The information from earlier words that determines the probabilities of the next one.
struct SentenceState {
  enum class Part { determiner, noun, verb, object_determiner, object_noun, full_stop };
  Part part = Part::determiner;  ///< what comes next
  bool singular = true;          ///< whether the noun may be singular or, after it, was singular
  bool plural = true;            ///< the same for the plural
  bool adjective = false;        ///< whether an adjective precedes the coming noun
  int subject = 0;               ///< index of the animal
};

namespace grammar {

using Part = SentenceState::Part;
constexpr std::size_t full_stop = 0, determiners = 1, adjectives = 6, nouns = 12, verbs = 24;  // first index of each
constexpr std::size_t animals = 6, adjective_count = 6, verb_count = 4, sleeps = 3;
constexpr double adjective_chance = 0.4, favourite_chance = 0.75;
inline constexpr std::array<double, verb_count> verb_chances = {0.35, 0.25, 0.2, 0.2};

struct Determiner {
  double chance;
  bool singular, plural;
};
inline constexpr std::array<Determiner, 5> determiner_kinds = {
    {{0.4, true, true}, {0.2, true, false}, {0.1, true, false}, {0.2, false, true}, {0.1, false, true}}};

/// Probability that the subject chases, fears or sees this animal; the next animal in the list is the most likely one.
inline double object_chance(const SentenceState& state, std::size_t animal) {
  const std::size_t favourite = (static_cast<std::size_t>(state.subject) + 1) % animals;
  return animal == favourite ? favourite_chance : (1 - favourite_chance) / (animals - 1);
}

inline void add_adjectives_and_nouns(const SentenceState& state, Chances& chances) {
  const double adjective = state.adjective ? 0 : adjective_chance;
  for (std::size_t i = 0; i < adjective_count; ++i) chances[adjectives + i] = adjective / adjective_count;
  const double noun = (1 - adjective) / (state.singular && state.plural ? 2 : 1);
  for (std::size_t animal = 0; animal < animals; ++animal) {
    const double chance = state.part == Part::noun ? 1.0 / animals : object_chance(state, animal);
    if (state.singular) chances[nouns + animal] = noun * chance;
    if (state.plural) chances[nouns + animals + animal] = noun * chance;
  }
}

}  // namespace grammar

/// Probability of each word in this state.
inline Chances next_words(const SentenceState& state) {
  using namespace grammar;
  Chances chances = {};
  switch (state.part) {
    case Part::determiner:
    case Part::object_determiner:
      for (std::size_t i = 0; i < determiner_kinds.size(); ++i) chances[determiners + i] = determiner_kinds[i].chance;
      break;
    case Part::noun:
    case Part::object_noun: add_adjectives_and_nouns(state, chances); break;
    case Part::verb:
      for (std::size_t i = 0; i < verb_count; ++i) {
        chances[verbs + (state.plural ? verb_count : 0) + i] = verb_chances[i];
      }
      break;
    case Part::full_stop: chances[full_stop] = 1;
  }
  return chances;
}

/// The state after one more word. \pre the word is possible
inline SentenceState after(const SentenceState& state, std::size_t word) {
  using namespace grammar;
  if (word == full_stop) return {};
  SentenceState next = state;
  const bool is_subject = state.part == Part::determiner || state.part == Part::noun;
  if (word < adjectives) {
    const Determiner& kind = determiner_kinds[word - determiners];
    next = {is_subject ? Part::noun : Part::object_noun, kind.singular, kind.plural, false, state.subject};
  } else if (word < nouns) {
    next.adjective = true;
  } else if (word < verbs) {
    next.part = is_subject ? Part::verb : Part::full_stop;
    next.plural = word >= nouns + animals;
    next.singular = !next.plural;
    if (is_subject) next.subject = static_cast<int>((word - nouns) % animals);
  } else {
    next.part = (word - verbs) % verb_count == sleeps ? Part::full_stop : Part::object_determiner;
  }
  return next;
}

namespace grammar {

struct Expected {
  double nats, words;
};

/// Expected entropy and number of words of the rest of the sentence.
inline Expected expected_after(const SentenceState& state) {
  Expected expected = {0, 1};
  const Chances chances = next_words(state);
  for (std::size_t word = 0; word < vocabulary_size; ++word) {
    if (chances[word] == 0) continue;
    expected.nats -= chances[word] * std::log(chances[word]);
    if (word == full_stop) continue;
    const Expected rest = expected_after(after(state, word));
    expected.nats += chances[word] * rest.nats;
    expected.words += chances[word] * rest.words;
  }
  return expected;
}

/// \param random  in [0, 1)
inline std::size_t draw(const Chances& chances, double random) {
  std::size_t last = 0;
  for (std::size_t word = 0; word < vocabulary_size; ++word) {
    if (chances[word] == 0) continue;
    last = word;
    if ((random -= chances[word]) < 0) break;
  }
  return last;
}

}  // namespace grammar

/// Mean entropy of a word, given all words before it, nats.
inline double grammar_entropy() {
  const grammar::Expected sentence = grammar::expected_after({});
  return sentence.nats / sentence.words;
}

/// The number of preceding words that determine the state.
constexpr std::size_t words_seen = 4;

/// Words to predict, each from the words before it.
struct Examples {
  std::vector<int> seen;         ///< (rows, words_seen), in the order of the text
  std::vector<int> next;         ///< (rows)
  std::vector<Chances> chances;  ///< (rows): the probability of each word in that place

  std::size_t rows() const { return next.size(); }
};

/// Makes examples from a text of rows + words_seen words. \param sequence  of random numbers (kit/random.hpp)
inline Examples make_examples(std::size_t rows, std::uint64_t sequence) {
  Examples examples;
  std::vector<int> text;
  SentenceState state;
  for (std::size_t i = 0; i < rows + words_seen; ++i) {
    const Chances chances = next_words(state);
    const std::size_t word = grammar::draw(chances, (1 + static_cast<double>(random_number(sequence, i))) / 2);
    if (i >= words_seen) {
      examples.seen.insert(examples.seen.end(), text.end() - words_seen, text.end());
      examples.next.push_back(static_cast<int>(word));
      examples.chances.push_back(chances);
    }
    text.push_back(static_cast<int>(word));
    state = after(state, word);
  }
  return examples;
}

}  // namespace hf::precision
