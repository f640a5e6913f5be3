#include "kit/ranks/mpirun.hpp"

#include <fcntl.h>
#include <linux/prctl.h>
#include <sys/ioctl.h>
#include <sys/poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/machine/cores.hpp"
#include "harness/measure/interrupt.hpp"
#include "harness/report/environment.hpp"
#include "kit/ranks/launcher.hpp"

namespace hf {
namespace {

constexpr int grace_seconds = 5;

void set_if_unset(const char* name, const char* value) { setenv(name, value, 0); }

/// Passes settings to mpirun and the ranks through the environment, since Open MPI 4 and 5 have different options.
void prepare_environment(int ranks) {
  mark_as_started_by_lab(ranks);
  pass_on_removed_variables();
  if (geteuid() == 0) {  // by starting the lab, root has agreed
    set_if_unset("OMPI_ALLOW_RUN_AS_ROOT", "1");
    set_if_unset("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  set_if_unset("OMPI_MCA_hwloc_base_binding_policy", "none");  // the ranks pin themselves
  set_if_unset("PRTE_MCA_hwloc_default_binding_policy", "none");
  set_if_unset("OMPI_MCA_rmaps_base_oversubscribe", "1");
  set_if_unset("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
  set_if_unset("OMPI_MCA_btl", "^tcp");  // one machine: use its memory
  const bool oversubscribed = ranks > static_cast<int>(usable_cores().size());
  if (oversubscribed) set_if_unset("OMPI_MCA_mpi_yield_when_idle", "1");
  // Makes mpirun give up on a silent host after 5 + 3 · 2 s instead of 8 minutes.
  set_if_unset("OMPI_MCA_oob_tcp_keepalive_time", "5");
  set_if_unset("OMPI_MCA_oob_tcp_keepalive_intvl", "2");
  set_if_unset("OMPI_MCA_oob_tcp_keepalive_probes", "3");
  // mpirun gives each rank its own terminal, even if we have none, so pass on the properties of ours.
  winsize size = {};
  if (isatty(STDOUT_FILENO) == 0) {
    setenv("TERM", "dumb", 1);
  } else if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    setenv("COLUMNS", std::to_string(size.ws_col).c_str(), 1);
  }
}

[[noreturn]] void become_mpirun(int errors, int ranks, int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // if this process is killed, they end too
  dup2(errors, STDERR_FILENO);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe"), count = std::to_string(ranks);
  std::vector<const char*> words = {"mpirun", "-n", count.c_str(), self.c_str()};
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--if-stale") != 0) words.push_back(argv[i]);  // already checked
  }
  words.push_back(nullptr);
  prepare_environment(ranks);
  execvp("mpirun", const_cast<char**>(words.data()));
  _exit(127);
}

/// The output read from mpirun and its ranks.
class Words {
 public:
  explicit Words(std::string program) : program_(std::move(program)) {}

  /// Prints the first of this program's own lines at once and keeps the others' lines.
  void take(std::string_view words) {
    for (const char c : words) {
      line_ += c;
      if (c != '\n') continue;
      if (!line_.starts_with(program_ + ":")) {
        // Drops a harmless warning: Open MPI's parent and child race to make the same process group.
        if (line_.find("plm:rsh: Warning: setpgid") == std::string::npos) held_ += line_;
      } else if (!said_ && !interrupted() && !line_.starts_with(program_ + ": interrupted")) {
        // Skips a rank that mpirun interrupted because another was killed, since it does not know the reason.
        said_ = std::fputs(line_.c_str(), stderr) >= 0;
      }
      line_.clear();
    }
  }

  /// True if this program has printed why it ends.
  bool said() const { return said_; }
  std::string others() const { return held_ + line_; }

 private:
  std::string program_, held_, line_;
  bool said_ = false;
};

/// Reads until the output ends. Once the ranks have printed why they end, gives mpirun a few seconds and kills it,
/// since it would wait long for a host that is gone.
void listen(int pipe, pid_t child, Words& words) {
  bool told = false;
  for (int seconds_left = grace_seconds; seconds_left > 0;) {
    if (interrupted() && !told) told = kill(child, SIGTERM) == 0;
    pollfd ready = {pipe, POLLIN, 0};
    const int count = poll(&ready, 1, 1000);
    if (count == 0 && (words.said() || told)) --seconds_left;
    if (count <= 0) continue;
    char buffer[4096];
    const ssize_t length = read(pipe, buffer, sizeof buffer);
    if (length == 0) return;
    if (length > 0) words.take({buffer, static_cast<std::size_t>(length)});
  }
  kill(child, SIGKILL);
}

/// The first sentence of mpirun's output, on one line: it prints paragraphs between lines of dashes. Its log's lines,
/// "[host:1234] …", come last, and without the host.
std::string first_sentence(const std::string& words) {
  static const std::regex log(R"(^\[[^\]]*:[0-9]+\] (\[\[\S* )?)"), spaces("\\s+"), end(R"(\.( |$))");
  std::string paragraph, logged;
  std::istringstream lines(words);
  for (std::string line; std::getline(lines, line);) {
    const bool is_log = std::regex_search(line, log), is_between = line.find_first_not_of("- \r") == std::string::npos;
    if (is_log && logged.empty()) logged = std::regex_replace(line, log, "");
    if ((is_log || is_between) && !paragraph.empty()) break;
    if (!is_log && !is_between) paragraph += (paragraph.empty() ? "" : " ") + line;
  }
  const std::string text = std::regex_replace(paragraph.empty() ? logged : paragraph, spaces, " ");
  std::smatch found;
  return std::regex_search(text, found, end) ? found.prefix().str() : text;
}

/// Variables that direct mpirun, as a remark: not every error names the one that caused it.
std::string directing_variables() {
  const std::string list =
      variables_that_begin_with({"OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_", "OPAL_", "OMPI_PREFIX", "SLURM_JOB_ID"});
  return list.empty() ? "" : "; the environment sets " + list;
}

/// Waits for mpirun, which may go on after it has closed its output. A signal may come before the wait or during it, and
/// gives mpirun half a second.
int wait_for(pid_t child) {
  int status = 0, looks_left = 50;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (interrupted() && --looks_left <= 0) kill(child, SIGKILL);
    usleep(10'000);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int wanted_ranks() {
  const char* text = std::getenv("RANKS");
  if (text == nullptr || *text == '\0') return static_cast<int>(usable_cores().size());
  int ranks = 0;
  const char* end = text + std::strlen(text);
  if (const auto [stop, error] = std::from_chars(text, end, ranks); stop != end || error != std::errc() || ranks < 1) {
    throw std::runtime_error("RANKS='" + std::string(text) + "': expected a whole number of at least 1");
  }
  return ranks;
}

int run_by_mpirun(const std::string& program, int ranks, int argc, char** argv) {
  std::fflush(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) become_mpirun(ends[1], ranks, argc, argv);
  close(ends[1]);
  Words words(program);
  listen(ends[0], child, words);
  close(ends[0]);
  const int status = wait_for(child);
  stop_if_interrupted();
  if (status == 0) {
    std::fputs(words.others().c_str(), stderr);
  } else if (!words.said()) {
    std::fprintf(stderr, "%s: %s; the previous record is as it was\n", program.c_str(),
                 reason_of_end(words.others(), status).c_str());
  }
  return status;
}

std::string reason_of_end(const std::string& words, int status) {
  std::smatch found;  // Open MPI 5 breaks the line before "signal"
  if (std::regex_search(words, found,
                        std::regex("process rank ([0-9]+)[^\n]*exited on\\s+signal ([0-9]+ \\([^)]*\\))"))) {
    return "rank " + found[1].str() + " was ended by signal " + found[2].str();
  }
  if (words.find("lost communication with a remote daemon") != std::string::npos)
    return "a host cannot be reached any more";
  const std::string sentence = first_sentence(words);
  const std::string said = sentence.empty() ? " ended with status " + std::to_string(status) + " and said nothing"
                                            : (sentence.starts_with("mpirun: ") ? sentence.substr(6) : ": " + sentence);
  return "mpirun" + said + directing_variables();
}

}  // namespace hf
