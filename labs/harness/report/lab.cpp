#include "lab.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conditions.hpp"
#include "harness/measure/clock.hpp"
#include "harness/measure/interrupt.hpp"
#include "record/schema.hpp"
#include "watchdog.hpp"

namespace hf {
namespace {

template <class Item>
void add_once(std::vector<Item>& items, Item item, const std::string& what) {
  const auto same = [&](const Item& other) { return other.id == item.id; };
  if (std::any_of(items.begin(), items.end(), same)) {
    throw std::logic_error(what + " was added twice; give each its own id");
  }
  items.push_back(std::move(item));
}

/// "labs/01-sorting/bench/sorts.cpp:171", whether the compiler was given an absolute or a relative path.
std::string text_of(Place place) {
  const std::string file = place.file;
  const auto labs = file.rfind("labs/"), slash = file.rfind('/');
  const std::size_t from = labs != std::string::npos ? labs : slash != std::string::npos ? slash + 1 : 0;
  return file.substr(from) + ":" + std::to_string(place.line);
}

double seconds_since(std::int64_t start_ns) { return static_cast<double>(now_ns() - start_ns) * 1e-9; }

// These checks find errors at once, instead of when the record is written, after minutes of measuring.

void check_id(const std::string& what, const std::string& id) {
  if (well_formed_id(id)) return;
  throw std::logic_error(what + ": expected lower-case letters, digits and underscores, a letter first");
}

void check_unit(const std::string& what, const std::string& unit) {
  if (known_unit(unit)) return;
  throw std::logic_error(what + ": expected a unit such as 1, B, ns, GB/s or, in lower case, what is counted, not \"" +
                         unit + "\"");
}

void check_number(const std::string& what, double number, const std::string& unit) {
  if (!std::isfinite(number)) throw std::runtime_error(what + ": expected a finite number; nothing was written");
  if (number > 0 || !is_positive_unit(unit)) return;
  throw std::runtime_error(what + ": expected more than 0 " + unit + ", not " + number_text(number) +
                           "; nothing was written");
}

}  // namespace

Lab::Lab(LabInfo info, Budget budget, Machine machine, Terminal& terminal)
    : info_(std::move(info)), budget_(budget), machine_(std::move(machine)), terminal_(terminal) {}

void Lab::only(std::string_view step) {
  if (!wanted_.emplace(step).second) return;
  for (const Step& each : info_.steps) {
    if (each.name != step) continue;
    for (const std::string& needed : each.needs) only(needed);
  }
}

void Lab::run() {
  if (info_.prepare) info_.prepare(*this);
  for (const Step& step : info_.steps) {
    if (is_wanted(step)) run(step);
  }
}

void Lab::run(const Step& step) {
  stop_if_interrupted();
  stop_if_conditions_changed();
  present_ = &step;
  step_start_ns_ = now_ns();
  watch_step(step.name, expected(step));
  show_progress();
  try {
    step.measure(*this);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    if (!step.may_fail) throw;
    incomplete(step.name + ": " + error.what());
  }
  done_seconds_ += seconds_since(step_start_ns_);
  done_expected_ += expected(step);
}

double Lab::step_seconds() const { return present_ == nullptr ? 0 : expected(*present_); }

double Lab::seconds_left() const { return seconds_left_of(step_seconds(), step_start_ns_); }

Plan Lab::plan(int parts) const {
  Plan plan = plan_within(budget_, step_seconds(), parts);
  plan.between_samples = [this] { tick(); };
  return plan;
}

void Lab::look_at_memory() {
  steady_memory_ = SteadyMemory(burst_search(budget_));
  if (steady_memory_.burst()) note(steady_memory_.text());
}

Sampling Lab::in_one_state(Sampling sampling, const std::vector<std::string>& ids) {
  const auto tell = [this](const std::string& id, const Estimate& seen, std::size_t kept) {
    const Mode& usual = seen.modes->larger();
    const Mode& other = &usual == &seen.modes->low ? seen.modes->high : seen.modes->low;
    const std::size_t all = seen.samples.size();
    note(present_->name + ": this machine has two states. Excluded: " + std::to_string(all - kept) + " of " +
         std::to_string(all) + " rounds, in which \"" + id + "\" took " + number_text(other.median / usual.median) +
         "× as long as in the others");
  };
  return hf::in_one_state(std::move(sampling), ids, tell);
}

void Lab::tick() const {
  stop_if_interrupted();
  if (now_ns() - last_shown_ns_ <= 200'000'000) return;
  stop_if_conditions_changed();
  sign_of_life();
  show_progress();
}

double Lab::expected_in_all() const {
  double total = 0;
  for (const Step& step : info_.steps) total += is_wanted(step) ? expected(step) : 0;
  return total;
}

void Lab::expect(double seconds) {
  if (seconds > 0 && expected_in_all() > 0) presumed_pace_ = seconds / expected_in_all();
}

/// The presumed pace has the weight of 10% of the whole lab, so that a short first step does not dominate the estimate.
double Lab::pace() const {
  const double weight = expected_in_all() / 10;
  const double expected = done_expected_ + weight;
  return expected > 0 ? (done_seconds_ + presumed_pace_ * weight) / expected : 1;
}

void Lab::show_progress() const {
  if (present_ == nullptr) return;
  const double in_step = seconds_since(step_start_ns_), rest = expected_in_all() - done_expected_ - step_seconds();
  const double left = std::max(pace() * step_seconds() - in_step, 0.0) + pace() * rest;
  const double done = done_seconds_ + in_step;
  terminal_.progress(present_->name, done + left > 0 ? done / (done + left) : 1, left);
  last_shown_ns_ = now_ns();
}

void Lab::add(Series series, Place place) {
  const std::string what = "series " + series.id;
  check_id(what, series.id);
  check_unit(what, series.x.unit);
  check_unit(what, series.y.unit);
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const Point& point = series.points[i];
    const std::string name = point.label.empty() ? number_text(point.x) : point.label;
    check_number(what + " at " + name, point.x, "1");
    check_number(what + " at " + name, point.y.median, series.y.unit);
    if (series.kind == Kind::measured && point.y.samples.empty()) {
      throw std::logic_error(what + " at " + name + ": expected samples, because it is measured; give the point an " +
                             "hf::Estimate, such as hf::estimate({3.5}), or the series another kind");
    }
  }
  results_.places["series " + series.id] = text_of(place);
  add_once(results_.series, std::move(series), what);
}

void Lab::add(Value value, Place place) {
  const std::string what = "value " + value.id;
  check_id(what, value.id);
  check_unit(what, value.unit);
  if (const std::string wanted = promised_unit(value.id, value.unit); !wanted.empty()) {
    throw std::logic_error(what + ": expected unit " + wanted + ", to match the end of its id, not " + value.unit);
  }
  check_number(what, value.value.median, value.unit);
  results_.places["value " + value.id] = text_of(place);
  add_once(results_.values, std::move(value), what);
}

void Lab::derived(const std::string& id, double value, const std::string& unit, Place place) {
  add(Value(id, value, unit, Kind::measured), place);
}

void Lab::simulated(const std::string& id, double value, const std::string& unit, Place place) {
  add(Value(id, value, unit, Kind::simulated), place);
}

void Lab::modelled(const std::string& id, double value, const std::string& unit, Place place) {
  add(Value(id, value, unit, Kind::modelled), place);
}

void Lab::quoted(const std::string& id, double value, const std::string& unit, const std::string& source, Place place) {
  add(Value(id, value, unit, Kind::quoted, "", source), place);
}

const Value* Lab::find(std::string_view id) const {
  const auto found =
      std::find_if(results_.values.begin(), results_.values.end(), [&](const Value& value) { return value.id == id; });
  return found == results_.values.end() ? nullptr : &*found;
}

bool Lab::has(std::string_view id) const { return find(id) != nullptr; }

double Lab::value(std::string_view id) const {
  if (const Value* found = find(id)) return found->value.median;
  throw std::out_of_range("value " + std::string(id) + " has not been added");
}

void Lab::note(const std::string& line) {
  terminal_.paragraph("note: " + line);
  results_.notes.push_back(line);
}

void Lab::incomplete(const std::string& line) {
  note(line);
  results_.complete = false;
}

void Lab::show(const Table& table) { terminal_.table(table); }

void Lab::show(const std::string& title, const std::vector<std::string>& series) {
  std::vector<const Series*> columns;
  for (const std::string& id : series) {
    const auto found = std::ranges::find(results_.series, id, &Series::id);
    if (found == results_.series.end()) throw std::out_of_range("no series " + id + " was added");
    columns.push_back(&*found);
  }
  const auto unit = [](const Axis& axis) { return axis.unit == "1" ? "" : ", " + axis.unit; };
  const Axis& x = columns.front()->x;
  const bool labelled = !columns.front()->points.empty() && !columns.front()->points.front().label.empty();
  Table table = {title, {labelled && x.unit != "1" ? "" : x.name + unit(x)}, {}};  // a label has no unit
  for (const Series* column : columns) table.columns.push_back(column->label + unit(column->y));
  for (const Point& row : columns.front()->points) {
    const auto is_row = [&](const Point& point) {
      return point.label == row.label && (!row.label.empty() || point.x == row.x);
    };
    std::vector<std::string>& cells = table.rows.emplace_back(1, row.label.empty() ? number_text(row.x) : row.label);
    for (const Series* column : columns) {
      const auto point = std::ranges::find_if(column->points, is_row);
      cells.push_back(point == column->points.end() ? "" : number_text(point->y.median));
    }
  }
  terminal_.table(table);
}

}  // namespace hf
