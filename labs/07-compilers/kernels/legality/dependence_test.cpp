#include "07-compilers/kernels/legality/dependence_test.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/random.hpp"

namespace hf::compilers {

std::int64_t value(const Affine& affine, const LoopVector& iteration) {
  return std::inner_product(iteration.begin(), iteration.end(), affine.factors.begin(), affine.constant);
}

LoopVector element(const Access& access, const LoopVector& iteration) {
  LoopVector subscripts;
  for (const Affine& subscript : access.subscripts) subscripts.push_back(value(subscript, iteration));
  return subscripts;
}

void visit_iterations(const LoopNest& nest, const std::function<void(const LoopVector&)>& visit) {
  if (std::ranges::any_of(nest.extents, [](std::int64_t extent) { return extent < 1; })) return;
  LoopVector at(nest.extents.size(), 0);
  while (true) {
    visit(at);
    std::size_t loop = at.size();
    while (loop > 0 && ++at[loop - 1] == nest.extents[loop - 1]) at[--loop] = 0;
    if (loop == 0) return;
  }
}

namespace {

std::vector<std::size_t> in_order(std::size_t loops) {
  std::vector<std::size_t> order(loops);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

}  // namespace

Transformation permutation(const std::vector<std::size_t>& order) {
  Transformation result;
  for (std::size_t old : order) {
    result.rows.emplace_back(order.size(), 0);
    result.rows.back()[old] = 1;
  }
  return result;
}

Transformation skew(std::size_t loops, std::size_t loop, std::size_t by, std::int64_t factor) {
  Transformation result = permutation(in_order(loops));
  result.rows[loop][by] += factor;
  return result;
}

Transformation then(const Transformation& first, const Transformation& second) {
  Transformation result = second;
  for (LoopVector& row : result.rows) {
    LoopVector of_old(row.size(), 0);
    for (std::size_t between = 0; between < row.size(); ++between) {
      for (std::size_t old = 0; old < row.size(); ++old) of_old[old] += row[between] * first.rows[between][old];
    }
    row = std::move(of_old);
  }
  return result;
}

LoopVector operator*(const Transformation& transformation, const LoopVector& vector) {
  LoopVector result;
  for (const LoopVector& row : transformation.rows) result.push_back(value({row, 0}, vector));
  return result;
}

bool is_positive(const LoopVector& vector) {
  const auto first = std::ranges::find_if(vector, [](std::int64_t x) { return x != 0; });
  return first != vector.end() && *first > 0;
}

std::vector<LoopVector> order_of(const LoopNest& nest, const Transformation& transformation) {
  std::vector<LoopVector> iterations;
  visit_iterations(nest, [&](const LoopVector& at) { iterations.push_back(at); });
  std::ranges::sort(iterations, {}, [&](const LoopVector& at) { return transformation * at; });
  return iterations;
}

std::set<LoopVector> enumerated_distances(const LoopNest& nest) {
  struct Touch {
    LoopVector iteration;
    bool writes;
  };
  std::map<std::pair<int, LoopVector>, std::vector<Touch>> touches;  // of each element, in the order of the loops
  visit_iterations(nest, [&](const LoopVector& at) {
    for (const Access& read : nest.reads) touches[{read.array, element(read, at)}].push_back({at, false});
    touches[{nest.write.array, element(nest.write, at)}].push_back({at, true});
  });
  std::set<LoopVector> distances;
  for (const auto& [of_element, all] : touches) {
    for (std::size_t later = 0; later < all.size(); ++later) {
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        if (!all[earlier].writes && !all[later].writes) continue;
        LoopVector distance = all[later].iteration;
        for (std::size_t loop = 0; loop < distance.size(); ++loop) distance[loop] -= all[earlier].iteration[loop];
        if (is_positive(distance)) distances.insert(std::move(distance));
      }
    }
  }
  return distances;
}

// ---- The test ----

namespace {

/// Σ factors[k] · unknown k = right
struct Equation {
  LoopVector factors;
  std::int64_t right;
};

// The unknowns, for each loop: its counter in the earlier iteration, in the later one, and the distance between them.
std::size_t earlier(std::size_t loop, std::size_t) { return loop; }
std::size_t later(std::size_t loop, std::size_t loops) { return loops + loop; }
std::size_t distance(std::size_t loop, std::size_t loops) { return 2 * loops + loop; }

/// Returns the equations for two accesses to the same element, with a dependence that loop `carrier` carries.
std::vector<Equation> equations(const Access& first, const Access& second, std::size_t loops, std::size_t carrier) {
  std::vector<Equation> all;
  for (std::size_t dimension = 0; dimension < first.subscripts.size(); ++dimension) {
    const Affine &a = first.subscripts[dimension], &b = second.subscripts[dimension];
    Equation same = {LoopVector(3 * loops, 0), b.constant - a.constant};
    for (std::size_t loop = 0; loop < loops; ++loop) {
      same.factors[earlier(loop, loops)] = a.factors[loop];
      same.factors[later(loop, loops)] = -b.factors[loop];
    }
    all.push_back(std::move(same));
  }
  for (std::size_t loop = 0; loop < loops; ++loop) {
    Equation apart = {LoopVector(3 * loops, 0), 0};
    apart.factors[earlier(loop, loops)] = 1;
    apart.factors[later(loop, loops)] = -1;
    apart.factors[distance(loop, loops)] = 1;
    all.push_back(std::move(apart));
  }
  for (std::size_t loop = 0; loop < carrier; ++loop) {
    all.push_back({LoopVector(3 * loops, 0), 0});
    all.back().factors[distance(loop, loops)] = 1;
  }
  return all;
}

/// Divides an equation by the greatest common divisor of its factors.
/// \return false if it has no solution in whole numbers
bool reduce(Equation& equation) {
  std::int64_t divisor = 0;
  for (std::int64_t factor : equation.factors) divisor = std::gcd(divisor, factor);
  if (divisor == 0) return equation.right == 0;
  if (equation.right % divisor != 0) return false;
  for (std::int64_t& factor : equation.factors) factor /= divisor;
  equation.right /= divisor;
  return true;
}

/// Subtracts a multiple of `pivot` from an equation, so that `unknown` drops out of it.
void eliminate(std::size_t unknown, const Equation& pivot, Equation& from) {
  const std::int64_t times = pivot.factors[unknown], taken = from.factors[unknown];
  for (std::size_t k = 0; k < from.factors.size(); ++k) {
    from.factors[k] = times * from.factors[k] - taken * pivot.factors[k];
  }
  from.right = times * from.right - taken * pivot.right;
}

/// Brings the equations into reduced echelon form. \return false if this shows that no solution in whole numbers exists
bool solve(std::vector<Equation>& all) {
  std::size_t solved = 0;
  for (std::size_t unknown = 0; unknown < all.front().factors.size() && solved < all.size(); ++unknown) {
    const auto rest = all.begin() + static_cast<std::ptrdiff_t>(solved);
    const auto pivot = std::find_if(rest, all.end(), [&](const Equation& e) { return e.factors[unknown] != 0; });
    if (pivot == all.end()) continue;
    std::iter_swap(rest, pivot);
    for (std::size_t other = 0; other < all.size(); ++other) {
      if (other == solved || all[other].factors[unknown] == 0) continue;
      eliminate(unknown, all[solved], all[other]);
      if (!reduce(all[other])) return false;
    }
    ++solved;
  }
  return std::ranges::all_of(all, [](Equation& e) { return reduce(e); });
}

std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }
std::int64_t ceiling_of(std::int64_t a, std::int64_t b) { return -floor_of(-a, b); }

Range operator*(std::int64_t factor, Range range) {
  return factor < 0 ? Range{factor * range.high, factor * range.low} : Range{factor * range.low, factor * range.high};
}
Range operator+(Range a, Range b) { return {a.low + b.low, a.high + b.high}; }

/// Narrows the range of each unknown by the equation and the ranges of the others. \return whether any changed
bool narrow(const Equation& equation, std::vector<Range>& ranges) {
  bool changed = false;
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    const std::int64_t factor = equation.factors[k];
    if (factor == 0) continue;
    Range others = {0, 0};
    for (std::size_t other = 0; other < ranges.size(); ++other) {
      if (other != k) others = others + equation.factors[other] * ranges[other];
    }
    const Range left = {equation.right - others.high, equation.right - others.low};
    const Range quotient = factor > 0 ? Range{ceiling_of(left.low, factor), floor_of(left.high, factor)}
                                      : Range{ceiling_of(left.high, factor), floor_of(left.low, factor)};
    const Range both = {std::max(ranges[k].low, quotient.low), std::min(ranges[k].high, quotient.high)};
    changed = changed || both != ranges[k];
    ranges[k] = both;
    if (both.is_empty()) return false;
  }
  return changed;
}

bool has_empty(const std::vector<Range>& ranges) { return std::ranges::any_of(ranges, &Range::is_empty); }

/// Returns the distances at which the second access, in a later iteration, meets the first; empty if it never does.
std::optional<std::vector<Range>> distances(const LoopVector& extents, const Access& first, const Access& second,
                                            std::size_t carrier) {
  const std::size_t loops = extents.size();
  std::vector<Range> ranges(3 * loops);
  for (std::size_t loop = 0; loop < loops; ++loop) {
    const std::int64_t last = extents[loop] - 1;
    ranges[earlier(loop, loops)] = ranges[later(loop, loops)] = {0, last};
    ranges[distance(loop, loops)] = loop < carrier ? Range{0, 0} : Range{loop == carrier ? 1 : -last, last};
  }
  std::vector<Equation> all = equations(first, second, loops, carrier);
  if (has_empty(ranges) || !solve(all)) return {};
  constexpr int enough = 100;  // ranges that still shrink then are correct, though wider than necessary
  bool changed = true;
  for (int pass = 0; pass < enough && changed; ++pass) {
    changed = false;
    for (const Equation& equation : all) {
      changed = narrow(equation, ranges) || changed;
      if (has_empty(ranges)) return {};
    }
  }
  return std::vector<Range>(ranges.begin() + static_cast<std::ptrdiff_t>(2 * loops), ranges.end());
}

/// Returns the range of the distance in one loop of the new order.
Range range_of(const LoopVector& row, const std::vector<Range>& distance) {
  Range sum = {0, 0};
  for (std::size_t loop = 0; loop < row.size(); ++loop) sum = sum + row[loop] * distance[loop];
  return sum;
}

}  // namespace

std::vector<Dependence> dependences(const LoopNest& nest) {
  std::vector<Dependence> found;
  const auto look = [&](Dependence::Kind kind, const Access& first, const Access& second) {
    if (first.array != second.array) return;
    for (std::size_t carrier = 0; carrier < nest.extents.size(); ++carrier) {
      if (auto ranges = distances(nest.extents, first, second, carrier)) found.push_back({kind, std::move(*ranges)});
    }
  };
  for (const Access& read : nest.reads) {
    look(Dependence::Kind::flow, nest.write, read);
    look(Dependence::Kind::anti, read, nest.write);
  }
  look(Dependence::Kind::output, nest.write, nest.write);
  return found;
}

bool is_legal(const std::vector<Dependence>& all, const Transformation& order) {
  const auto still_forward = [&](const Dependence& dependence) {
    for (const LoopVector& row : order.rows) {
      const Range moved = range_of(row, dependence.distance);
      if (moved.low > 0) return true;   // forward, whatever the inner loops do
      if (moved.low < 0) return false;  // backward, or possibly so
    }
    return true;  // never backward, so forward in some loop: no two iterations share a place
  };
  return std::ranges::all_of(all, still_forward);
}

bool is_parallel(const std::vector<Dependence>& dependences, const Transformation& transformation, std::size_t loop) {
  const auto carried_elsewhere = [&](const Dependence& dependence) {
    for (std::size_t outer = 0; outer < loop; ++outer) {
      if (range_of(transformation.rows[outer], dependence.distance).low > 0) return true;
    }
    return range_of(transformation.rows[loop], dependence.distance) == Range{0, 0};
  };
  return std::ranges::all_of(dependences, carried_elsewhere);
}

namespace {

/// "(1, -1)"
template <class Vector, class Text>
std::string listed(const Vector& vector, const Text& text) {
  std::string result;
  for (const auto& each : vector) result += (result.empty() ? "(" : ", ") + text(each);
  return result + ")";
}

}  // namespace

std::string text(const LoopVector& vector) {
  return listed(vector, [](std::int64_t number) { return std::to_string(number); });
}

std::string text(const Dependence& dependence) {
  const char* const kinds[] = {"flow ", "anti ", "output "};
  return kinds[static_cast<int>(dependence.kind)] + listed(dependence.distance, [](Range range) {
           return std::to_string(range.low) + (range.low == range.high ? "" : " to " + std::to_string(range.high));
         });
}

// ---- Random nests ----

namespace {

/// A sequence of random whole numbers.
struct Dice {
  std::uint64_t sequence, index = 0;

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_below(sequence, index++, static_cast<std::uint64_t>(high - low + 1)));
  }
};

Access random_access(Dice& dice, int array, std::size_t dimensions, std::size_t loops) {
  constexpr std::int64_t likely[] = {0, 0, 0, 1, 1, 1, -1, 2};
  Access access = {array, {}};
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    LoopVector factors;
    for (std::size_t loop = 0; loop < loops; ++loop) {
      factors.push_back(likely[dice.between(0, static_cast<std::int64_t>(std::size(likely)) - 1)]);
    }
    access.subscripts.push_back({factors, dice.between(-2, 2)});
  }
  return access;
}

}  // namespace

LoopNest random_nest(std::uint64_t sequence) {
  Dice dice = {sequence};
  const auto loops = static_cast<std::size_t>(dice.between(1, 3)),
             dimensions = static_cast<std::size_t>(dice.between(1, 2));
  LoopNest nest;
  for (std::size_t loop = 0; loop < loops; ++loop) nest.extents.push_back(dice.between(1, 6));
  nest.write = random_access(dice, 0, dimensions, loops);
  const bool uniform = sequence % 2 == 0;
  for (std::int64_t read = dice.between(0, 1); read < 2; ++read) {
    Access access = random_access(dice, static_cast<int>(dice.between(0, 4) / 4), dimensions, loops);
    for (std::size_t dimension = 0; uniform && dimension < dimensions; ++dimension) {
      access.subscripts[dimension].factors = nest.write.subscripts[dimension].factors;
    }
    nest.reads.push_back(access);
  }
  return nest;
}

Verdicts judge_random_nests(std::size_t count) {
  Verdicts verdicts;
  for (std::uint64_t sequence = 0; sequence < count; ++sequence) {
    const LoopNest nest = random_nest(sequence);
    const std::set<LoopVector> distances = enumerated_distances(nest);
    const std::vector<Dependence> found = dependences(nest);
    std::vector<std::size_t> order = in_order(nest.extents.size());
    while (std::ranges::next_permutation(order).found) {
      const Transformation exchange = permutation(order);
      const bool harmful =
          std::ranges::any_of(distances, [&](const LoopVector& d) { return !is_positive(exchange * d); });
      const bool allowed = is_legal(found, exchange);
      (harmful ? verdicts.harmful : verdicts.harmless) += 1;
      if (allowed) (harmful ? verdicts.allowed_wrongly : verdicts.allowed) += 1;
    }
  }
  return verdicts;
}

}  // namespace hf::compilers
