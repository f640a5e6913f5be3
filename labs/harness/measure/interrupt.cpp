#include "interrupt.hpp"

#include <csignal>

namespace hf {
namespace {

volatile std::sig_atomic_t signalled = 0;

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { signalled = 1; };
  action.sa_flags = SA_RESETHAND;  // a second signal kills, in case something hangs
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return signalled != 0; }

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

}  // namespace hf
