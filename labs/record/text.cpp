#include "text.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "record.hpp"

namespace hf {
namespace {

constexpr std::size_t kPair = 2;  // an axis, or before and after

// True for a scalar, or the samples of a number.
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

// The number, always with a point or an exponent, since gnuplot divides integers without remainder.
std::string real(const Json& number) { return Json(number.get<double>()).dump(); }

std::string number_or_nan(const Json& item, const char* field) {
  return item.contains(field) ? real(item[field]) : "NaN";
}

// A column that gnuplot reads as one string: replaces quotes inside, which would end it.
std::string column(std::string text) {
  std::replace(text.begin(), text.end(), '"', '\'');
  return '"' + text + '"';
}

// Uses single quotes, because gnuplot runs text between backquotes in double quotes.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

std::string axis(const Json& series, const char* name) {
  const Json& axis = series.at(name);
  return axis.at("name").get<std::string>() + " (" + axis.at("unit").get<std::string>() + ")";
}

std::string series_table(const Json& series) {
  std::string text = "# " + axis(series, "x") + "\tmedian: " + axis(series, "y") + "\tlow\thigh\tlabel\n";
  for (const Json& point : series.at("points")) {
    text += real(point.at("x")) + '\t' + real(point.at("median")) + '\t' + number_or_nan(point, "low") + '\t' +
            number_or_nan(point, "high") + '\t' + column(point.value("label", "")) + '\n';
  }
  return text;
}

std::string assignments(const Json& record) {
  std::string text = "machine_cpu = " + quoted(record.at("machine").at("cpu")) + "\n" +  //
                     "lab_title = " + quoted(record.at("lab").at("title")) + "\n";
  std::string ids;
  for (const Json& series : record.at("series")) {
    const std::string id = series.at("id");
    text += "have_" + id + " = " + quoted(series.at("label")) + "\n";
    ids += (ids.empty() ? "" : " ") + id;
  }
  text += "series_ids = '" + ids + "'\n";
  for (const Json& value : record.at("values")) {
    const std::string name = "value_" + value.at("id").get<std::string>();
    text += name + " = " + real(value.at("value")) + "\n";
    for (const char* end : {"low", "high"}) {
      if (value.contains(end)) text += name + "_" + end + " = " + real(value[end]) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string record_text(const Json& record) {
  std::string all;
  append(all, record, false, 0);
  return all + '\n';
}

std::map<std::string, std::string> tables(const Json& record) {
  std::map<std::string, std::string> files = {{"values.gp", assignments(record)}};
  for (const Json& series : record.at("series")) {
    files[series.at("id").get<std::string>() + ".tsv"] = series_table(series);
  }
  return files;
}

}  // namespace hf
