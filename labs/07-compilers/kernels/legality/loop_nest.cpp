#include "07-compilers/kernels/legality/loop_nest.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

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
  const auto is_empty = [](std::int64_t extent) { return extent < 1; };
  if (std::any_of(nest.extents.begin(), nest.extents.end(), is_empty)) return;
  LoopVector at(nest.extents.size(), 0);
  while (true) {
    visit(at);
    std::size_t loop = at.size();
    while (loop > 0 && ++at[loop - 1] == nest.extents[loop - 1]) at[--loop] = 0;
    if (loop == 0) return;
  }
}

Transformation permutation(const std::vector<std::size_t>& order) {
  Transformation result;
  for (std::size_t old : order) {
    result.rows.emplace_back(order.size(), 0);
    result.rows.back()[old] = 1;
  }
  return result;
}

Transformation skew(std::size_t loops, std::size_t loop, std::size_t by, std::int64_t factor) {
  std::vector<std::size_t> same(loops);
  std::iota(same.begin(), same.end(), std::size_t{0});
  Transformation result = permutation(same);
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
  const auto first = std::find_if(vector.begin(), vector.end(), [](std::int64_t x) { return x != 0; });
  return first != vector.end() && *first > 0;
}

std::vector<LoopVector> order_of(const LoopNest& nest, const Transformation& transformation) {
  std::vector<std::pair<LoopVector, LoopVector>> iterations;  // the new counters, the old
  visit_iterations(nest, [&](const LoopVector& at) { iterations.emplace_back(transformation * at, at); });
  std::sort(iterations.begin(), iterations.end());
  std::vector<LoopVector> result;
  for (auto& [place, iteration] : iterations) result.push_back(std::move(iteration));
  return result;
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
  for (const auto& of_element : touches) {
    const std::vector<Touch>& all = of_element.second;
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

std::string text(const LoopVector& vector) {
  std::string result = "(";
  for (std::size_t i = 0; i < vector.size(); ++i) result += (i > 0 ? ", " : "") + std::to_string(vector[i]);
  return result + ")";
}

}  // namespace hf::compilers
