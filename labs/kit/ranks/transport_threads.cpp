#include "kit/ranks/transport_threads.hpp"
#include "kit/ranks/alpha_beta.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "kit/random.hpp"
#include "kit/ranks/transport.hpp"

namespace hf {
namespace {

/// A lock that one thread may take and another release: a rank may have several threads, of which one at a time sends.
/// Not a std::binary_semaphore, since libstdc++'s may miss a release and sleep forever (GCC's bug 98033).
class Baton {
 public:
  void lock() {
    std::unique_lock lock(mutex_);
    given_.wait(lock, [&] { return free_; });
    free_ = false;
  }

  void unlock() {
    {
      const std::lock_guard lock(mutex_);
      free_ = true;
    }
    given_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_;
  bool free_ = true;
};

}  // namespace

/// Contains all ranks and the turn. The rank whose turn it is holds the lock, and no other rank runs.
class ThreadRanks::Stage {
 public:
  Stage(int ranks, AlphaBeta wire, std::uint64_t seed) : wire_(wire), seed_(seed) {
    if (ranks < 1) throw std::invalid_argument("ThreadRanks: expected at least one rank");
    for (int rank = 0; rank < ranks; ++rank) actors_.push_back(std::make_unique<Actor>(*this, rank));
  }

  void run(const std::function<void(Transport&)>& program) {
    std::vector<std::thread> threads;
    {
      const std::unique_lock lock(baton_);  // no rank begins before all exist
      for (const auto& actor : actors_) threads.emplace_back([&, &me = *actor] { play(me, program); });
      next_turn();
    }
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
  }

  Traffic traffic(int rank) const { return actors_.at(static_cast<std::size_t>(rank))->traffic; }

  double seconds() const {
    double last = 0;
    for (const auto& actor : actors_) last = std::max(last, actor->clock);
    return last;
  }

  int size() const { return static_cast<int>(actors_.size()); }

 private:
  enum class State { ready, waiting, finished };

  /// One end of a message that has not passed yet.
  struct End {
    int peer = nobody;
    bool open() const { return peer != nobody; }
  };

  struct Actor final : Transport {
    Actor(Stage& on, int rank) : stage(on), number(rank) {}
    int rank() const override { return number; }
    int size() const override { return stage.size(); }
    void exchange(int to, std::span<const float> out, int from, std::span<float> in) override {
      stage.exchange(*this, to, out, from, in);
    }

    Stage& stage;
    const int number;
    State state = State::ready;
    std::condition_variable_any turn;
    std::unique_lock<Baton> lock;  ///< the stage's lock, held during this rank's turn

    End sends, receives;
    std::span<const float> out;
    std::span<float> in;
    double clock = 0;     ///< when this rank's current exchange began
    double finished = 0;  ///< when that exchange will be complete

    Traffic traffic;
  };

  void play(Actor& me, const std::function<void(Transport&)>& program) {
    me.lock = std::unique_lock(baton_);
    try {
      wait_for_turn(me);
      program(me);
    } catch (...) {
      if (!error_) error_ = std::current_exception();
    }
    me.state = State::finished;
    me.sends = me.receives = {};
    next_turn();
    me.lock.unlock();
  }

  void exchange(Actor& me, int to, std::span<const float> out, int from, std::span<float> in) {
    me.sends = {to};
    me.receives = {from};
    me.out = out;
    me.in = in;
    me.finished = me.clock;
    if (to != nobody) try_to_pass(me, peer(to));
    if (from != nobody) try_to_pass(peer(from), me);
    settle(me);
    next_turn();
    wait_for_turn(me);
  }

  /// Lets a message pass if both its ends are there.
  void try_to_pass(Actor& from, Actor& to) {
    if (from.sends.peer != to.number || to.receives.peer != from.number) return;
    if (from.out.size() != to.in.size()) {
      throw std::runtime_error("rank " + std::to_string(from.number) + " sends " + std::to_string(from.out.size()) +
                               " numbers where rank " + std::to_string(to.number) + " expects " +
                               std::to_string(to.in.size()));
    }
    std::ranges::copy(from.out, to.in.begin());
    ++from.traffic.messages;
    from.traffic.bytes += from.out.size_bytes();
    const double through = std::max(from.clock, to.clock) + wire_.seconds_per_message +
                           static_cast<double>(from.out.size_bytes()) * wire_.seconds_per_byte;
    from.finished = std::max(from.finished, through);
    to.finished = std::max(to.finished, through);
    from.sends = to.receives = {};
    settle(from);
    settle(to);
  }

  /// Updates the state of a rank, which continues when both its messages have passed.
  static void settle(Actor& actor) {
    const bool open = actor.sends.open() || actor.receives.open();
    actor.state = open ? State::waiting : State::ready;
    if (!open) actor.clock = actor.finished;
  }

  /// Gives the turn to one of the ranks that can continue. If none can and some have not finished, wakes all of these,
  /// so that they end.
  void next_turn() {
    std::vector<Actor*> ready;
    for (const auto& actor : actors_) {
      if (actor->state == State::ready) ready.push_back(actor.get());
    }
    turn_ = nobody;
    if (!ready.empty()) {
      Actor& next = *ready[random_below(seed_, turns_++, ready.size())];
      turn_ = next.number;
      next.turn.notify_one();
    } else {
      call_off();
    }
  }

  void call_off() {
    std::string who;
    for (const auto& actor : actors_) {
      if (actor->state != State::waiting) continue;
      const End &sends = actor->sends, &receives = actor->receives;
      who += (who.empty() ? "deadlock: rank " : ", rank ") + std::to_string(actor->number) + " waits ";
      if (sends.open()) who += "to send to " + std::to_string(sends.peer);
      if (sends.open() && receives.open()) who += " and ";
      if (receives.open()) who += "to receive from " + std::to_string(receives.peer);
      actor->turn.notify_one();
    }
    if (!who.empty() && !error_) error_ = std::make_exception_ptr(std::runtime_error(who));
  }

  /// \throws the error that ended the run, if this rank can no longer continue
  void wait_for_turn(Actor& me) {
    me.turn.wait(me.lock, [&] { return turn_ == me.number || (turn_ == nobody && me.state == State::waiting); });
    if (me.state == State::waiting) {
      me.sends = me.receives = {};
      std::rethrow_exception(error_);
    }
  }

  Actor& peer(int rank) { return *actors_.at(static_cast<std::size_t>(rank)); }

  const AlphaBeta wire_;
  const std::uint64_t seed_;
  std::vector<std::unique_ptr<Actor>> actors_;
  Baton baton_;
  int turn_ = nobody;
  std::uint64_t turns_ = 0;
  std::exception_ptr error_;
};

ThreadRanks::ThreadRanks(int ranks, AlphaBeta wire, std::uint64_t seed)
    : stage_(std::make_unique<Stage>(ranks, wire, seed)) {}

ThreadRanks::~ThreadRanks() = default;

void ThreadRanks::run(const std::function<void(Transport&)>& program) { stage_->run(program); }

Traffic ThreadRanks::traffic(int rank) const { return stage_->traffic(rank); }

Traffic ThreadRanks::traffic() const {
  Traffic all;
  for (int rank = 0; rank < stage_->size(); ++rank) {
    all.messages += traffic(rank).messages;
    all.bytes += traffic(rank).bytes;
  }
  return all;
}

double ThreadRanks::seconds() const { return stage_->seconds(); }

}  // namespace hf
