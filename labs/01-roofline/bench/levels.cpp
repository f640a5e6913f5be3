#include "01-roofline/bench/levels.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/bench/plateaus.hpp"
#include "harness/results.hpp"
#include "harness/statistics.hpp"

namespace hf::roofline {
namespace {

const Axis working_set = {"working set", "B"};

}  // namespace

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
