/// \file
/// Reading the planner's data, data/planner.json and data/published_runs.json, which travel inside the program.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "05-scaling/kernels/planner/chips.hpp"
#include "05-scaling/kernels/planner/parallel_plan.hpp"
#include "05-scaling/kernels/planner/transformer_shape.hpp"

namespace hf::scaling {

/// data/planner.json: chips, models, and the constants that were fitted. The site's planner has it, too.
const nlohmann::json& planner_data();

/// `to` becomes what `from` has of that name, if anything.
template <class Number>
void take(const nlohmann::json& from, const char* name, Number& to) {
  if (const auto found = from.find(name); found != from.end()) found->get_to(to);
}

/// The same, of everything that each has.
void take(const nlohmann::json& from, Chip& chip);
void take(const nlohmann::json& from, TransformerShape& shape);
void take(const nlohmann::json& from, ParallelPlan& plan);

template <class Thing>
std::vector<Thing> taken_all(const nlohmann::json& list) {
  std::vector<Thing> all;
  for (const nlohmann::json& each : list) take(each, all.emplace_back());
  return all;
}

}  // namespace hf::scaling
