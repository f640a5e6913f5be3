/// \file
/// Random operands of one shape, on which candidates are checked and timed.
#pragma once

#include <string>

#include "07-compilers/kernels/search/candidate.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"

namespace hf::compilers {

class CandidateRuns {
 public:
  explicit CandidateRuns(const ProductShape& shape);

  const ProductShape& shape() const { return shape_; }
  void run(const Candidate& candidate) const;

  /// Runs a candidate and holds what it gives against the reference, in a few places.
  /// \throws std::runtime_error  for a wrong product
  void check(const Candidate& candidate) const;

  /// check(), and a variant to be sampled, which needs these runs.
  Variant variant(const std::string& id, const Candidate& candidate) const;

 private:
  ProductShape shape_;
  Buffer a_, b_, c_;
};

}  // namespace hf::compilers
