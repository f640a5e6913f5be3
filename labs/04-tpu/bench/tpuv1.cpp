#include "04-tpu/bench/steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "04-tpu/kernels/systolic.hpp"
#include "04-tpu/kernels/tpuv1.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/terminal.hpp"

namespace hf::tpu {
namespace v1 {
namespace {

/// One series of six applications for each counter and each of: published, one-line model, simulator.
class Counters {
 public:
  void add(const char* counter, const char* label, double x, const char* app, double published, double modelled,
           double simulated) {
    point("published", Kind::quoted, counter, label, x, app, published);
    point("modelled", Kind::modelled, counter, label, x, app, modelled);
    point("simulated", Kind::simulated, counter, label, x, app, simulated);
  }

  std::vector<Series> all() const {
    std::vector<Series> result;
    for (const auto& [id, series] : series_) result.push_back(series);
    return result;
  }

 private:
  void point(const std::string& what, Kind kind, const std::string& counter, const char* label, double x,
             const char* app, double y) {
    const std::string id = "tpuv1_" + counter + "_" + what;
    const auto [found, is_new] = series_.try_emplace(id);
    Series& series = found->second;
    if (is_new) {
      series = {id, label, kind, {"application", "1"}, {"share of cycles", "%"}, {}, ""};
      if (kind == Kind::quoted) series.source = "jouppi2017";
    }
    series.points.emplace_back(x, y, app);
  }

  std::map<std::string, Series> series_;
};

std::string cell(double published, double modelled, double simulated) {
  return number_text(published) + " / " + number_text(modelled) + " / " + number_text(simulated);
}

void raise(double& largest, double a, double b) { largest = std::max(largest, std::abs(a - b)); }

/// The ridge: multiplications for each byte of weights.
double ridge() { return peak_tops / (2 * weight_bytes_per_s * 1e-12); }

/// The roof, and the six applications under it as published.
std::vector<Series> roofline_series() {
  const Axis intensity = {"multiplications per byte of weights", "1"}, tops = {"speed", "Top/s"};
  Series roof = {"tpuv1_roof", "roof", Kind::modelled, intensity, tops};
  for (const double x : {20.0, ridge(), 10000.0}) roof.points.emplace_back(x, roofline_tops(x));
  Series apps = {"tpuv1_tops", "published", Kind::quoted, intensity, tops, {}, "jouppi2017"};
  for (const Application& app : applications) apps.points.emplace_back(app.intensity, app.tops, app.name);
  return {roof, apps};
}

/// The six applications by both models. \param tiles  see simulate()
void predict_applications(Lab& lab, std::size_t tiles) {
  Table table = {
      "TPUv1, share of cycles in %: published / one line / simulator", {"application", "active", "stall", "shift"}, {}};
  Counters counters;
  // Largest distance of the simulator from a counter, in points; of shift where weights are the limit.
  double x = 0, active_error = 0, shift_error = 0;
  for (const Application& app : applications) {
    const Shares model = one_line_model(app), run = simulate(app, tiles);
    counters.add("active", "array active", x, app.name, app.active, model.active, run.active);
    counters.add("stall", "waiting for weights", x, app.name, app.stall, model.stall, run.stall);
    counters.add("shift", "shifting weights in", x++, app.name, app.shift, model.shift, run.shift);
    table.rows.push_back({app.name, cell(app.active, model.active, run.active), cell(app.stall, model.stall, run.stall),
                          cell(app.shift, model.shift, run.shift)});
    raise(active_error, run.active, app.active);
    if (app.weight_bound()) raise(shift_error, run.shift, app.shift);
    if (app.name == std::string("LSTM0")) lab.simulated("tpuv1_lstm0_active_missed", app.active / run.active);
    if (app.name == std::string("CNN1")) lab.simulated("tpuv1_cnn1_active_missed", run.active / app.active);
    lab.tick();
  }
  for (Series& series : counters.all()) lab.add(std::move(series));
  lab.show(table);
  lab.simulated("tpuv1_shift_error_points", shift_error, "points");
  lab.simulated("tpuv1_active_error_points", active_error, "points");
}

}  // namespace
}  // namespace v1

void predict_tpuv1(Lab& lab) {
  v1::predict_applications(lab, lab.quick() ? 4 : 16);
  lab.modelled("tpuv1_tile_fetch_ticks", std::round(v1::array.cells() / v1::bytes_per_cycle));
  for (const Series& series : v1::roofline_series()) lab.add(series);
  lab.modelled("tpuv1_ridge", std::round(v1::ridge()));
}

}  // namespace hf::tpu
