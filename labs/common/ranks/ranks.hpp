/// \file
/// The ranks of one lab. Rank 0 runs the lab and hands out tasks; the others wait for them, asleep.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "common/ranks/transport.hpp"

namespace hf {

/// What a task has on each rank.
struct Member {
  Transport& ranks;     ///< messages to the others
  bool oversubscribed;  ///< some host has more ranks than cores: what takes turns is not compared with a model
  /// To be called at least every few seconds: moves the progress bar on rank 0, and shows that this rank gets on.
  std::function<void()> tick;
};

/// A function that all ranks run at the same time. The same table of tasks is in each of them, and a name finds it.
struct Task {
  const char* name;
  nlohmann::json (*run)(Member& me, const nlohmann::json& arguments);
};

/// All ranks, as rank 0 sees them.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int size() const = 0;             ///< at least 1
  virtual int hosts() const = 0;            ///< that reach each other only by a network
  virtual int machines() const = 0;         ///< fewer where hosts share one, as containers and network namespaces do
  virtual bool oversubscribed() const = 0;  ///< see Member

  /// Runs a task on every rank, on this one too.
  /// \param tick  see Member; on the other ranks nothing is shown
  /// \return each rank's answer, in their order
  /// \throws what the task throws on this rank; where it throws on another, all end
  virtual std::vector<nlohmann::json> run(const Task& task, const nlohmann::json& arguments,
                                          std::function<void()> tick) = 0;
};

}  // namespace hf
