/// \file
/// Accelerators that transformers were trained on, and the wires between them.
#pragma once

#include <string>
#include <vector>

namespace hf::scaling {

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

}  // namespace hf::scaling
