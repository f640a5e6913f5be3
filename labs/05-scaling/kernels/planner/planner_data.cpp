// The planner's data, data/planner.json and data/published_runs.json, which are compiled into the program.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "05-scaling/data/planner_json.hpp"
#include "05-scaling/data/published_runs_json.hpp"
#include "05-scaling/kernels/planner/planner.hpp"
#include "05-scaling/kernels/planner/published_runs.hpp"

namespace hf::scaling {

using Json = nlohmann::json;

// Names in the data.
NLOHMANN_JSON_SERIALIZE_ENUM(Recompute, {{Recompute::none, "none"},
                                         {Recompute::selective, "selective"},
                                         {Recompute::full, "full"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Sharding,
                             {{Sharding::none, "none"}, {Sharding::optimizer, "optimizer"}, {Sharding::full, "full"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Speed, {{Speed::seconds, "seconds"},
                                     {Speed::tokens_per_chip, "tokens_per_chip"},
                                     {Speed::tokens, "tokens"},
                                     {Speed::model_tflops, "model_tflops"},
                                     {Speed::hardware_tflops, "hardware_tflops"},
                                     {Speed::maxtext_tflops, "maxtext_tflops"}})

namespace {

const Json& planner_data() {
  static const Json data = Json::parse(planner_json);
  return data;
}

const Json& runs_data() {
  static const Json data = Json::parse(published_runs_json);
  return data;
}

/// Sets `to` to the value called `name`, if `from` has one.
template <class Number>
void take(const Json& from, const char* name, Number& to) {
  if (const auto found = from.find(name); found != from.end()) found->get_to(to);
}

void take(const Json& from, Chip& chip) {
  take(from, "name", chip.name), take(from, "source", chip.source);
  take(from, "peak", chip.peak), take(from, "matmul", chip.matmul), take(from, "matmul8", chip.matmul8);
  take(from, "units", chip.units), take(from, "capacity", chip.capacity), take(from, "bandwidth", chip.bandwidth);
  take(from, "together", chip.together), take(from, "torusAxes", chip.torus_axes);
  take(from, "link", chip.link), take(from, "linkLatency", chip.link_latency);
  take(from, "network", chip.network), take(from, "networkLatency", chip.network_latency);
}

void take(const Json& from, TransformerShape& shape) {
  take(from, "name", shape.name), take(from, "layers", shape.layers), take(from, "hidden", shape.hidden);
  take(from, "heads", shape.heads), take(from, "kvHeads", shape.kv_heads), take(from, "headSize", shape.head_size);
  take(from, "ffn", shape.ffn), take(from, "gated", shape.gated), take(from, "vocabulary", shape.vocabulary);
  take(from, "tied", shape.tied), take(from, "parallel", shape.parallel);
  take(from, "experts", shape.experts), take(from, "active", shape.active);
}

void take(const Json& from, ParallelPlan& plan) {
  take(from, "tensor", plan.tensor), take(from, "context", plan.context), take(from, "data", plan.data);
  take(from, "pipeline", plan.pipeline), take(from, "pods", plan.pods), take(from, "experts", plan.experts);
  take(from, "interleave", plan.interleave), take(from, "microBatch", plan.micro_batch);
  take(from, "batch", plan.batch), take(from, "sequence", plan.sequence);
  take(from, "recompute", plan.recompute), take(from, "sharding", plan.sharding);
  take(from, "sequenceParallel", plan.sequence_parallel), take(from, "overlapTensor", plan.overlap_tensor);
  take(from, "overlapData", plan.overlap_data), take(from, "overlapPipeline", plan.overlap_pipeline);
  take(from, "sendShares", plan.send_shares), take(from, "flash", plan.flash), take(from, "fp8", plan.fp8);
  take(from, "embeddingAsLayer", plan.embedding_as_layer), take(from, "stopsEarly", plan.stops_early);
  take(from, "gradientBytes", plan.gradient_bytes);
}

template <class Thing>
std::vector<Thing> taken_all(const Json& list) {
  std::vector<Thing> all;
  for (const Json& each : list) take(each, all.emplace_back());
  return all;
}

/// Returns the one called `name`. \throws std::runtime_error, one line, that lists the known names
template <class Thing>
const Thing& named(const std::vector<Thing>& all, const std::string& name, const char* option, const char* things) {
  std::string names;
  for (const Thing& one : all) {
    if (one.name == name) return one;
    names += (names.empty() ? "" : ", ") + one.name;
  }
  throw std::runtime_error(option + (" " + name) + ": unknown; the " + things + " are " + names);
}

/// Returns a model that the command line accepts, or one that only published runs use.
const TransformerShape& shape_called(const std::string& name) {
  static const std::vector<TransformerShape> others = taken_all<TransformerShape>(runs_data().at("shapes"));
  const auto found = std::ranges::find(others, name, &TransformerShape::name);
  return found != others.end() ? *found : model(name);
}

/// Returns a run from what its source says of all its runs, overridden by what it says of this one. A source may also
/// change some numbers of a chip or a model.
PublishedRun run_of(const Json& source, const Json& run) {
  PublishedRun made = {
      .source = source.at("name"), .chip = chip(run.at("chip")), .shape = shape_called(run.at("model")), .plan = {}};
  for (const Json& said : {source, run}) {
    if (said.contains("plan")) take(said.at("plan"), made.plan);
    take(said, "speed", made.speed), take(said, "note", made.note);
  }
  take(run, "value", made.value), take(run, "atFirst", made.at_first);
  const auto own = [&](const char* kind, auto& thing) {
    if (source.contains(kind) && source.at(kind).contains(thing.name)) take(source.at(kind).at(thing.name), thing);
  };
  own("chips", made.chip), own("models", made.shape);
  return made;
}

/// Reads the constants from the data.
Constants constants_in(const Json& data) { return {data.at("matmul"), data.at("memory"), data.at("hidden")}; }

}  // namespace

const Constants fitted = constants_in(planner_data().at("fitted"));
const double flash_share = planner_data().at("flashShare");

const std::vector<Chip>& chips() {
  static const std::vector<Chip> all = taken_all<Chip>(planner_data().at("chips"));
  return all;
}

const Chip& chip(const std::string& name) { return named(chips(), name, "--chip", "chips"); }

const std::vector<TransformerShape>& models() {
  static const std::vector<TransformerShape> all = taken_all<TransformerShape>(planner_data().at("models"));
  return all;
}

const TransformerShape& model(const std::string& name) { return named(models(), name, "--model", "models"); }

const std::vector<PublishedRun>& published_runs() {
  static const std::vector<PublishedRun> all = [] {
    std::vector<PublishedRun> runs;
    for (const Json& source : runs_data().at("sources")) {
      for (const Json& run : source.at("runs")) runs.push_back(run_of(source, run));
    }
    return runs;
  }();
  return all;
}

const std::vector<Source>& published_sources() {
  static const std::vector<Source> all = [] {
    std::vector<Source> sources;
    for (const Json& source : runs_data().at("sources")) {
      sources.push_back({source.at("name"), source.at("key"), source.at("label"), source.at("title"),
                         source.value("series", std::map<std::string, std::string>())});
    }
    return sources;
  }();
  return all;
}

}  // namespace hf::scaling
