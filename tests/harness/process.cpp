#include "process.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

Process::Process(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
                 const std::function<void()>& before) {
  child_ = fork();
  if (child_ < 0) throw std::runtime_error("cannot fork");
  if (child_ > 0) return;
  dup2(open((folder_.path() / "out").c_str(), O_CREAT | O_WRONLY, 0600), STDOUT_FILENO);
  dup2(open((folder_.path() / "err").c_str(), O_CREAT | O_WRONLY, 0600), STDERR_FILENO);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  if (before) before();
  std::vector<std::string> words;
  std::istringstream emulator(EMULATOR);
  for (std::string word; emulator >> word;) words.push_back(word);
  words.insert(words.end(), command.begin(), command.end());
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

Process::~Process() {
  if (child_ < 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

void Process::wait_until_it_says(const std::string& text) const {
  while (content(folder_.path() / "out").find(text) == std::string::npos) {
    siginfo_t ended{};
    waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == child_) throw std::runtime_error("it ended without saying: " + text);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void Process::signal(int number) const { kill(child_, number); }

Ended Process::wait() {
  int status = 0;
  waitpid(child_, &status, 0);
  child_ = -1;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, content(folder_.path() / "out"), content(folder_.path() / "err")};
}

Ended run(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
          const std::function<void()>& before) {
  return Process(command, environment, before).wait();
}

bool in_child(const std::function<bool()>& test) {
  const pid_t child = fork();
  if (child == 0) {
    bool good = false;
    try {
      good = test();
    } catch (...) {
    }
    _exit(good ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::vector<pid_t> processes_with(const std::string& variable) {
  const std::string whole = '\0' + variable + '\0';
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (!std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
    if (('\0' + content(entry.path() / "environ")).find(whole) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

bool runs(pid_t process) {
  const std::string status = content("/proc/" + std::to_string(process) + "/stat");
  return !status.empty() && status.find(") Z ") == std::string::npos;
}

bool ends(pid_t process) {
  for (int look = 0; look < 6000 && runs(process); ++look) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return !runs(process);
}

void keep_on_core(int core, pid_t process) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(process, sizeof one, &one);
}

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();  // does not throw if a process ends while being read
  return text.str();
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

FakePython::FakePython(const std::string& script) : path_(std::getenv("PATH")) {
  const std::filesystem::path file = folder_.path() / "python3";
  if (!script.empty()) {
    write(file, "#!/bin/sh\n" + script);
    chmod(file.c_str(), 0700);
  }
  setenv("PATH", (folder_.path().string() + (script.empty() ? "" : ":" + path_)).c_str(), 1);
}

FakePython::~FakePython() { setenv("PATH", path_.c_str(), 1); }

bool python_lacks(const std::string& module) {
  if (std::getenv("HARDWARE_FIRST_PEERS") != nullptr) return false;
  const std::string find = "import importlib.util, sys; sys.exit(importlib.util.find_spec('" + module + "') is None)";
  return std::system(("python3 -c \"" + find + "\" >/dev/null 2>&1").c_str()) != 0;
}

std::string answering(const std::string& words) {
  return "echo ready 1\nwhile read command; do echo '" + words + "'; done\n";
}

bool has_no_children() { return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }
