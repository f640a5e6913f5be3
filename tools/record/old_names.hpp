#pragma once

#include "record/record.hpp"

namespace hf {

/// Gives the values and series of a record of schema 1 or 2 (of the right shape) the ids that its lab writes since: some have
/// another name, and values of one kind, as gemv_q4_0_gbs, became a series, of which that is gemv_gbs[q4_0].
void give_present_names(Json& record);

}  // namespace hf
