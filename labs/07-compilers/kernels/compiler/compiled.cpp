#include "07-compilers/kernels/compiler/compiled.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/plan.hpp"
#include "07-compilers/kernels/compiler/prelude.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/interrupt.hpp"
#include "harness/measure/memory.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/gemm/partition.hpp"
#include "kit/loop_team.hpp"

namespace hf::compilers {
namespace {

/// Returns a pointer that is valid only from index `numbers` on.
float* shifted_back(float* pointer, std::size_t numbers) {
  return reinterpret_cast<float*>(reinterpret_cast<std::uintptr_t>(pointer) - numbers * sizeof(float));
}

const Machine& this_machine() {
  static const Machine machine = probe_machine();
  return machine;
}

std::size_t largest_near(Stores stores) {
  if (stores == Stores::nontemporal) return 0;
  if (stores == Stores::ordinary) return std::numeric_limits<std::size_t>::max();
  return this_machine().last_level_cache_bytes();
}

matmul::Epilogue epilogue(void* function, const BandRows& block) {
  return {reinterpret_cast<decltype(matmul::Epilogue::run)>(function), &block};
}

}  // namespace

Compiled::Compiled(const Graph& graph, const CompileOptions& options) : graph_(graph), options_(options) {
  try {
    compile();
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {  // files, memory, the compiler: in any case it can run eagerly
    remark_ = std::string(error.what()) + "; until then each operator runs on its own";
    code_.clear();
    library_.reset();
  }
}

void Compiled::compile() {
  plan_ = make_plan(graph_, options_.any_rows, largest_near(options_.stores));
  if (!plan_.refusal.empty()) throw BuildError("graph: " + plan_.refusal);
  const std::string loops = emit(plan_);
  program_ = prelude() + "\nnamespace hf::compilers {\n\n" + loops + "\n}  // namespace hf::compilers\n";
  const Built built = build(program_, find_toolchain(options_.compiler),
                            options_.folder.empty() ? libraries_of_this_run() : options_.folder, options_.seconds);
  file_ = built.library;
  library_ = built.code;
  find_functions();
  source_ = loops;
}

void Compiled::find_functions() {
  std::size_t number = 0;
  for (const Band& band : plan_.bands) {
    code_.emplace_back();
    for (const Loop& loop : band.loops) {
      const bool product = loop.kind == Loop::Kind::product;
      const std::string name = (product ? "epilogue_" : "loop_") + std::to_string(number++);
      void* const function = dlsym(library_.get(), name.c_str());
      if (function == nullptr && !(product && loop.nodes.size() == 1)) {
        throw BuildError("library " + file_.string() + ": has no " + name + "; name another compiler in CXX");
      }
      code_.back().push_back({&loop, function, scratch_floats(plan_, loop)});
    }
  }
}

void Compiled::run(std::span<const float* const> inputs, float* result, std::size_t rows) {
  const std::size_t usual = graph_.nodes().empty() ? 0 : graph_.result_shape().rows;
  if (rows == 0) rows = usual;
  if (!is_compiled() || (!options_.any_rows && rows != usual)) return run_eagerly(inputs, result, rows);
  const std::vector<Node>& nodes = plan_.graph.nodes();
  std::vector<float*> values(nodes.size());
  std::size_t next_input = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].op == Op::input) values[i] = const_cast<float*>(inputs[next_input++]);  // only read
    if (nodes[i].op == Op::constant) values[i] = const_cast<float*>(&nodes[i].number);
  }
  values.back() = result;
  for (std::size_t band = 0; band < plan_.bands.size(); ++band) run_band(band, values, rows);
}

void Compiled::run_eagerly(std::span<const float* const> inputs, float* result, std::size_t rows) {
  if (!eager_.contains(rows)) {
    const bool same = graph_.nodes().empty() || rows == graph_.result_shape().rows;
    if (!same && (!options_.any_rows || plan_.any_row.empty())) {
      throw std::invalid_argument("graph: has " + std::to_string(graph_.result_shape().rows) + " rows, not " +
                                  std::to_string(rows) + "; compile it for any number of rows");
    }
    eager_.emplace(rows, same ? graph_ : with_rows(plan_, rows));
  }
  eager_.at(rows).run(inputs, result);
}

/// Returns how many rows of a band to run at a time. With few, the results between its loops stay in the level-2 cache.
/// With many, the right sides of its products are read and packed less often. Chooses whichever moves fewer bytes for a
/// row.
std::size_t Compiled::block_rows(const Band& band, std::size_t rows) const {
  std::size_t near = 0, right = 0;  // floats: of a row between loops, of all right sides
  for (Ref ref : band.near) near += columns_of(ref);
  for (const Loop& loop : band.loops) {
    if (loop.kind != Loop::Kind::product) continue;
    if (shares_columns(rows, loop.domain.columns)) return rows;
    right += plan_.graph.node(plan_.graph.node(loop.nodes[0]).operands[1]).shape.numbers();
  }
  const std::size_t tile = right > 0 ? matmul::register_tile.rows : 1;
  const std::size_t l2 = this_machine().cache_bytes(2), l2_floats = (l2 != 0 ? l2 : 512 * 1024) / sizeof(float);
  const std::size_t few = std::max(l2_floats / 2 / near, 4 * tile);
  const std::size_t many = matmul::parts_of(rows, sharing_cores());
  const std::size_t wanted = right / few < 2 * near ? std::min(few, many) : many;
  const std::size_t blocks = matmul::round_up(matmul::parts_of(rows, wanted), sharing_cores());
  return matmul::round_up(matmul::parts_of(rows, blocks), tile);
}

void Compiled::run_band(std::size_t number, std::vector<float*>& values, std::size_t rows) {
  const Band& band = plan_.bands[number];
  const Loop& head = band.loops[0];
  const std::size_t band_rows = plan_.any_row[head.nodes[0].node] ? rows : head.domain.rows;
  const std::size_t block = band.near.empty() ? band_rows : block_rows(band, band_rows);
  for (const Loop& loop : band.loops) {
    for (Ref output : loop.outputs) {
      const bool is_result = output.node + 1 == values.size();
      if (contains(band.near, output) ? block >= band_rows : !is_result) {
        values[output.node] = matmul::memory_of<float>(memory_[output.node], band_rows * columns_of(output));
      }
    }
  }
  if (block >= band_rows) {
    for (const LoopCode& loop : code_[number]) run_whole(loop, values.data(), band_rows);
    return;
  }
  const auto run_blocks = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) run_block(number, values, i * block, std::min(band_rows, (i + 1) * block));
  };
  const std::size_t blocks = matmul::parts_of(band_rows, block);
  share(blocks, worth_sharing, run_blocks, matmul::parts_of(blocks, sharing_cores()));
}

/// Runs all loops of a band, for some of its rows.
void Compiled::run_block(std::size_t number, std::vector<float*> values, std::size_t first, std::size_t last) const {
  static thread_local Buffer memory;
  const Band& band = plan_.bands[number];
  constexpr std::size_t line = 16;
  std::size_t floats = 0;
  for (Ref near : band.near) floats += matmul::round_up((last - first) * columns_of(near), line);
  float* at = matmul::memory_of<float>(memory, floats);
  for (Ref near : band.near) {
    values[near.node] = shifted_back(at, first * columns_of(near));
    at += matmul::round_up((last - first) * columns_of(near), line);
  }
  for (const LoopCode& loop : code_[number]) {
    const std::size_t each = loop.loop->kind == Loop::Kind::flat ? loop.loop->domain.columns : 1;
    run_part(loop, values.data(), first * each, last * each);
  }
}

/// Runs one loop, for all its rows.
void Compiled::run_whole(const LoopCode& code, float* const* values, std::size_t rows) const {
  const Loop& loop = *code.loop;
  const std::size_t columns = loop.domain.columns;
  if (loop.kind == Loop::Kind::product) {
    const std::vector<Ref>& of = plan_.graph.node(loop.nodes[0]).operands;
    const BandRows block = {values, 0};
    return shared_product(rows, columns, columns_of(of[0]), values[of[0].node], values[of[1].node],
                          values[loop.outputs[0].node], epilogue(code.function, block));
  }
  const std::size_t in_a_row = loop.kind == Loop::Kind::flat ? columns : 1,
                    arrays = loop.inputs.size() + loop.outputs.size();
  const auto run = [&](std::size_t first, std::size_t last) { run_part(code, values, first, last); };
  share(rows * in_a_row, arrays * columns / in_a_row, run, 1);
}

/// Runs one loop, for some of its rows or, if it is flat, of its numbers.
void Compiled::run_part(const LoopCode& code, float* const* values, std::size_t first, std::size_t last) const {
  static thread_local Buffer memory;
  const Loop& loop = *code.loop;
  if (loop.kind != Loop::Kind::product) {
    float* const scratch = matmul::memory_of<float>(memory, std::max<std::size_t>(code.scratch, 1));
    return reinterpret_cast<LoopFunction*>(code.function)(values, scratch, first, last);
  }
  const std::vector<Ref>& of = plan_.graph.node(loop.nodes[0]).operands;
  const std::size_t depth = columns_of(of[0]), columns = loop.domain.columns;
  const BandRows block = {values, first};
  matmul::gemm_part({0, 0, last - first, columns}, columns, depth, values[of[0].node] + first * depth,
                    values[of[1].node], values[loop.outputs[0].node] + first * columns, matmul::default_blocking(),
                    epilogue(code.function, block));
}

}  // namespace hf::compilers
