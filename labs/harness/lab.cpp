#include "lab.hpp"

#include <algorithm>
#include <stdexcept>

#include "clock.hpp"
#include "interrupt.hpp"

namespace hf {
namespace {

template <class Item>
void add_once(std::vector<Item>& items, Item item, const char* what) {
  const auto same = [&](const Item& other) { return other.id == item.id; };
  if (std::any_of(items.begin(), items.end(), same)) {
    throw std::logic_error(std::string(what) + " " + item.id + " is added twice; give each its own id");
  }
  items.push_back(std::move(item));
}

double seconds_since(std::int64_t start_ns) { return static_cast<double>(now_ns() - start_ns) * 1e-9; }

}  // namespace

Lab::Lab(LabInfo info, Budget budget, Machine machine, Terminal& terminal)
    : info_(std::move(info)), budget_(budget), machine_(std::move(machine)), terminal_(terminal) {}

void Lab::begin(std::string_view step) {
  stop_if_interrupted();
  if (begun_ == info_.steps.size() || info_.steps[begun_].name != step) {
    throw std::logic_error("step " + std::string(step) +
                           " is not the next of the lab's steps; list it there, in order");
  }
  if (begun_ > 0) {
    done_seconds_ += seconds_since(step_start_ns_);
    done_expected_ += step_seconds();
  }
  ++begun_;
  step_start_ns_ = now_ns();
  show_progress();
}

double Lab::step_seconds() const { return begun_ == 0 ? 0 : expected(info_.steps[begun_ - 1]); }

double Lab::seconds_left() const { return std::max(step_seconds() - seconds_since(step_start_ns_), 0.0); }

Plan Lab::plan(int parts) const {
  Plan plan;
  plan.rounds = quick() ? 11 : 31;
  plan.budget_seconds = step_seconds() / std::max(parts, 1);
  plan.between_samples = [this] { tick(); };
  return plan;
}

void Lab::look_at_memory() {
  BurstSearch how;
  if (quick()) {
    how.spells = 5;
    how.quiet_seconds = how.reading_seconds = 0.025;
  }
  steady_memory_ = SteadyMemory(how);
  if (steady_memory_.burst()) note(steady_memory_.text());
}

void Lab::tick() const {
  stop_if_interrupted();
  if (now_ns() - last_shown_ns_ > 200'000'000) show_progress();
}

double Lab::expected_in_all() const {
  double total = 0;
  for (const Step& step : info_.steps) total += expected(step);
  return total;
}

void Lab::expect(double seconds) {
  if (seconds > 0 && expected_in_all() > 0) presumed_pace_ = seconds / expected_in_all();
}

/// What is presumed weighs as much as a tenth of the whole: a short first step does not speak for the others.
double Lab::pace() const {
  const double weight = expected_in_all() / 10;
  const double expected = done_expected_ + weight;
  return expected > 0 ? (done_seconds_ + presumed_pace_ * weight) / expected : 1;
}

void Lab::show_progress() const {
  if (begun_ == 0) return;
  const double in_step = seconds_since(step_start_ns_), rest = expected_in_all() - done_expected_ - step_seconds();
  const double left = std::max(pace() * step_seconds() - in_step, 0.0) + pace() * rest;
  const double done = done_seconds_ + in_step;
  terminal_.progress(info_.steps[begun_ - 1].name, done + left > 0 ? done / (done + left) : 1, left);
  last_shown_ns_ = now_ns();
}

void Lab::add(Series series) { add_once(results_.series, std::move(series), "series"); }
void Lab::add(Value value) { add_once(results_.values, std::move(value), "value"); }
void Lab::add(Claim claim) { add_once(results_.claims, std::move(claim), "claim"); }

double Lab::value(std::string_view id) const {
  for (const Value& value : results_.values) {
    if (value.id == id) return value.value.median;
  }
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

void Lab::plot(std::string title, std::vector<std::string> series_ids) {
  results_.plots.push_back({std::move(title), std::move(series_ids)});
}

}  // namespace hf
