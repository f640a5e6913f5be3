/// \file
/// Little's law for memory: bytes in flight = latency × bandwidth (Little, 1961).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <vector>

namespace hf::gpu {

/// Bytes that arrive with one line, the unit in which memory is fetched.
constexpr double line_bytes = 64;

/// Lines that must be in flight to reach a bandwidth.
/// \param latency_ns  from the request of a line to its arrival
/// \param gbs  10^9 bytes per second, which is bytes per nanosecond
constexpr double lines_in_flight(double latency_ns, double gbs) { return latency_ns * gbs / line_bytes; }

/// GB/s that this many lines in flight deliver, unless something else is the limit.
constexpr double little_gbs(double lines, double latency_ns, double limit_gbs) {
  const double gbs = lines * line_bytes / latency_ns;
  return gbs < limit_gbs ? gbs : limit_gbs;
}

/// The corner of a curve that first rises in proportion and then stays level: the x at which it first reaches 90% of
/// its highest point, on the straight line between two adjacent points, divided by 0.9. Exact if the rise is straight.
/// \param x  increasing
/// \param y  positive, one for each x
/// \throws std::invalid_argument without points, or if x and y differ in length
inline double knee(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.empty() || x.size() != y.size()) throw std::invalid_argument("knee: expected as many x as y, and at least one");
  constexpr double share = 0.9;
  const double level = share * *std::max_element(y.begin(), y.end());
  const auto first = static_cast<std::size_t>(
      std::find_if(y.begin(), y.end(), [=](double each) { return each >= level; }) - y.begin());
  if (first == 0) return x.front() / share * std::min(1.0, level / y.front());
  const double between = (level - y[first - 1]) / (y[first] - y[first - 1]);
  return (x[first - 1] + between * (x[first] - x[first - 1])) / share;
}

/// The places of a queue that `rows` rows fill, if each keeps x places: rows · x, for the x at which y falls from rows + 1
/// to rows. (The load of the next row takes hardly any place, so it is on its way until the rows before it leave none.)
/// So many points as lie above the geometric mean of the two are before the fall: an outlier moves it by one point only.
/// \param x  increasing, in equal steps
/// \param y  the rows in flight, one for each x
/// \return nothing if all points lie on one side
inline std::optional<double> places_filled(int rows, const std::vector<double>& x, const std::vector<double>& y) {
  const double level = std::sqrt(rows * (rows + 1.0));
  const auto above =
      static_cast<std::size_t>(std::count_if(y.begin(), y.end(), [=](double each) { return each >= level; }));
  if (above == 0 || above == y.size()) return std::nullopt;
  return rows * (x[above - 1] + x[above]) / 2;
}

}  // namespace hf::gpu
