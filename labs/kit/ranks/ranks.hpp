/// \file
/// The ranks of one lab. Rank 0 runs the lab and distributes tasks; the others sleep until they get one.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "kit/ranks/transport.hpp"

namespace hf {

/// The interface of a task on each rank.
struct Member {
  Transport& ranks;  ///< messages to the others
  /// Call it at least every few seconds: it moves the progress bar on rank 0 and shows that this rank makes progress.
  std::function<void()> tick;
};

/// A function that all ranks run at the same time. Every rank has the same table of tasks and finds a task by its name.
struct Task {
  const char* name;
  nlohmann::json (*run)(Member& me, const nlohmann::json& arguments);
};

/// All ranks, seen from rank 0.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int size() const = 0;      ///< at least 1
  virtual int hosts() const = 0;     ///< hosts, which reach each other only through a network
  virtual int machines() const = 0;  ///< fewer if hosts share one, as containers and network namespaces do
  /// Whether some host has more ranks than cores, so that times are not compared with a model.
  virtual bool oversubscribed() const = 0;

  /// Runs a task on every rank, including this one.
  /// \param tick  see Member; other ranks show nothing
  /// \return each rank's answer, in order of rank
  /// \throws what the task throws on this rank; if it throws on another rank, all ranks end
  virtual std::vector<nlohmann::json> run(const Task& task, const nlohmann::json& arguments,
                                          std::function<void()> tick) = 0;
};

}  // namespace hf
