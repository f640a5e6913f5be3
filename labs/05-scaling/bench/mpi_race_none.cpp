// For builds without MPI, which have no ranks to race.
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "05-scaling/bench/steps.hpp"

namespace hf::scaling {

const Task collectives_task = {"collectives", [](Member&, const nlohmann::json&) -> nlohmann::json {
                                 throw std::logic_error("no MPI in this build");
                               }};

}  // namespace hf::scaling
