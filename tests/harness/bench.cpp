#include "bench.hpp"

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "process.hpp"

Bench::Bench(bool has_old_record) {
  if (has_old_record) write(record, "old");
}

std::vector<std::string> Bench::command(const std::vector<std::string>& more) const {
  std::vector<std::string> words{TINY_LAB, "--budget", "quick", "--out", out.string()};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::map<std::string, std::string> Bench::environment(const std::string& does,
                                                      std::map<std::string, std::string> more) const {
  const std::string place = folder.path().string();
  more.insert({{"TMPDIR", place}, {"TINY_LAB_BENCH", place}, {"TINY_LAB_DOES", does}, {"LC_ALL", "C.UTF-8"}});
  return more;
}

Ended Bench::run(const std::string& does, const std::map<std::string, std::string>& more,
                 const std::function<void()>& before) const {
  return ::run(command(), environment(does, more), before);
}

Ended Bench::run_with(const std::vector<std::string>& more) const { return ::run(command(more), environment()); }

std::vector<pid_t> Bench::processes() const { return processes_with("TINY_LAB_BENCH=" + folder.path().string()); }

bool Bench::none_is_left() const {
  for (int look = 0; look < 6000 && !processes().empty(); ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return processes().empty();
}

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}
