#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "machine.hpp"

namespace hf {
namespace {

std::string rounded_gib(std::uint64_t bytes) {
  const double gib = static_cast<double>(bytes) / (std::uint64_t{1} << 30);
  return std::to_string(std::max(std::lround(gib), 1L)) + " GiB";
}

std::string join(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

}  // namespace

std::string capacity_text(std::uint64_t bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double number = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; number >= 1024 && unit + 1 < std::size(units); ++unit) number /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s", number < 10 && number != std::floor(number) ? 1 : 0, number, units[unit]);
  return text;
}

std::string Machine::cpu_name() const {
  const bool says_it = cpu.find(core.microarchitecture) != std::string::npos;  // as those of Arm do, and an empty one
  return says_it ? cpu : cpu + " (" + core.microarchitecture + ")";
}

std::string Machine::slug() const {
  std::string slug;
  const std::string name = cpu_name() + " " + std::to_string(cores) + (cores == 1 ? " core" : " cores");
  for (const unsigned char character : name) {
    if (std::isalnum(character) != 0 && character < 0x80) {
      slug += static_cast<char>(std::tolower(character));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  return slug;
}

std::string Machine::canonical() const {
  std::string text = cpu_name() + (core.text().empty() ? "" : ", " + core.text()) + "; " + join(isa, " ") + "; " +
                     std::to_string(cores) + (cores == 1 ? " core; " : " cores; ");
  std::vector<std::string> sizes;
  for (const Cache& cache : caches) {
    if (cache.kind == "instruction") continue;
    sizes.push_back(std::string("L").append(std::to_string(cache.level)) + " " + capacity_text(cache.bytes));
  }
  text += (sizes.empty() ? "caches unknown" : join(sizes, ", ")) + "; " + rounded_gib(memory_bytes) + "; ";
  std::vector<std::string> names;
  for (const Gpu& gpu : gpus) names.push_back(gpu.name);
  return text + (names.empty() ? "no GPU" : join(names, ", "));
}

nlohmann::json Machine::to_json() const {
  nlohmann::json json = {{"slug", slug()},
                         {"cpu", cpu},
                         {"architecture", architecture},
                         {"isa", isa},
                         {"cores", cores},
                         {"caches", nlohmann::json::array()},
                         {"numa_nodes", numa_nodes},
                         {"memory_bytes", memory_bytes},
                         {"page_bytes", page_bytes},
                         {"huge_pages", huge_pages},
                         {"gpus", nlohmann::json::array()},
                         {"virtualised", virtualised},
                         {"os", os}};
  if (emulated) json["emulated"] = true;
  if (core.family) json["family"] = *core.family;
  if (core.model) json["model"] = *core.model;
  if (core.stepping) json["stepping"] = *core.stepping;
  if (!core.implementer.empty()) json["implementer"] = core.implementer;
  if (!core.part.empty()) json["part"] = core.part;
  if (!core.microarchitecture.empty()) json["microarchitecture"] = core.microarchitecture;
  for (const Cache& cache : caches) {
    json["caches"].push_back(
        {{"level", cache.level}, {"kind", cache.kind}, {"bytes", cache.bytes}, {"shared_by", cache.shared_by}});
  }
  for (const Gpu& gpu : gpus) {
    nlohmann::json object = {{"name", gpu.name}};
    if (gpu.memory_bytes > 0) object["memory_bytes"] = gpu.memory_bytes;
    if (!gpu.driver.empty()) object["driver"] = gpu.driver;
    json["gpus"].push_back(std::move(object));
  }
  return json;
}

}  // namespace hf
