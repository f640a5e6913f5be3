/// \file
/// How much memory a calculation takes, as the system sees it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace hf::compilers {

/// By how many bytes this process grows while `work` runs, on a thread of its own, whose memory is new; to be counted,
/// memory must be held when `work` returns. Nothing where the system does not tell.
/// \throws what `work` throws
std::optional<std::size_t> resident_growth(const std::function<void()>& work);

}  // namespace hf::compilers
