#include "old_names.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "record/record.hpp"

namespace hf {
namespace {

using Names = std::vector<std::string>;

// A series that was values before: the old id of each stands with * for the row.
struct Rows {
  std::string id, old, label, x, y;
  Names rows;        // the labels of the points, where numbers are x too
  double first = 1;  // the x of the first point otherwise
};

const Names kNumberFormats = {"fp32",         "fp16", "bf16", "FP8 E4M3", "FP8 E5M2", "int8",
                              "int8, by row", "Q8_0", "Q4_0", "MXFP8",    "MXFP4",    "NVFP4"};

Rows by_format(const std::string& id, const std::string& old, const std::string& label) {
  const bool speed = id.starts_with("gemv");
  return {id, old, label, "format", speed ? "weights taken" : "ratio", kNumberFormats, speed ? 1.0 : 0.0};
}

Rows wait(const std::string& id, const std::string& old, const std::string& label) {
  return {id, old, label, "way to serve", "wait", {"whole", "chunked", "apart"}};
}

const Names kHeads = {"12", "4", "1"}, kPieces = {"1", "2", "4", "8"}, kChips = {"1024", "4096", "16384"};
const Names kWaysToServe = {"static", "whole", "chunked", "apart"};
const Names kWaysToTrain = {"data", "tensor", "pipeline_1f1b", "experts"};

const std::vector<Rows> kRows = {
    {"limit_flop_per_byte", "limit_*_flop_per_byte", "of a layer at most", "KV heads", "arithmetic intensity", kHeads},
    {"planner_llama3_pieces_s", "planner_llama3_*_pieces_s", "llama3-405b, 16384 × H100", "pieces of a stage", "a step",
     kPieces},
    wait("serving_itl_median_ms", "serving_itl_median_*_ms", "between two tokens"),
    wait("serving_itl_p99_ms", "serving_itl_p99_*_ms", "between two tokens, 99th percentile"),
    wait("serving_ttft_p99_ms", "serving_ttft_p99_*_ms", "to the first token, 99th percentile"),
    {"serving_tokens_per_s", "serving_*_tokens_per_s", "at most", "way to serve", "throughput of a machine",
     kWaysToServe},
    {"sweep_mfu_share", "sweep_mfu_*_share", "all cuts together", "chips", "MFU", kChips},
    {"travel_bytes", "travel_*_bytes", "one of four", "way to train", "sent in a step", kWaysToTrain},
    by_format("gemv_gbs", "gemv_*_gbs", "one thread, from memory"),
    by_format("gemv_in_cache_gbs", "gemv_*_in_cache_gbs", "one thread, from the L2"),
    by_format("decode_over_predicted", "decode_*_over_predicted", "all threads"),
    by_format("decode_one_over_predicted", "decode_*_one_over_predicted", "one thread"),
    by_format("decode_over_llamacpp", "decode_*_over_llamacpp", "all threads"),
    by_format("decode_one_over_llamacpp", "decode_*_one_over_llamacpp", "one thread"),
    by_format("llamacpp_over_predicted", "llamacpp_*_over_predicted", "all threads"),
    by_format("llamacpp_one_over_predicted", "llamacpp_*_one_over_predicted", "one thread"),
    by_format("logits_difference", "logits_*_difference", "ours and llama.cpp's")};

const std::map<std::string, std::string> kRenamed = {{"licence_numbers", "permission_numbers"},
                                                     {"licence_gains", "permission_gains"},
                                                     {"licence_gains_predicted", "permission_gains_predicted"}};

std::string old_id(const Rows& rows, const std::string& label) {
  const std::string row = label == "int8, by row" ? "int8_channel" : row_of({{"label", label}});
  return std::string(rows.old).replace(rows.old.find('*'), 1, row);
}

// What was measured once has a single sample, as a point of what is measured must.
Json point_of(Json value, const std::string& label, double x) {
  Json point = {{"x", x}, {"label", label}, {"median", value["value"]}};
  if (value["kind"] == "measured" && !value.contains("samples")) {
    value["low"] = value["high"] = value["value"];
    value["samples"] = {value["value"]};
  }
  for (const char* field : {"low", "high", "samples"}) {
    if (value.contains(field)) point[field] = value[field];
  }
  return point;
}

// Moves the values of these rows into a series, where there are any.
void move(const Rows& rows, Json& record) {
  Json& values = record["values"];
  Json series;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const std::string& label = rows.rows[i];
    const auto is_it = [id = old_id(rows, label)](const Json& each) { return each["id"] == id; };
    const auto value = std::find_if(values.begin(), values.end(), is_it);
    if (value == values.end()) continue;
    const bool number = label.find_first_not_of("0123456789") == std::string::npos;
    if (series.is_null()) {
      series = {{"id", rows.id}, {"label", rows.label}, {"kind", (*value)["kind"]}, {"points", Json::array()}};
      series["x"] = {{"name", rows.x}, {"unit", "1"}};
      series["y"] = {{"name", rows.y}, {"unit", (*value)["unit"]}};
    }
    const double x = number ? std::stod(label) : rows.first + static_cast<double>(i);
    series["points"].push_back(point_of(*value, label, x));
    values.erase(value);
  }
  if (!series.is_null()) record["series"].push_back(std::move(series));
}

}  // namespace

void give_present_names(Json& record) {
  for (const Rows& rows : kRows) move(rows, record);
  for (const char* list : {"series", "values"}) {
    for (Json& each : record[list]) {
      if (const auto found = kRenamed.find(each["id"]); found != kRenamed.end()) each["id"] = found->second;
    }
  }
}

}  // namespace hf
