/// \file
/// The planner: chips and their wires, the sizes of a transformer, how a training step is split over chips, how much
/// memory and time it takes (a roofline for each chip's work, alpha and beta for communication), and which plan is
/// fastest. Chips, models and constants are in data/planner.json, which the site's planner uses too.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace hf::scaling {

// ---- Accelerators that transformers were trained on ----

/// One accelerator. Bandwidths are in bytes per second in one direction, latencies in seconds for a step of a ring.
struct Chip {
  std::string name;
  double peak;       ///< dense bf16 FLOP/s from the data sheet, on which MFU is based
  double matmul;     ///< FLOP/s of the best published product; the peak if none is published
  double matmul8;    ///< the same for 8-bit numbers; 0 if none is published or the chip has none
  int units;         ///< multiprocessors that share a product's tiles; 0 if one array takes them one by one
  double capacity;   ///< bytes of memory
  double bandwidth;  ///< of memory
  int together;      ///< chips joined by fast links: a node or a pod
  int torus_axes;    ///< 0 if a switch joins the chips
  double link;       ///< a chip's measured bus bandwidth through the switch; on a torus, of one link
  double link_latency;
  double network;  ///< of one chip, out of its node or pod
  double network_latency;
  std::string source;
};

/// Returns every known chip (data/planner.json).
const std::vector<Chip>& chips();

/// \throws std::runtime_error, one line, that lists the known names
const Chip& chip(const std::string& name);

/// The connection between the chips of a group.
struct Wire {
  double bandwidth;  ///< bytes per second of one chip, one direction
  double latency;    ///< seconds for a step
  bool network;      ///< whether the group extends beyond a node or pod
};

/// Returns the wire of a group of `size` chips that are `stride` apart. A group that spans nodes uses the network cards
/// of all its members in a node; a group on a torus uses two links along each of `axes` axes.
Wire wire_between(const Chip& chip, int stride, int size, int axes);

/// Returns the seconds of a ring's reduce-scatter or all-gather of `bytes` among n chips: n - 1 steps of bytes / n
/// each. An all-reduce does both, one after the other.
double ring_seconds(const Wire& wire, int n, double bytes);

// ---- The sizes of a transformer, and its arithmetic ----

/// A decoder. Every size is a number of elements.
struct TransformerShape {
  std::string name;
  double layers, hidden, heads, kv_heads, head_size;
  double ffn;  ///< width of the hidden layer of the perceptron, or of one expert
  bool gated;  ///< whether the perceptron has a third matrix (SwiGLU)
  double vocabulary;
  bool tied;              ///< whether the embedding is also the last layer's matrix
  bool parallel = false;  ///< whether attention and perceptron read the same input (PaLM)
  double experts = 1;     ///< perceptrons to choose from in each layer
  double active = 1;      ///< perceptrons that each token passes through

  /// Elements of a layer's matrices: attention's (queries, keys, values and output); one perceptron's; those of all
  /// experts, 0 without a mixture of experts; the whole layer's, with the router. Elements of the whole model.
  double attention_weights() const;
  double perceptron_weights() const;
  double expert_weights() const;
  double layer_weights() const;
  double parameters() const;

  /// Returns the FLOPs of a training step on `batch` sequences: two per multiply-add, nothing recomputed, attention
  /// counted without its mask; 72 B s l h^2 (1 + s/6h + V/12lh) for a GPT.
  double model_flops(double batch, double sequence) const;

  /// Returns the same with every layer's forward pass done twice: 96 B s l h^2 (1 + s/6h + V/16lh) for a GPT.
  double recomputed_flops(double batch, double sequence) const;
};

/// Returns a GPT: as many key heads as heads, a perceptron four times as wide, one matrix for embedding and output.
TransformerShape gpt(const std::string& name, double layers, double hidden, double heads, double vocabulary = 51200);

/// Returns every model that the command line accepts by name (data/planner.json).
const std::vector<TransformerShape>& models();

/// \throws std::runtime_error, one line, that lists the known names
const TransformerShape& model(const std::string& name);

// ---- How a training step is split over chips ----

/// Which part of a layer's forward pass is repeated in the backward pass: none; the core of attention, or the
/// element-wise work if attention never writes its scores; the full layer.
enum class Recompute { none, selective, full };

/// What the chips with the same layers split among themselves: nothing (they only sum gradients); the optimiser's state
/// (ZeRO-1); weights, gradients and state (FSDP, ZeRO-3).
enum class Sharding { none, optimizer, full };

/// A plan. Neighbouring chips split tensors first, then contexts, data, pipelines and pods.
struct ParallelPlan {
  int tensor = 1, context = 1, data = 1, pipeline = 1, pods = 1;
  int experts = 1;         ///< of the chips with the same layers, how many split the experts
  int interleave = 1;      ///< pieces of each pipeline stage
  double micro_batch = 1;  ///< sequences that a replica processes at a time
  double batch = 1;        ///< sequences per step, over all chips
  double sequence = 2048;
  Recompute recompute = Recompute::none;
  Sharding sharding = Sharding::optimizer;
  bool sequence_parallel = true;    ///< whether the work between tensor collectives is split too
  bool overlap_tensor = false;      ///< whether tensor and context collectives run beside products
  bool overlap_data = true;         ///< the same for gradients and weights
  bool overlap_pipeline = true;     ///< the same for transfers between stages
  bool send_shares = true;          ///< whether each tensor chip sends a share to the next stage, which gathers them
  bool flash = true;                ///< whether attention skips the masked half and never writes its scores
  bool embedding_as_layer = false;  ///< whether stages are filled as if the two vocabulary layers were two more layers
  bool fp8 = false;                 ///< whether the layers' products multiply 8-bit numbers
  bool stops_early = false;         ///< whether recomputing a layer omits its last product
  double gradient_bytes = 4;        ///< bytes of a gradient that is summed over chips

  int chips() const { return tensor * context * data * pipeline * pods; }
  int replicas() const { return data * pods; }
  /// Chips of a pod with the same layers.
  int sharers() const { return data * context; }
  /// Tokens that a chip processes at a time.
  double tokens() const { return micro_batch * sequence / context; }
  /// Micro-batches that each replica runs one after another.
  double micro_batches() const { return batch / (micro_batch * replicas()); }
};

/// \throws std::runtime_error, one line naming option and remedy, if the plan does not fit the model's sizes
void check_plan(const ParallelPlan& plan, const TransformerShape& shape);

/// Returns the plan's sizes other than 1, each behind its letter: t for tensor, c for context, e for experts, p for
/// pipeline, v for interleaving, d for data or f for fully sharded data, and pods.
std::string short_name(const ParallelPlan& plan);

// ---- How much memory a plan needs ----

/// Bytes on a chip of the first stage, which needs the most.
struct MemoryUse {
  double weights;  ///< in bf16; with full sharding, a share of them and two gathered layers
  double gradients;
  double optimizer;    ///< weight and two moments in fp32
  double activations;  ///< kept for the backward pass, of all micro-batches in progress

  double total() const { return weights + gradients + optimizer + activations; }
};

MemoryUse memory_use(const TransformerShape& shape, const ParallelPlan& plan);

/// Returns the bytes that one layer keeps of one micro-batch. For a GPT whose attention writes its scores, s b h (10 +
/// 24/t + 5 a s/(h t)); with sequence parallelism, 10/t instead of 10; without the last term if scores are recomputed
/// or never written; 2 s b h if everything is recomputed (Korthikanti et al., arXiv 2205.05198, table 2). Gated models
/// have no dropout masks.
double layer_activations(const TransformerShape& shape, const ParallelPlan& plan);

/// Returns the number of layers in the longest stage.
double layers_of_stage(const ParallelPlan& plan, const TransformerShape& shape);

/// Elements of the matrices on a chip of the first stage: its experts' and all, before replicas split any; and those
/// whose optimiser state it keeps.
double expert_weights_on_chip(const ParallelPlan& plan, const TransformerShape& shape);
double weights_on_chip(const ParallelPlan& plan, const TransformerShape& shape);
double updated_weights_on_chip(const ParallelPlan& plan, const TransformerShape& shape);

// ---- How long a step takes ----

/// The three constants, fitted once for all runs; see published_runs.hpp.
struct Constants {
  double matmul;  ///< share of the best product's speed that a model's products reach when their tiles fill the chip
  double memory;  ///< share of the memory bandwidth that element-wise work reaches
  double hidden;  ///< share of overlapped communication that is hidden behind arithmetic
};

/// The result of fit_constants() for the runs marked for fitting; a test repeats the fit.
extern const Constants fitted;

/// Share of the best product's speed that fused attention reaches: FlashAttention-2 reports 190 of the A100's 312
/// TFLOP/s for causal training steps with heads of 128 (arXiv 2307.08691, section 4.1), which is 0.7 of 271.
extern const double flash_share;

/// Seconds of a step by cause; the step takes their sum.
struct StepTime {
  double arithmetic = 0;  ///< matrix products and attention
  double memory = 0;      ///< norms, residuals, activations, scores, losses, the optimiser
  double tensor = 0;      ///< collectives of tensor, context and expert parallelism that are not hidden
  double network = 0;     ///< transfers of gradients, weights and stage outputs that are not hidden
  double bubble = 0;      ///< waiting for the pipeline to fill and to drain

  double total() const { return arithmetic + memory + tensor + network + bubble; }
  StepTime operator+(const StepTime& other) const;
  StepTime operator*(double factor) const;
};

/// Returns the name of the largest part: "arithmetic", "memory", "tensor links", "network" or "bubble".
const char* what_limits(const StepTime& time);

/// A product of an m x k by a k x n matrix.
struct Product {
  double m, n, k;
};

/// Returns the seconds of a product: the chip's units compute tiles of 128 x 256 in rounds, and the last round takes as
/// long as a full one (NVIDIA, "Matrix Multiplication Background", wave quantization); never faster than memory moves
/// the matrices.
double product_seconds(const Chip& chip, const Product& product, const Constants& constants, bool fp8 = false);

/// Returns the time of a training step.
StepTime step_time(const Chip& chip, const TransformerShape& shape, const ParallelPlan& plan,
                   const Constants& constants = fitted);

/// Returns the model FLOPs per second over the sum of all chips' peaks.
double mfu(const Chip& chip, const TransformerShape& shape, const ParallelPlan& plan, double seconds);

/// Returns the bubble over the time without one, (p - 1) / (m v).
double bubble_share(const ParallelPlan& plan);

// ---- Which plan is fastest ----

/// A plan with its time and memory.
struct Candidate {
  ParallelPlan plan;
  StepTime time;
  MemoryUse memory;
};

/// The model to train, and the chips to train it on.
struct Job {
  Chip chip;
  TransformerShape shape;
  int chips;
  double batch;
  double sequence;
  bool fp8 = false;           ///< as in ParallelPlan
  double gradient_bytes = 4;  ///< as in ParallelPlan
};

/// Returns whether a search may consider the plan.
using Allowed = std::function<bool(const ParallelPlan& plan)>;

/// Returns the fastest plans that fit into 90% of memory, fastest first, at most `most`. Tries tensor and context
/// parallelism over at most 16 chips each, pipelines (only with a switch), replicas, interleaving, micro-batches,
/// recomputation, sharding and, if the model has experts, expert parallelism. Assumes that software overlaps whatever
/// it can and fuses attention.
std::vector<Candidate> search_plans(const Job& job, std::size_t most, const Allowed& allowed = nullptr);

/// Returns the fastest plan on 1, 2, 4 … chips, up to most_chips, leaving out numbers on which no plan fits. Ignores
/// job.chips.
std::vector<Candidate> fastest_by_chips(Job job, int most_chips, const Allowed& allowed = nullptr);

}  // namespace hf::scaling
