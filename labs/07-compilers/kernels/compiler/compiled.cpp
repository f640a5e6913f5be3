#include "07-compilers/kernels/compiler/compiled.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "02-matmul/kernels/gemm.hpp"
#include "02-matmul/kernels/partition.hpp"
#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/emit.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/plan.hpp"
#include "07-compilers/kernels/compiler/shared_product.hpp"
#include "common/loop_team.hpp"
#include "harness/interrupt.hpp"
#include "harness/machine.hpp"
#include "harness/memory.hpp"
#include "harness/work.hpp"

namespace hf::compilers {
namespace {

/// As emit.hpp and loop_forms.hpp have them.
using LoopFunction = void(float* const* values, float* scratch, std::size_t first, std::size_t last);
using EpilogueFunction = void(const void* block, float* c, std::size_t stride, std::size_t row, std::size_t column,
                              std::size_t rows, std::size_t columns);
struct Block {
  float* const* values;
  std::size_t row;
};

/// A library of loops, loaded.
class Library {
 public:
  /// \throws BuildError
  explicit Library(const std::filesystem::path& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), &dlclose) {
    if (handle_ == nullptr)
      throw BuildError("cache: cannot be loaded: " + std::string(dlerror()) + "; name another compiler in CXX");
  }

  /// \return null where there is none of that name
  template <class Signature>
  Signature* function(const std::string& name) const {
    return reinterpret_cast<Signature*>(dlsym(handle_.get(), name.c_str()));
  }

 private:
  std::unique_ptr<void, int (*)(void*)> handle_;
};

/// A loop of the plan, and its code.
struct LoopCode {
  const Loop* loop;
  LoopFunction* run;
  EpilogueFunction* epilogue;
  std::size_t scratch;  ///< floats
};

matmul::Epilogue epilogue_of(const LoopCode& code, const Block& block) {
  return code.epilogue != nullptr ? matmul::Epilogue{code.epilogue, &block} : matmul::Epilogue{};
}

float* floats_of(Buffer& buffer, std::size_t count) { return matmul::memory_of<float>(buffer, count); }

/// A pointer that is to be used from `numbers` numbers on.
float* shifted_back(float* pointer, std::size_t numbers) {
  return reinterpret_cast<float*>(reinterpret_cast<std::uintptr_t>(pointer) - numbers * sizeof(float));
}

std::size_t largest_near(Stores stores, const Machine& machine) {
  if (stores == Stores::nontemporal) return 0;
  if (stores == Stores::ordinary) return std::numeric_limits<std::size_t>::max();
  return machine.last_level_cache_bytes();
}

const Machine& this_machine() {
  static const Machine machine = probe_machine();
  return machine;
}

}  // namespace

struct Compiled::State {
  Graph graph;
  CompileOptions options;
  FusionPlan plan;
  std::string remark, source;
  bool from_cache = false;
  std::filesystem::path file;
  std::unique_ptr<Library> library;         ///< null: it runs eagerly
  std::vector<std::vector<LoopCode>> code;  ///< of each band
  std::map<std::size_t, Buffer> memory;     ///< of each node whose result another band reads, or all of a band at once
  std::map<std::size_t, Eager> eager;       ///< for each number of rows

  void compile();
  void load();
  void run(std::span<const float* const> inputs, float* result, std::size_t rows);
  void run_eagerly(std::span<const float* const> inputs, float* result, std::size_t rows);

  std::size_t rows_of(const Loop& loop, std::size_t rows) const {
    return plan.any_row[loop.nodes[0].node] ? rows : loop.domain.rows;
  }
  std::size_t columns_of(Ref ref) const { return plan.graph.node(ref).shape.columns; }
  std::size_t block_rows(const Band& band, std::size_t rows) const;
  void run_band(std::size_t band, std::vector<float*>& values, std::size_t rows);
  void run_alone(const LoopCode& code, float* const* values, std::size_t rows) const;
  void run_block(std::size_t band, std::vector<float*> values, std::size_t first, std::size_t last) const;
  void run_part(const LoopCode& code, float* const* values, std::size_t first, std::size_t last) const;
};

void Compiled::State::compile() {
  plan = make_plan(graph, options.any_rows, largest_near(options.stores, this_machine()));
  if (!plan.refusal.empty()) throw BuildError("graph: " + plan.refusal);
  const std::string loops = emit(plan);
  const std::string program =
      prelude() + "\nnamespace hf::compilers {\n\n" + loops + "\n}  // namespace hf::compilers\n";
  const Built built = build(program, find_toolchain(options.compiler, options.seconds),
                            options.cache.empty() ? default_cache() : options.cache, options.seconds);
  from_cache = built.from_cache;
  remark = built.remark;
  file = built.library;
  try {
    load();
  } catch (const BuildError&) {
    std::error_code error;
    std::filesystem::remove(file, error);  // it would not load the next time either
    throw;
  }
  source = loops;
}

void Compiled::State::load() {
  auto loaded = std::make_unique<Library>(file);
  std::size_t number = 0;
  for (const Band& band : plan.bands) {
    code.emplace_back();
    for (const Loop& loop : band.loops) {
      const std::string name = std::to_string(number++);
      const bool product = loop.kind == Loop::Kind::product;
      const LoopCode entry = {.loop = &loop,
                              .run = product ? nullptr : loaded->function<LoopFunction>("loop_" + name),
                              .epilogue = product ? loaded->function<EpilogueFunction>("epilogue_" + name) : nullptr,
                              .scratch = scratch_floats(plan, loop)};
      const bool needs_none = product && loop.nodes.size() == 1;
      if (!needs_none && entry.run == nullptr && entry.epilogue == nullptr) {
        throw BuildError("cache " + file.string() + ": has no loop " + name + "; name another compiler in CXX");
      }
      code.back().push_back(entry);
    }
  }
  library = std::move(loaded);
}

void Compiled::State::run_eagerly(std::span<const float* const> inputs, float* result, std::size_t rows) {
  if (!eager.contains(rows)) {
    const bool same = rows == graph.result_shape().rows;
    if (!same && (!options.any_rows || plan.any_row.empty())) {
      throw std::invalid_argument("graph: has " + std::to_string(graph.result_shape().rows) + " rows, not " +
                                  std::to_string(rows) + "; compile it for any number of rows");
    }
    eager.emplace(rows, same ? graph : with_rows(plan, rows));
  }
  eager.at(rows).run(inputs, result);
}

void Compiled::State::run(std::span<const float* const> inputs, float* result, std::size_t rows) {
  const std::vector<Node>& nodes = plan.graph.nodes();
  std::vector<float*> values(nodes.size());
  std::size_t next_input = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].op == Op::input) values[i] = const_cast<float*>(inputs[next_input++]);  // only read
    if (nodes[i].op == Op::constant) values[i] = const_cast<float*>(&nodes[i].number);
  }
  values.back() = result;
  for (std::size_t band = 0; band < plan.bands.size(); ++band) run_band(band, values, rows);
}

/// How many rows of a band at a time. Few: what passes between its loops stays in the
/// level-2 cache. Many: what its products multiply by is read, and packed, less often.
/// Whichever moves fewer bytes for a row.
std::size_t Compiled::State::block_rows(const Band& band, std::size_t rows) const {
  std::size_t near = 0, right = 0;  // floats: of a row between loops, of all right sides
  for (Ref ref : band.near) near += columns_of(ref);
  for (const Loop& loop : band.loops) {
    if (loop.kind != Loop::Kind::product) continue;
    if (shares_columns(rows, loop.domain.columns)) return rows;
    right += plan.graph.node(plan.graph.node(loop.nodes[0]).operands[1]).shape.numbers();
  }
  const std::size_t tile = right > 0 ? matmul::register_tile.rows : 1;
  const std::size_t l2 = this_machine().cache_bytes(2), l2_floats = (l2 != 0 ? l2 : 512 * 1024) / sizeof(float);
  const std::size_t few = std::max(l2_floats / 2 / near, 4 * tile);
  const std::size_t many = matmul::parts_of(rows, sharing_cores());
  const std::size_t wanted = right / few < 2 * near ? std::min(few, many) : many;
  const std::size_t blocks = matmul::round_up(matmul::parts_of(rows, wanted), sharing_cores());
  return matmul::round_up(matmul::parts_of(rows, blocks), tile);
}

void Compiled::State::run_band(std::size_t number, std::vector<float*>& values, std::size_t rows) {
  const Band& band = plan.bands[number];
  const std::size_t band_rows = rows_of(band.loops[0], rows);
  const std::size_t block = band.near.empty() ? band_rows : block_rows(band, band_rows);
  for (const Loop& loop : band.loops) {
    for (Ref output : loop.outputs) {
      const Place at = place(plan, band, output);
      if (at == Place::memory || (at == Place::near && block >= band_rows)) {
        values[output.node] = floats_of(memory[output.node], band_rows * columns_of(output));
      }
    }
  }
  if (block >= band_rows) {
    for (const LoopCode& loop : code[number]) run_alone(loop, values.data(), band_rows);
    return;
  }
  const auto run_blocks = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) run_block(number, values, i * block, std::min(band_rows, (i + 1) * block));
  };
  const std::size_t blocks = matmul::parts_of(band_rows, block);
  share(blocks, worth_sharing, run_blocks, matmul::parts_of(blocks, sharing_cores()));
}

/// All loops of a band, for some of its rows.
void Compiled::State::run_block(std::size_t number, std::vector<float*> values, std::size_t first,
                                std::size_t last) const {
  static thread_local Buffer memory;
  const Band& band = plan.bands[number];
  constexpr std::size_t line = 16;
  std::size_t floats = 0;
  for (Ref near : band.near) floats += matmul::round_up((last - first) * columns_of(near), line);
  float* at = floats_of(memory, floats);
  for (Ref near : band.near) {
    values[near.node] = shifted_back(at, first * columns_of(near));
    at += matmul::round_up((last - first) * columns_of(near), line);
  }
  for (const LoopCode& loop : code[number]) {
    const std::size_t each = loop.loop->kind == Loop::Kind::flat ? loop.loop->domain.columns : 1;
    run_part(loop, values.data(), first * each, last * each);
  }
}

/// One loop, for all its rows.
void Compiled::State::run_alone(const LoopCode& code, float* const* values, std::size_t rows) const {
  const Loop& loop = *code.loop;
  if (loop.kind == Loop::Kind::product) {
    const auto [a, b] =
        std::pair(plan.graph.node(loop.nodes[0]).operands[0], plan.graph.node(loop.nodes[0]).operands[1]);
    const Block block = {values, 0};
    return shared_product(rows, loop.domain.columns, columns_of(a), values[a.node], values[b.node],
                          values[loop.outputs[0].node], epilogue_of(code, block));
  }
  const bool flat = loop.kind == Loop::Kind::flat;
  const std::size_t count = flat ? rows * loop.domain.columns : rows;
  const std::size_t cost = (loop.inputs.size() + loop.outputs.size()) * (flat ? 1 : loop.domain.columns);
  share(
      count, cost, [&](std::size_t first, std::size_t last) { run_part(code, values, first, last); }, 1);
}

/// One loop, for some of its rows, or of its numbers where it is flat.
void Compiled::State::run_part(const LoopCode& code, float* const* values, std::size_t first, std::size_t last) const {
  static thread_local Buffer memory;
  const Loop& loop = *code.loop;
  if (loop.kind != Loop::Kind::product) {
    return code.run(values, floats_of(memory, std::max<std::size_t>(code.scratch, 1)), first, last);
  }
  const auto [a, b] = std::pair(plan.graph.node(loop.nodes[0]).operands[0], plan.graph.node(loop.nodes[0]).operands[1]);
  const std::size_t depth = columns_of(a), columns = loop.domain.columns;
  const Block block = {values, first};
  matmul::gemm_part({0, 0, last - first, columns}, columns, depth, values[a.node] + first * depth, values[b.node],
                    values[loop.outputs[0].node] + first * columns, matmul::default_blocking(),
                    epilogue_of(code, block));
}

Compiled::Compiled(const Graph& graph, const CompileOptions& options) : state_(std::make_unique<State>()) {
  state_->graph = graph;
  state_->options = options;
  try {
    state_->compile();
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {  // of files, memory, the compiler: whatever it is, there is another way
    state_->remark = std::string(error.what()) + "; until then each operator runs on its own";
    state_->code.clear();
    state_->library.reset();
  }
}

Compiled::~Compiled() = default;
Compiled::Compiled(Compiled&&) noexcept = default;
Compiled& Compiled::operator=(Compiled&&) noexcept = default;

void Compiled::run(std::span<const float* const> inputs, float* result, std::size_t rows) {
  if (rows == 0 && !state_->graph.nodes().empty()) rows = state_->graph.result_shape().rows;
  if (state_->library == nullptr || (!state_->options.any_rows && rows != state_->graph.result_shape().rows)) {
    state_->run_eagerly(inputs, result, rows);
  } else {
    state_->run(inputs, result, rows);
  }
}

const std::string& Compiled::remark() const { return state_->remark; }
bool Compiled::is_compiled() const { return state_->library != nullptr; }
bool Compiled::is_from_cache() const { return state_->from_cache; }
const std::string& Compiled::source() const { return state_->source; }
std::filesystem::path Compiled::library() const { return state_->file; }
std::size_t Compiled::loops() const { return state_->plan.loops(); }
Work Compiled::work() const { return hf::compilers::work(state_->plan); }

}  // namespace hf::compilers
