/// \file
/// A model of which only some parts are compiled, and what Amdahl's law says of its time.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/models/graphs.hpp"  // IWYU pragma: export
#include "harness/memory.hpp"
#include "harness/statistics.hpp"

namespace hf::compilers {

/// For a result, and written to once, so that no page of it is new when it is timed.
Buffer result_of(const Graph& graph);

/// Seconds that a call takes, by the clock.
double seconds_of(const std::function<void()>& call);

/// A model whose parts are compiled, or not, one by one.
class PartialModel {
 public:
  /// Compiles every part, and keeps how long that took.
  explicit PartialModel(const std::vector<ModelPart>& parts);

  std::size_t parts() const { return parts_.size(); }
  const std::string& name(std::size_t part) const { return parts_[part].name; }
  double compile_seconds(std::size_t part) const { return parts_[part].compile_seconds; }
  std::string remark() const;  ///< why something is not compiled; empty where all is

  /// All parts, of which those are compiled. \return seconds of each
  std::vector<double> run(const std::vector<bool>& compiled);

  /// Of the last part.
  const float* result() const { return parts_.back().result.as<float>().data(); }

 private:
  struct Part {
    std::string name;
    Eager eager;
    GraphInputs inputs;
    Buffer result;
    Compiled compiled;
    double compile_seconds;
  };
  std::vector<Part> parts_;
};

/// Parts, compiled one after the other: the one that gains most for a second of compiling first.
struct PartialTimes {
  std::vector<std::size_t> order;
  std::vector<Estimate> eager, compiled;  ///< seconds of each part, in the order of the model: nothing compiled, or all
  std::vector<Estimate> passes;           ///< seconds of the whole, with none, one, two… compiled

  /// What Amdahl's law makes of the parts' times: seconds of the whole with so many compiled.
  double predicted(std::size_t compiled_parts) const;
};

}  // namespace hf::compilers
