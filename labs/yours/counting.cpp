#include "yours/counting.hpp"

#include <string>
#include <utility>
#include <vector>

#include "kit/cache_simulator.hpp"
#include "yours/trial.hpp"

namespace hf::yours {

Count bytes_per(const std::string& unit, Level level, const std::string& but, const Traffic& traffic, double units,
                std::vector<std::pair<std::string, double>> others) {
  const char* const where = level == &Traffic::registers_l1 ? "registers and L1"
                            : level == &Traffic::l1_l2      ? "L1 and L2"
                                                            : "L2 and beyond";
  return {"bytes per " + unit + " between " + where + but, static_cast<double>(traffic.*level) / units,
          std::move(others)};
}

}  // namespace hf::yours
