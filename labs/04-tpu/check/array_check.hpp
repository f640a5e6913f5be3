/// \file
/// Is the array right? On random shapes, its product against three plain loops and its cycles against the closed forms.
#pragma once

#include <functional>

namespace hf::tpu {

/// \param shapes  how many, for each dataflow
/// \param between  called after each
/// \return how many of them had another product or another number of cycles
int wrong_shapes(int shapes, const std::function<void()>& between);

}  // namespace hf::tpu
