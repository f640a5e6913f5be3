// Graphs, compiled into a cache of their own and held against their definition.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "common/rounded.hpp"
#include "graphs.hpp"
#include "harness/scratch_folder.hpp"

namespace hf::compilers {

class CompiledGraphs {
 public:
  /// Checks that it was compiled without a remark.
  Compiled& compile(const Graph& graph, CompileOptions options = {}) {
    options.cache = cache_.path();
    options.seconds = 600;  // so that a busy machine fails no test
    graph_ = graph;
    compiled_ = std::make_unique<Compiled>(graph, options);
    CHECK(compiled_->remark() == "");
    CHECK(compiled_->is_compiled());
    return *compiled_;
  }

  /// How far its result for random inputs is off the definition, as a share of what may be.
  double worst() {
    const Inputs inputs(graph_);
    std::vector<float> result(graph_.result_shape().numbers(), NAN);
    compiled_->run(inputs.pointers(), result.data());
    return worst_error_share(result, rounded_reference(graph_, inputs.pointers()));
  }

 private:
  ScratchFolder cache_;
  Graph graph_;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace hf::compilers
