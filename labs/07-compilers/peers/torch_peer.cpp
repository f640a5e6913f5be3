#include "07-compilers/peers/torch_peer.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/peers/torch_peer_py.hpp"
#include "harness/machine/machine_registers.hpp"
#include "harness/measure/python_peer.hpp"
#include "harness/measure/scratch_folder.hpp"

namespace hf::compilers {

// ---- A graph in Python ----

namespace {

/// Returns the shortest decimal that reads back as the same float.
std::string digits(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

class PythonWriter {
 public:
  explicit PythonWriter(const Graph& graph) : graph_(graph), uses_(graph.nodes().size()) {
    for (const Node& node : graph.nodes()) {
      for (Ref operand : node.operands) ++uses_[operand.node];
    }
  }

  TorchProgram program() const {
    TorchProgram program;
    std::string names, body;
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      const Node& node = graph_.nodes()[i];
      if (node.op == Op::input) {
        if (is_vector({i}) || is_weight({i})) program.parameters.push_back(program.sizes.size());
        program.sizes.push_back({node.shape.rows, node.shape.columns});
        if (is_vector({i})) program.sizes.back().erase(program.sizes.back().begin());
        names += (names.empty() ? "" : ", ") + name_of({i});
      } else if (node.op != Op::constant && !is_part_of_addmm(node)) {
        body += "    " + name_of({i}) + " = " + expression(node) + "\n";
      }
    }
    program.source = "def graph(" + names + "):\n" + body + "    return " + name_of({graph_.nodes().size() - 1}) + "\n";
    return program;
  }

 private:
  /// Returns the argument that stands for a node: the name of a tensor, or a number.
  std::string name_of(Ref ref) const {
    const Node& node = graph_.node(ref);
    return node.op == Op::constant ? digits(node.number) : std::string("v").append(std::to_string(ref.node));
  }

  /// Returns a row as a one-dimensional tensor.
  std::string row(Ref ref) const { return name_of(ref) + (is_vector(ref) ? "" : ".view(-1)"); }

  /// True if an input is used only as gain, shift or bias: PyTorch expects those without a second dimension.
  bool is_vector(Ref ref) const {
    int others = uses_[ref.node];
    for (const Node& node : graph_.nodes()) {
      for (std::size_t i = 1; i < node.operands.size(); ++i) {
        const bool is_bias = node.op == Op::layer_norm || product_below(node) != nullptr;
        if (node.operands[i].node == ref.node && is_bias) --others;
      }
    }
    return graph_.node(ref).shape.rows == 1 && others == 0;
  }

  /// True if an input is only the weight of a Linear.
  bool is_weight(Ref ref) const {
    return std::ranges::any_of(graph_.nodes(), [&](const Node& node) {
      const Node* const product = product_below(node);
      return product != nullptr && product->operands[1].node == ref.node && uses_[ref.node] == 1;
    });
  }

  /// Returns the product to which this node adds a row, if the product has no other use; else null.
  const Node* product_below(const Node& node) const {
    if (node.op != Op::add) return nullptr;
    const Node &product = graph_.node(node.operands[0]), &bias = graph_.node(node.operands[1]);
    const bool is_row = bias.op == Op::input && bias.shape.rows == 1 && bias.shape.columns == node.shape.columns;
    return product.op == Op::matmul && uses_[node.operands[0].node] == 1 && is_row ? &product : nullptr;
  }

  bool is_part_of_addmm(const Node& product) const {
    return std::ranges::any_of(graph_.nodes(), [&](const Node& node) { return product_below(node) == &product; });
  }

  std::string expression(const Node& node) const {
    std::vector<std::string> of;
    for (Ref operand : node.operands) of.push_back(name_of(operand));
    switch (node.op) {
      case Op::input:
      case Op::constant: return "";
      case Op::add: {
        const Node* const product = product_below(node);
        if (product == nullptr) return of[0] + " + " + of[1];
        return "torch.addmm(" + of[1] + ", " + name_of(product->operands[0]) + ", " + name_of(product->operands[1]) +
               ")";
      }
      case Op::subtract: return of[0] + " - " + of[1];
      case Op::multiply: return of[0] + " * " + of[1];
      case Op::divide: return of[0] + " / " + of[1];
      case Op::maximum:
        if (graph_.node(node.operands[1]).op == Op::constant) return "torch.clamp_min(" + of[0] + ", " + of[1] + ")";
        if (graph_.node(node.operands[0]).op == Op::constant) return "torch.clamp_min(" + of[1] + ", " + of[0] + ")";
        return "torch.maximum(" + of[0] + ", " + of[1] + ")";
      case Op::relu: return "torch.relu(" + of[0] + ")";
      case Op::exp: return "torch.exp(" + of[0] + ")";
      case Op::rsqrt: return "torch.rsqrt(" + of[0] + ")";
      case Op::gelu: return "F.gelu(" + of[0] + ", approximate=\"tanh\")";
      case Op::dropout: return "F.dropout(" + of[0] + ", " + digits(node.number) + ", training=True)";
      case Op::row_sum: return of[0] + ".sum(1, keepdim=True)";
      case Op::row_max: return of[0] + ".amax(1, keepdim=True)";
      case Op::matmul: return "torch.mm(" + of[0] + ", " + of[1] + ")";
      case Op::softmax: return "torch.softmax(" + of[0] + ", 1)";
      case Op::layer_norm:
        return "F.layer_norm(" + of[0] + ", (" + std::to_string(node.shape.columns) + ",), " + row(node.operands[1]) +
               ", " + row(node.operands[2]) + ")";
    }
    return "";
  }

  const Graph& graph_;
  std::vector<int> uses_;
};

}  // namespace

TorchProgram torch_program(const Graph& graph) { return PythonWriter(graph).program(); }

// ---- A process that runs it ----

namespace {

/// Puts tensors on huge pages, which are kept for the next call instead of being returned to the system and cleared
/// again; pins threads to their cores and lets them spin.
const std::vector<std::string> torch_settings = {
    "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0"
    ":glibc.malloc.trim_threshold=1099511627776:glibc.malloc.top_pad=16777216",
    "OMP_PROC_BIND=true",
    "OMP_WAIT_POLICY=active",
};

/// PyTorch multiplies with MKL, which calls this function and uses slower code on processors of other makers. A
/// preloaded library answers in its place.
const char* const as_on_intel = R"(
extern "C" int mkl_serv_intel_cpu_true() { return 1; }
)";

bool may_run_mkl_slowly() {
#if defined(__x86_64__)
  return vendor_signature() != "GenuineIntel";
#else
  return false;
#endif
}

/// \return the setting that preloads the library \throws BuildError
std::string preloaded(const ScratchFolder& cache) {
  constexpr double patience = 60;  // seconds
  const std::string library = build(as_on_intel, find_toolchain(""), cache.path(), patience).library.string();
  const char* const others = std::getenv("LD_PRELOAD");
  return "LD_PRELOAD=" + library + (others != nullptr ? std::string(":") + others : "");
}

/// PyTorch's compiler starts with an empty cache, leaves no processes behind, and no files if it is interrupted.
PeerProgram torch_script(const ScratchFolder& cache, std::string& remark) {
  PeerProgram program = {.name = "PyTorch", .script = torch_peer_py, .settings = torch_settings};
  if (may_run_mkl_slowly()) {
    try {
      program.settings.push_back(preloaded(cache));
    } catch (const BuildError& error) {
      remark = std::string("PyTorch's MKL may run slower than it could here: ") + error.what();
    }
  }
  program.settings.push_back("TORCHINDUCTOR_CACHE_DIR=" + cache.path().string());
  program.settings.push_back("TMPDIR=" + cache.path().string());
  program.settings.emplace_back("TORCHINDUCTOR_COMPILE_THREADS=1");
  return program;
}

}  // namespace

TorchPeer::TorchPeer(std::chrono::seconds patience) : peer_(torch_script(cache_, remark_), patience) {}

int TorchPeer::load(const TorchProgram& program, std::span<const float* const> tensors) {
  for (std::size_t i = 0; i < program.sizes.size(); ++i) {
    std::string command = "tensor";
    std::size_t numbers = 1;
    for (const std::size_t size : program.sizes[i]) {
      command.append(" ").append(std::to_string(size));
      numbers *= size;
    }
    peer_.ask(command, {tensors[i], numbers});
  }
  const nlohmann::json text = {{"source", program.source}, {"parameters", program.parameters}};
  const std::string answer = peer_.ask("program " + text.dump());
  int number = -1;
  const auto [stop, error] = std::from_chars(answer.data(), answer.data() + answer.size(), number);
  if (error != std::errc() || *stop != '\0' || number < 0) peer_.fail("loads program '" + answer + "'");
  return number;
}

double TorchPeer::seconds(int program, const std::string& mode, int threads, std::int64_t times) {
  return peer_.ask_seconds("seconds " + std::to_string(program) + " " + mode + " " + std::to_string(threads) + " " +
                           std::to_string(times));
}

std::vector<float> TorchPeer::result(int program, const std::string& mode) {
  return peer_.ask_numbers("result " + std::to_string(program) + " " + mode);
}

void TorchPeer::start_compiler() {
  if (!has_compiler_) peer_.ask("start");
  has_compiler_ = true;
}

void TorchPeer::release() { peer_.ask("release"); }

}  // namespace hf::compilers
