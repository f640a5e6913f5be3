/// \file
/// The package model, which counts, predicts and times the operations of a network under PyTorch, as a program that
/// answers in JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/measure/scratch_folder.hpp"

namespace hf::your_model {

/// Operations of one kind, at one place in a network, with the same shapes.
struct Operation {
  std::string module;  ///< whose forward called it: "h.0.mlp"
  std::string kind;    ///< the name of the operation, shortened: "addmm", "attention"
  std::string shapes;  ///< of what it is given: "1×768 · 768×3072"
  std::string waits;   ///< what it is predicted to wait for: "arithmetic", "memory", a cache, "function" or "call"
  double flops, bytes;
  double predicted_s;           ///< of all its calls together
  std::vector<double> seconds;  ///< one sample for each round; empty if it was only predicted
};

/// What the package says about a network.
struct Report {
  std::string torch;              ///< PyTorch's version
  double call_s;                  ///< the price of a call
  double page_s;                  ///< the price of a page of memory that the process did not have
  std::vector<double> whole_s;    ///< the network as its users run it
  std::vector<double> watched_s;  ///< the same while each operation is timed
  std::vector<Operation> operations;

  double predicted_s() const;  ///< of the whole network
};

/// \throws std::runtime_error, one line that names \p network, if the text is not what the package prints
Report read_report(const std::string& network, const std::string& json);

/// The package, unpacked into a temporary folder.
class ModelTool {
 public:
  /// \param roofs  roofs_json()
  explicit ModelTool(const std::string& roofs);

  /// Counts and predicts the operations of a network, without timing them. \param network  "networks/gpt2.py"
  /// \throws std::runtime_error with one line if the package fails
  /// \throws Interrupted
  Report predict(const std::string& network, int threads) const;

  /// The same, and times them for about so many seconds.
  Report time(const std::string& network, int threads, double seconds) const;

  /// Runs a program of its own that prints the seconds of each round by name.
  /// \param program  "why/products.py"
  /// \param setting  of the environment: "NAME=value"
  std::map<std::string, std::vector<double>> seconds(const std::string& program, int threads,
                                                     const std::string& setting = "") const;

 private:
  Report run(const std::string& network, int threads, const std::vector<std::string>& options) const;
  std::string output_of(const std::string& file, const std::vector<std::string>& arguments,
                        const std::string& setting = "") const;

  ScratchFolder folder_;
};

}  // namespace hf::your_model
