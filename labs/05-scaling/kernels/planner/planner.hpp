/// \file
/// The planner: chips and the wires between them, a transformer's sizes, how a training step is shared out, what that keeps
/// in memory, how long it takes (a roofline for what a chip does alone, alpha and beta for what travels), and which plan is
/// fastest. Chips, models and constants are in data/planner.json; the site's planner has them, too.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace hf::scaling {

// ---- Accelerators that transformers were trained on ----

/// One accelerator; bandwidths in bytes per second and one direction, latencies in seconds for a step of a ring.
struct Chip {
  std::string name;
  double peak;       ///< dense bf16 FLOP/s of the data sheet: what MFU is a share of
  double matmul;     ///< FLOP/s that others measured for the best product; the peak where nobody did
  double matmul8;    ///< the same of 8-bit numbers; 0 where nobody did, or the chip cannot
  int units;         ///< multiprocessors that share out a product's tiles; 0 where one array takes them in turn
  double capacity;   ///< bytes of memory
  double bandwidth;  ///< of memory
  int together;      ///< chips that the fast links join: a node, or a pod
  int torus_axes;    ///< 0 where a switch joins them
  double link;       ///< the switch's measured bus bandwidth for one chip; on a torus, of one link
  double link_latency;
  double network;  ///< of one chip, out of its node or pod
  double network_latency;
  std::string source;
};

/// Every chip that is known, by name (data/planner.json).
const std::vector<Chip>& chips();

/// \throws std::runtime_error, one line, that names those there are
const Chip& chip(const std::string& name);

/// What a group of chips talks through.
struct Wire {
  double bandwidth;  ///< bytes per second of one chip, one direction
  double latency;    ///< seconds for a step
  bool network;      ///< whether it leaves the node or the pod
};

/// The wire of a group of `size` chips that lie `stride` apart. A group that spans nodes has all the network cards of its
/// members in each; one on a torus has two links for each axis, and `axes` of them.
Wire wire_between(const Chip& chip, int stride, int size, int axes);

/// Seconds of a ring's reduce-scatter or all-gather of `bytes` among n chips: n - 1 steps, each with an n-th of them. An
/// all-reduce is one after the other.
double ring_seconds(const Wire& wire, int n, double bytes);

// ---- The sizes of a transformer, and the arithmetic that follows from them alone ----

/// A decoder. Every size is a number of elements.
struct TransformerShape {
  std::string name;
  double layers, hidden, heads, kv_heads, head_size;
  double ffn;  ///< width of the hidden layer of the perceptron, or of one expert's
  bool gated;  ///< whether that has a third matrix (SwiGLU)
  double vocabulary;
  bool tied;              ///< whether the embedding is the last layer's matrix too
  bool parallel = false;  ///< attention and perceptron read the same input (PaLM)
  double experts = 1;     ///< perceptrons that each layer has to choose from
  double active = 1;      ///< those that a token goes through

  /// Elements of a layer's matrices: queries, keys, values and output; one perceptron; experts, where there is a choice;
  /// all of them, and the router.
  double attention_weights() const;
  double perceptron_weights() const;
  double expert_weights() const;
  double layer_weights() const;
  double parameters() const;

  /// FLOPs of a training step on so many sequences, two for each multiply-add, nothing recomputed, attention counted in
  /// full: 72 B s l h^2 (1 + s/6h + V/12lh) for a GPT.
  double model_flops(double batch, double sequence) const;

  /// The same with every layer's forward pass done twice: 96 B s l h^2 (1 + s/6h + V/16lh) for a GPT.
  double recomputed_flops(double batch, double sequence) const;
};

/// A GPT: as many key heads as heads, perceptron four times as wide, one matrix for embedding and output.
TransformerShape gpt(const std::string& name, double layers, double hidden, double heads, double vocabulary = 51200);

/// Every model that the command line knows by name (data/planner.json).
const std::vector<TransformerShape>& models();

/// \throws std::runtime_error, one line, that names those there are
const TransformerShape& model(const std::string& name);

// ---- How a training step is shared out over chips ----

/// What of the forward pass is done again in the backward pass: nothing; attention's core, or, where that never writes its
/// scores, what is element-wise; all of a layer.
enum class Recompute { none, selective, full };

/// What the chips that hold the same layers share: nothing but gradients, the optimiser's state (ZeRO-1), or weights,
/// gradients and state (FSDP, ZeRO-3).
enum class Sharding { none, optimizer, full };

/// A plan. Chips are numbered so that neighbours share tensors, then contexts, then data, then pipelines, then pods.
struct ParallelPlan {
  int tensor = 1, context = 1, data = 1, pipeline = 1, pods = 1;
  int experts = 1;         ///< chips, of those that hold the same layers, that share out the experts
  int interleave = 1;      ///< pieces of a pipeline's stage
  double micro_batch = 1;  ///< sequences of one replica at a time
  double batch = 1;        ///< sequences of a step, over all chips
  double sequence = 2048;
  Recompute recompute = Recompute::none;
  Sharding sharding = Sharding::optimizer;
  bool sequence_parallel = true;    ///< what lies between the tensors' collectives is shared out too
  bool overlap_tensor = false;      ///< whether collectives of tensors and contexts run beside products
  bool overlap_data = true;         ///< the same for gradients and weights
  bool overlap_pipeline = true;     ///< the same for what stages send each other
  bool send_shares = true;          ///< stages send a share from each of the tensor's chips, and gather it beyond
  bool flash = true;                ///< attention never writes its scores to memory, and skips the masked half
  bool embedding_as_layer = false;  ///< the stages are filled as if the two vocabulary layers were two more layers
  bool fp8 = false;                 ///< whether the layers' products multiply 8-bit numbers
  bool stops_early = false;         ///< what computes a layer again leaves out its last product
  double gradient_bytes = 4;        ///< of a gradient that is summed over chips

  int chips() const { return tensor * context * data * pipeline * pods; }
  int replicas() const { return data * pods; }
  /// Chips of a pod that hold the same layers.
  int sharers() const { return data * context; }
  /// Tokens that a chip has at a time.
  double tokens() const { return micro_batch * sequence / context; }
  /// Micro-batches that one replica runs after each other.
  double micro_batches() const { return batch / (micro_batch * replicas()); }
};

/// \throws std::runtime_error, one line naming option and remedy, where the plan does not fit the model's sizes
void check_plan(const ParallelPlan& plan, const TransformerShape& shape);

/// In the order tensor x context x pipeline x data, those that are not 1.
std::string short_name(const ParallelPlan& plan);

// ---- What a plan keeps in each chip's memory ----

/// Bytes on a chip of the first stage, which holds the most.
struct MemoryUse {
  double weights;  ///< bf16; with full sharding a share of them, and two layers gathered
  double gradients;
  double optimizer;    ///< weight and two moments in fp32
  double activations;  ///< what the backward pass reads, of all micro-batches under way

  double total() const { return weights + gradients + optimizer + activations; }
};

MemoryUse memory_use(const TransformerShape& shape, const ParallelPlan& plan);

/// Bytes that one layer keeps of one micro-batch: s b h (10 + 24/t + 5 a s/(h t)) for a GPT whose attention writes its
/// scores, all of it over t with sequence parallelism, without the scores where they are computed again or never written,
/// and 2 s b h where everything is computed again (Korthikanti et al., arXiv 2205.05198, table 2). Gated models have no
/// dropout masks.
double layer_activations(const TransformerShape& shape, const ParallelPlan& plan);

/// Layers of the longest stage.
double layers_of_stage(const ParallelPlan& plan, const TransformerShape& shape);

/// Elements of the matrices that a chip of the first stage computes with, before replicas share any: the experts', and all;
/// and those of which it keeps the optimiser's state.
double expert_weights_on_chip(const ParallelPlan& plan, const TransformerShape& shape);
double weights_on_chip(const ParallelPlan& plan, const TransformerShape& shape);
double updated_weights_on_chip(const ParallelPlan& plan, const TransformerShape& shape);

// ---- How long a step takes ----

/// The three numbers that were fitted, once, for all runs; see published_runs.hpp.
struct Constants {
  double matmul;  ///< share of the best product's rate that a model's products reach when their tiles fill the chip
  double memory;  ///< share of the memory's bandwidth that element-wise work reaches
  double hidden;  ///< share that does not show of what the software runs beside arithmetic
};

/// Found by fit_constants() from the runs that are marked for it; a test finds them again.
extern const Constants fitted;

/// Share of the best product's rate that fused attention reaches: FlashAttention-2 reports 190 of A100's 312 TFLOP/s for
/// causal training steps with heads of 128 (arXiv 2307.08691, section 4.1), which is 0.7 of 271.
extern const double flash_share;

/// Seconds of a step by what they are spent on; they add up.
struct StepTime {
  double arithmetic = 0;  ///< matrix products and attention
  double memory = 0;      ///< norms, residuals, activations, scores, losses, the optimiser
  double tensor = 0;      ///< collectives that cut tensors and contexts, as far as they show
  double network = 0;     ///< gradients, weights and stages' outputs, as far as they show
  double bubble = 0;      ///< waiting for the pipeline to fill and to drain

  double total() const { return arithmetic + memory + tensor + network + bubble; }
  StepTime operator+(const StepTime& other) const;
  StepTime operator*(double factor) const;
};

/// "arithmetic", "memory", "tensor links", "network" or "bubble": the largest.
const char* what_limits(const StepTime& time);

/// A product of an m x k by a k x n matrix.
struct Product {
  double m, n, k;
};

/// Seconds of a product: tiles of 128 x 256 are dealt out to the chip's units in rounds, and the last round counts in full
/// (NVIDIA, "Matrix Multiplication Background", wave quantization); never faster than memory moves its matrices.
double product_seconds(const Chip& chip, const Product& product, const Constants& constants, bool fp8 = false);

/// A training step.
StepTime step_time(const Chip& chip, const TransformerShape& shape, const ParallelPlan& plan,
                   const Constants& constants = fitted);

/// Model FLOPs per second over the peaks of all chips.
double mfu(const Chip& chip, const TransformerShape& shape, const ParallelPlan& plan, double seconds);

/// (p - 1) / (m v): the bubble over the time without one.
double bubble_share(const ParallelPlan& plan);

/// The same formulas for the lab's own small network, with a core of a machine as the chip: sizes of what is trained, in
/// elements; it computes in fp32.
struct SmallNetwork {
  double rows;  ///< of a batch
  double width, blocks, weights;
};

/// What matters of a chip once it is known how long it takes alone.
struct SmallChip {
  double bandwidth;  ///< of memory, bytes per second
  Wire wire;
};

/// Seconds of its step, cut as the name says.
struct SmallSteps {
  double data, tensor;
};

/// Products at the rate that makes one chip take `alone` seconds, the optimiser at the memory's bandwidth, sums by ring
/// over the wire; nothing overlaps.
SmallSteps predict_small_steps(const SmallChip& chip, const SmallNetwork& network, int chips, double alone);

// ---- Which plan is fastest ----

/// A plan with what it takes.
struct Candidate {
  ParallelPlan plan;
  StepTime time;
  MemoryUse memory;
};

/// What is asked for.
struct Job {
  Chip chip;
  TransformerShape shape;
  int chips;
  double batch;
  double sequence;
  bool fp8 = false;           ///< as in ParallelPlan
  double gradient_bytes = 4;  ///< as in ParallelPlan
};

/// Whether a plan may be considered.
using Allowed = std::function<bool(const ParallelPlan& plan)>;

/// The fastest plans that fit into nine tenths of memory, fastest first, at most so many. Tried are: tensors and contexts
/// among at most 16 chips each, pipelines where there is a switch, replicas, pieces of a stage, micro-batches, recomputation
/// and sharding; and chips that share out experts, where there are some. Software is taken to overlap what can be and to fuse attention.
std::vector<Candidate> search_plans(const Job& job, std::size_t most, const Allowed& allowed = nullptr);

/// The fastest on 1, 2, 4 … chips, at most so many, where anything fits; job.chips does not matter.
std::vector<Candidate> fastest_by_chips(Job job, int most_chips, const Allowed& allowed = nullptr);

}  // namespace hf::scaling
