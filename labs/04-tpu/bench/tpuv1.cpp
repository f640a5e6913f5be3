#include "04-tpu/bench/steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "04-tpu/kernels/systolic.hpp"
#include "04-tpu/kernels/tpuv1.hpp"
#include "harness/measure/results.hpp"
#include "harness/report/lab.hpp"

namespace hf::tpu {
namespace v1 {
namespace {

/// One of the TPU's counters for the six applications: as published, by the one-line model, and by the simulator.
struct Counter {
  Counter(const char* label, const char* published_id, const char* modelled_id, const char* simulated_id)
      : published{published_id, label, Kind::quoted, application, share, {}, "jouppi2017"},
        modelled{modelled_id, label, Kind::modelled, application, share},
        simulated{simulated_id, label, Kind::simulated, application, share} {}

  void add(const char* app, double was, double model, double run) {
    const auto x = static_cast<double>(published.points.size());
    published.points.emplace_back(x, was, app);
    modelled.points.emplace_back(x, model, app);
    simulated.points.emplace_back(x, run, app);
  }

  inline static const Axis application = {"application", "1"}, share = {"share of cycles", "%"};
  Series published, modelled, simulated;
};

/// The ridge point, in multiplications per byte of weights.
double ridge() { return peak_tops / (2 * weight_bytes_per_s * 1e-12); }

/// The roof, and the published speeds of the six applications under it.
std::vector<Series> roofline_series() {
  const Axis intensity = {"multiplications per byte of weights", "1"}, tops = {"speed", "Top/s"};
  Series roof = {"tpuv1_roof", "roof", Kind::modelled, intensity, tops};
  for (const double x : {20.0, ridge(), 10000.0}) roof.points.emplace_back(x, roofline_tops(x));
  Series apps = {"tpuv1_tops", "published", Kind::quoted, intensity, tops, {}, "jouppi2017"};
  for (const Application& app : applications) apps.points.emplace_back(app.intensity, app.tops, app.name);
  return {roof, apps};
}

/// Predicts the six applications with both models. \param tiles  see simulate()
void predict_applications(Lab& lab, std::size_t tiles) {
  Counter active("array active", "tpuv1_active_published", "tpuv1_active_modelled", "tpuv1_active_simulated");
  Counter stall("waiting for weights", "tpuv1_stall_published", "tpuv1_stall_modelled", "tpuv1_stall_simulated");
  Counter shift("shifting weights in", "tpuv1_shift_published", "tpuv1_shift_modelled", "tpuv1_shift_simulated");
  double shift_error = 0;  // the simulator's largest, in points, of the applications limited by weights
  for (const Application& app : applications) {
    const Shares model = one_line_model(app), run = simulate(app, tiles);
    active.add(app.name, app.active, model.active, run.active);
    stall.add(app.name, app.stall, model.stall, run.stall);
    shift.add(app.name, app.shift, model.shift, run.shift);
    if (app.weight_bound()) shift_error = std::max(shift_error, std::abs(run.shift - app.shift));
    if (app.name == std::string("CNN1")) lab.simulated("tpuv1_cnn1_active_missed", run.active / app.active);
    lab.tick();
  }
  for (Counter* each : {&active, &stall, &shift}) {
    for (Series* series : {&each->published, &each->modelled, &each->simulated}) lab.add(std::move(*series));
  }
  lab.show("TPUv1, published", {"tpuv1_active_published", "tpuv1_stall_published", "tpuv1_shift_published"});
  lab.show("TPUv1, simulated", {"tpuv1_active_simulated", "tpuv1_stall_simulated", "tpuv1_shift_simulated"});
  lab.simulated("tpuv1_shift_error_points", shift_error, "points");
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
