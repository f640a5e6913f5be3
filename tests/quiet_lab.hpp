/// \file
/// A lab for tests of what its steps add.
#pragma once

#include <cstdio>
#include <memory>
#include <utility>

#include "harness/report/lab.hpp"

namespace hf {

/// A lab whose output is discarded.
struct QuietLab {
  explicit QuietLab(LabInfo info, Budget budget = Budget::quick, Machine machine = {})
      : lab(std::move(info), budget, std::move(machine), terminal) {}

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> nowhere{std::fopen("/dev/null", "w"), std::fclose};
  Terminal terminal{nowhere.get()};
  Lab lab;
};

}  // namespace hf
