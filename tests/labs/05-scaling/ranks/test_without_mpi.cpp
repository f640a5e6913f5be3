// Replacements for ranks in a build without MPI.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "process.hpp"
#include "record/check.hpp"
#include "record/record.hpp"

TEST_CASE("without MPI a lab with ranks measures what one process can, and its record says what is missing") {
  const TemporaryFolder folder;
  const Ended ended = run({UNRANKED, "--budget", "quick", "--out", folder.path().string()},
                          {{"TMPDIR", folder.path().string()}, {"RANKS", "4"}});
  CHECK_MESSAGE(ended.status == 0, ended.err);
  const hf::Json record = hf::load_record(folder.path() / "99-tiny.json");
  CHECK(record["run"]["notes"].dump().find("no MPI in this build") != std::string::npos);
  CHECK(record["values"].size() == 1);
}
