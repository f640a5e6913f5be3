#include "07-compilers/kernels/fusion/break_even.hpp"

#include <optional>
#include <string>

#include "harness/results.hpp"
#include "harness/statistics.hpp"

namespace hf::compilers {

std::optional<Estimate> break_even_calls(const Cost& compiled, const Estimate& otherwise) {
  const double saved = otherwise.median - compiled.call.median;
  if (saved <= 0) return std::nullopt;
  return transform(compiled.first, [saved](double s) { return s / saved; });
}

Series seconds_together(const std::string& id, const std::string& label, const Cost& cost, double most) {
  Series series = {id, label, Kind::measured, {"calls", "1"}, {"time of all calls together", "s"}};
  for (double decade = 1; decade <= most; decade *= 10) {
    for (const double step : {1.0, 2.0, 5.0}) {
      const double calls = decade * step;
      if (calls > most) break;
      const auto together = [&](double first) { return first + calls * cost.call.median; };
      series.points.emplace_back(calls, transform(cost.first, together));
    }
  }
  return series;
}

}  // namespace hf::compilers
