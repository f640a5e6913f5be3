#include "text.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace hf {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kPair = 2;  // an axis, or before and after

// A scalar, or the samples of a number.
bool is_short(const Json& json) {
  const auto is_number = [](const Json& item) { return item.is_number(); };
  return !json.is_structured() || (json.is_array() && std::all_of(json.begin(), json.end(), is_number));
}

bool on_one_line(const Json& json, bool in_list) {
  if (!json.is_structured() || json.empty()) return true;
  return std::all_of(json.begin(), json.end(), is_short) && (in_list || (json.is_object() && json.size() <= kPair));
}

std::string line(const Json& json) {
  if (!json.is_structured()) return json.dump();
  std::string members;
  for (const auto& [key, member] : json.items()) {
    members += (members.empty() ? "" : ", ") + (json.is_object() ? Json(key).dump() + ": " : "") + line(member);
  }
  return json.is_object() ? "{" + members + "}" : "[" + members + "]";
}

void append(std::string& all, const Json& json, bool in_list, std::size_t depth) {
  if (on_one_line(json, in_list)) {
    all += line(json);
    return;
  }
  all += json.is_object() ? '{' : '[';
  const char* between = "\n";
  for (const auto& [key, member] : json.items()) {
    all += between + std::string(depth + 1, ' ') + (json.is_object() ? Json(key).dump() + ": " : "");
    append(all, member, json.is_array(), depth + 1);
    between = ",\n";
  }
  all += '\n' + std::string(depth, ' ') + (json.is_object() ? '}' : ']');
}

}  // namespace

std::string record_text(const Json& record) {
  std::string all;
  append(all, record, false, 0);
  return all + '\n';
}

}  // namespace hf
