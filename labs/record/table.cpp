#include "table.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace hf {
namespace {

using Json = nlohmann::json;

// Always with a point or an exponent: gnuplot divides integers without remainder.
std::string real(const Json& number) { return Json(number.get<double>()).dump(); }

std::string number_or_nan(const Json& item, const char* field) {
  return item.contains(field) ? real(item[field]) : "NaN";
}

// A column that gnuplot reads as one string: a quote inside would end it.
std::string column(std::string text) {
  std::replace(text.begin(), text.end(), '"', '\'');
  return '"' + text + '"';
}

// Single quotes, because gnuplot runs what it finds between backquotes in double ones.
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
  for (const Json& series : record.at("series")) text += "have_" + series.at("id").get<std::string>() + " = 1\n";
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

std::map<std::string, std::string> tables(const Json& record) {
  std::map<std::string, std::string> files = {{"values.gp", assignments(record)}};
  for (const Json& series : record.at("series")) {
    files[series.at("id").get<std::string>() + ".tsv"] = series_table(series);
  }
  return files;
}

}  // namespace hf
