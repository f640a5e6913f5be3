#include "01-roofline/bench/levels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/measure/results.hpp"
#include "harness/measure/statistics.hpp"

namespace hf::roofline {
namespace {

const Axis working_set = {"working set", "B"};

constexpr std::ptrdiff_t most_levels = 4;  // three caches and memory
constexpr double one_level = 0.4;          // levels of one machine differ by more than this

double median_between(const std::vector<double>& y, std::size_t first, std::size_t last) {
  std::vector<double> part(y.begin() + static_cast<std::ptrdiff_t>(first),
                           y.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  std::sort(part.begin(), part.end());
  const std::size_t middle = part.size() / 2;
  return part.size() % 2 == 1 ? part[middle] : std::sqrt(part[middle - 1] * part[middle]);
}

/// How far apart two speeds are, whichever is the larger: 0.1 for a factor of 1.1.
double distance(double a, double b) { return std::max(a / b, b / a) - 1; }

/// The longest stretch within [first, last] whose points stay near their median.
Plateau longest_stretch(const std::vector<double>& y, std::size_t first, std::size_t last, double tolerance) {
  Plateau best = {"", first, first, y[first]};
  for (std::size_t from = first; from <= last; ++from) {
    for (std::size_t to = from + 1; to <= last; ++to) {
      const double level = median_between(y, from, to);
      const auto near = [&](double value) { return distance(value, level) <= tolerance; };
      const auto begin = y.begin() + static_cast<std::ptrdiff_t>(from),
                 end = y.begin() + static_cast<std::ptrdiff_t>(to) + 1;
      if (to - from > best.last - best.first && std::all_of(begin, end, near)) best = {"", from, to, level};
    }
  }
  return best;
}

/// Longest stretches first, then those that fit between them.
void collect(const std::vector<double>& y, std::size_t first, std::size_t last, double tolerance,
             std::vector<Plateau>& to) {
  if (first >= last) return;
  const Plateau found = longest_stretch(y, first, last, tolerance);
  if (found.first == found.last) return;
  if (found.first > first) collect(y, first, found.first - 1, tolerance, to);
  to.push_back(found);
  if (found.last < last) collect(y, found.last + 1, last, tolerance, to);
}

/// Joins neighbours on one level, such as the two halves of a plateau with a dent.
std::vector<Plateau> joined(const std::vector<double>& y, const std::vector<Plateau>& plateaus) {
  std::vector<Plateau> result;
  for (const Plateau& plateau : plateaus) {
    if (!result.empty() && distance(result.back().level, plateau.level) <= one_level) {
      result.back().last = plateau.last;
      result.back().level = median_between(y, result.back().first, plateau.last);
    } else {
      result.push_back(plateau);
    }
  }
  return result;
}

/// On a slope two or three points may look level too, before a cache as well as behind the last, where others' use of it
/// shows: the shortest stretch is none, of equal ones the last.
void drop_shortest_cache(std::vector<Plateau>& plateaus) {
  const auto points = [](const Plateau& plateau) { return plateau.last - plateau.first; };
  auto shortest = plateaus.begin();
  for (auto each = plateaus.begin(); each + 1 != plateaus.end(); ++each) {
    if (points(*each) <= points(*shortest)) shortest = each;
  }
  plateaus.erase(shortest);
}

}  // namespace

std::vector<Plateau> find_plateaus(const std::vector<double>& y, double tolerance) {
  if (y.empty()) throw std::invalid_argument("find_plateaus: expected at least one point");
  std::vector<Plateau> plateaus;
  const std::size_t last = y.size() - 1;
  collect(y, 0, last, tolerance, plateaus);
  // Memory is the level without an end, so the last point lies on it whatever the points before it do.
  if (plateaus.empty() || plateaus.back().last != last) plateaus.push_back({"", last, last, y[last]});
  plateaus = joined(y, plateaus);
  while (std::ssize(plateaus) > most_levels) drop_shortest_cache(plateaus);
  constexpr const char* names[most_levels] = {"L1", "L2", "L3", "DRAM"};
  for (std::size_t i = 0; i + 1 < plateaus.size(); ++i) plateaus[i].name = names[i];
  plateaus.back().name = names[most_levels - 1];
  return plateaus;
}

std::size_t representative(const Plateau& plateau) {
  return plateau.name == "DRAM" ? plateau.last : (plateau.first + plateau.last) / 2;
}

std::vector<double> Ladder::medians() const {
  std::vector<double> result;
  for (const Estimate& estimate : y) result.push_back(estimate.median);
  return result;
}

Series Ladder::series(std::string id, std::string label, const Axis& quantity) const {
  Series series = {std::move(id), std::move(label), Kind::measured, working_set, quantity};
  for (std::size_t i = 0; i < bytes.size(); ++i) series.points.emplace_back(static_cast<double>(bytes[i]), y[i]);
  return series;
}

const Estimate& Levels::cache(std::size_t number) const {
  return ladder_.y[representative(plateaus_[std::min(number, plateaus_.size()) - 1])];
}

Series Levels::series(std::string id, std::string label, const Axis& quantity) const {
  Series series = {std::move(id), std::move(label), Kind::measured, working_set, quantity};
  for (const Plateau& plateau : plateaus_) {
    series.points.emplace_back(static_cast<double>(ladder_.bytes[plateau.last]), ladder_.y[representative(plateau)],
                               plateau.name);
  }
  return series;
}

}  // namespace hf::roofline
