// Coverage-guided fuzzing (libFuzzer) of everything that reads a record. Built with Clang and -DHARDWARE_FIRST_FUZZ=ON:
//   build/fuzz/bin/record-fuzz -max_len=65536 -max_total_time=300 CORPUS tests/tools/corpus
// Its findings are kept in tests/tools/corpus, which the tests replay.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "record/check.hpp"
#include "record/diff.hpp"
#include "record/law.hpp"
#include "record/reading.hpp"
#include "record/record.hpp"
#include "record/text.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hf::Json record;
  try {
    record = hf::parse_json({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const hf::FileError& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
    return 0;
  }
  const auto problems = hf::check(record, {});
  for (const auto& problem : problems) require(hf::line("fuzz", problem).find('\n') == std::string::npos);
  if (!problems.empty()) return 0;

  // An accepted record stays accepted when it is written and read again, and every command can use it.
  const hf::Json again = hf::parse_json(record.dump(), "fuzz");
  require(again == record);
  require(hf::check(again, {}).empty());
  require(!hf::tables(hf::as_read(record, std::vector<hf::Law>{})).empty());
  const auto itself = hf::difference(record, again, {});
  require(itself.flips.empty() && itself.values.empty() && itself.points.empty() && itself.missing.empty());
  return 0;
}
