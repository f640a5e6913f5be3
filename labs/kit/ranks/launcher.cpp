#include "kit/ranks/launcher.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <istream>
#include <sstream>
#include <string>

#include "harness/measure/command.hpp"
#include "harness/report/environment.hpp"

namespace hf {
namespace {

constexpr const char* mark = "HARDWARE_FIRST_RANK";  ///< how many ranks were asked for

std::string environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

bool has_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (!environment(name).empty()) return true;
  }
  return false;
}

/// True if some process listens there. \param address  "127.0.0.1:1234"; another form cannot be judged, and counts
bool answers(const std::string& address) {
  const auto colon = address.rfind(':');
  sockaddr_in place = {};
  place.sin_family = AF_INET;
  if (colon == std::string::npos || inet_pton(AF_INET, address.substr(0, colon).c_str(), &place.sin_addr) != 1)
    return true;
  place.sin_port = htons(static_cast<std::uint16_t>(std::atoi(address.c_str() + colon + 1)));
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return true;
  int error = connect(socket, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    constexpr int patience_ms = 2000;
    pollfd ready = {socket, POLLOUT, 0};
    socklen_t size = sizeof error;
    if (poll(&ready, 1, patience_ms) <= 0 || getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
      error = ETIMEDOUT;
  }
  close(socket);
  return error == 0;
}

/// True if the launcher can be reached in one of the ways in which launchers are: PMI-1's and PMI-2's open descriptor or
/// port, or PMIx's address, "host.0;tcp4://127.0.0.1:1234".
bool launcher_answers() {
  const std::string descriptor = environment("PMI_FD"), port = environment("PMI_PORT");
  if (!descriptor.empty() && fcntl(std::atoi(descriptor.c_str()), F_GETFD) >= 0) return true;
  if (!port.empty() && answers(port)) return true;
  for (const char* version : {"", "2", "21", "3", "4", "41"}) {
    const std::string address = environment(std::string("PMIX_SERVER_URI") + version);
    if (!address.empty()) return answers(address.substr(address.rfind('/') + 1));
  }
  return false;
}

}  // namespace

bool is_rank() {
  static const bool it_is = has_rank() && (was_started_by_lab() || launcher_answers());
  return it_is;
}

bool was_started_by_lab() { return !environment(mark).empty(); }

void mark_as_started_by_lab(int ranks) { setenv(mark, std::to_string(ranks).c_str(), 1); }

int asked_ranks() {
  int most = 1;
  for (const char* name : {mark, "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    most = std::max(most, std::atoi(environment(name).c_str()));
  }
  return most;
}

void forget_launcher() {
  std::istringstream names(variables_that_begin_with({"OMPI_COMM_WORLD_", "PMIX_", "PMI_"}));
  for (std::string name; std::getline(names >> std::ws, name, ',');) {
    if (!name.starts_with("PMIX_MCA_")) remove_variable(name);
  }
}

std::string mpirun_on_path() {
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = folder + "/mpirun";
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

std::string wrong_launcher(const std::string& library, int found) {
  constexpr double patience = 5;
  const std::string launcher = mpirun_on_path();
  std::string version = launcher.empty() ? "" : run_command({launcher, "--version"}, patience).text;
  version = version.find("HYDRA") != std::string::npos ? "MPICH's" : version.substr(0, version.find('\n'));
  return std::to_string(asked_ranks()) + " ranks were to be started, but " + library + ", which this lab uses, finds " +
         std::to_string(found) + ": " + (launcher.empty() ? "the launcher" : launcher) +
         (version.empty() ? "" : " (" + version + ")") + " belongs to another library; put mpirun of " + library +
         " first on PATH (srun needs --mpi=pmix), or set RANKS=1; nothing was written";
}

}  // namespace hf
