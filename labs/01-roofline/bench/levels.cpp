#include "01-roofline/bench/levels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/machine/machine.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/statistics.hpp"

namespace hf::roofline {
namespace {

const Axis working_set = {"working set", "B"};

constexpr std::ptrdiff_t most_levels = 4;  // three caches and memory
constexpr double tolerance = 0.12;         // largest distance from the median of a plateau
constexpr double one_level = 0.4;          // levels of one machine differ by more than this

std::string cache_name(std::size_t index) { return "L" + std::to_string(index + 1); }

double median_between(const std::vector<double>& y, std::size_t first, std::size_t last) {
  std::vector<double> part(y.begin() + static_cast<std::ptrdiff_t>(first),
                           y.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  std::sort(part.begin(), part.end());
  const std::size_t middle = part.size() / 2;
  return part.size() % 2 == 1 ? part[middle] : std::sqrt(part[middle - 1] * part[middle]);
}

/// Returns how far apart two speeds are, in either order: 0.1 for a factor of 1.1.
double distance(double a, double b) { return std::max(a / b, b / a) - 1; }

/// Returns the longest range within [first, last] whose points stay near their median.
Plateau longest_stretch(const std::vector<double>& y, std::size_t first, std::size_t last) {
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

/// Collects the longest range, then those before and after it.
void collect(const std::vector<double>& y, std::size_t first, std::size_t last, std::vector<Plateau>& to) {
  if (first >= last) return;
  const Plateau found = longest_stretch(y, first, last);
  if (found.first == found.last) return;
  if (found.first > first) collect(y, first, found.first - 1, to);
  to.push_back(found);
  if (found.last < last) collect(y, found.last + 1, last, to);
}

/// Returns how many of the caches are too small for a working set: 0 if the first holds it.
std::size_t outgrown(std::size_t bytes, const std::vector<std::uint64_t>& caches) {
  return static_cast<std::size_t>(std::lower_bound(caches.begin(), caches.end(), bytes) - caches.begin());
}

/// Joins neighbouring plateaus on one level, such as two halves with a dent between them.
/// \param within  callable: returns the number of the cache that a plateau is in
template <class Within>
std::vector<Plateau> joined(const std::vector<double>& y, const std::vector<Plateau>& plateaus, Within within) {
  std::vector<Plateau> result;
  for (const Plateau& plateau : plateaus) {
    if (!result.empty() && within(result.back()) == within(plateau) &&
        distance(result.back().level, plateau.level) <= one_level) {
      result.back().last = plateau.last;
      result.back().level = median_between(y, result.back().first, plateau.last);
    } else {
      result.push_back(plateau);
    }
  }
  return result;
}

/// Drops the shortest plateau that is not the last, of equal ones the last. On a slope two or three points may look
/// level, before a cache and behind the last one, where other users of it have an effect.
void drop_shortest_cache(std::vector<Plateau>& plateaus) {
  const auto points = [](const Plateau& plateau) { return plateau.last - plateau.first; };
  auto shortest = plateaus.begin();
  for (auto each = plateaus.begin(); each + 1 != plateaus.end(); ++each) {
    if (points(*each) <= points(*shortest)) shortest = each;
  }
  plateaus.erase(shortest);
}

std::vector<Plateau> named_by_order(std::vector<Plateau> plateaus) {
  while (std::ssize(plateaus) > most_levels) drop_shortest_cache(plateaus);
  for (std::size_t i = 0; i + 1 < plateaus.size(); ++i) plateaus[i].name = cache_name(i);
  return plateaus;
}

/// Keeps the first plateau within each cache: later ones are on the slope to the next, where other users occupy a part
/// of this cache. A plateau as slow as memory belongs to no cache.
template <class Within>
std::vector<Plateau> named_by_size(const std::vector<Plateau>& plateaus, std::size_t caches, Within within) {
  std::vector<Plateau> result;
  std::size_t next = 0;  // the first cache without a plateau
  for (const Plateau& plateau : plateaus) {
    const std::size_t cache = within(plateau);
    if (cache < next || cache >= caches || distance(plateau.level, plateaus.back().level) <= one_level) continue;
    result.push_back(plateau);
    result.back().name = cache_name(cache);
    next = cache + 1;
  }
  result.push_back(plateaus.back());
  return result;
}

}  // namespace

std::vector<std::uint64_t> cache_sizes(const Machine& machine) {
  std::vector<std::uint64_t> sizes;
  for (int level = 1; machine.cache_bytes(level) > 0; ++level) sizes.push_back(machine.cache_bytes(level));
  return std::is_sorted(sizes.begin(), sizes.end()) ? sizes : std::vector<std::uint64_t>();
}

std::vector<Plateau> find_plateaus(const std::vector<double>& y, const std::vector<std::size_t>& bytes,
                                   const std::vector<std::uint64_t>& caches) {
  if (y.empty()) throw std::invalid_argument("find_plateaus: expected at least one point");
  if (!caches.empty() && bytes.size() != y.size())
    throw std::invalid_argument("find_plateaus: expected a working set for each point");
  std::vector<Plateau> plateaus;
  const std::size_t last = y.size() - 1;
  collect(y, 0, last, plateaus);
  // Memory has no upper end, so the last point always lies on it.
  if (plateaus.empty() || plateaus.back().last != last) plateaus.push_back({"", last, last, y[last]});
  const auto within = [&](const Plateau& plateau) {
    return caches.empty() ? 0 : outgrown(bytes[representative(plateau)], caches);
  };
  plateaus = joined(y, plateaus, within);
  plateaus = caches.empty() ? named_by_order(plateaus) : named_by_size(plateaus, caches.size(), within);
  plateaus.back().name = "DRAM";
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
  const std::string name = cache_name(number - 1);
  const auto found = std::find_if(plateaus_.begin(), plateaus_.end() - 1,
                                  [&](const Plateau& plateau) { return plateau.name >= name; });
  return ladder_.y[representative(*found)];
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
