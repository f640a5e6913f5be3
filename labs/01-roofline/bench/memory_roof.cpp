#include "01-roofline/bench/memory_roof.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/measure/results.hpp"
#include "kit/streams/stream_runs.hpp"
#include "kit/streams/stream_set.hpp"

namespace hf::roofline {

double crossing_bytes(const StreamSet& set, Stream stream, std::size_t working_set) {
  const bool allocates = stream == Stream::copy || stream == Stream::triad;
  const int streams = arrays(stream) + (allocates ? 1 : 0);
  return pass_bytes(set, stream, working_set) * streams / arrays(stream);
}

MemoryRoof::MemoryRoof(std::vector<Estimate> gbs) : gbs_(std::move(gbs)) {
  if (gbs_.size() != std::size(all_streams))
    throw std::invalid_argument("MemoryRoof: expected a speed for each stream");
  const auto by_median = [](const Estimate& a, const Estimate& b) { return a.median < b.median; };
  fastest_ = static_cast<std::size_t>(std::max_element(gbs_.begin(), gbs_.end(), by_median) - gbs_.begin());
}

Series MemoryRoof::series(std::string id, std::string label) const {
  Series series = {std::move(id), std::move(label), Kind::measured, {"stream", "1"}, {"bandwidth", "GB/s"}};
  for (std::size_t i = 0; i < gbs_.size(); ++i) {
    series.points.emplace_back(static_cast<double>(i), gbs_[i], roofline::label(all_streams[i]));
  }
  return series;
}

}  // namespace hf::roofline
