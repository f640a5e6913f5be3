// Tries a reader's schedule for a systolic array: plays it tick by tick, and counts its ticks beside those of the chapter's plans.
#include "yours/trial.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "04-tpu/kernels/systolic.hpp"
#include "04-tpu/yours/even_tiles.hpp"
#include "04-tpu/yours/play.hpp"
#include "04-tpu/yours/tile.hpp"
#include "harness/measure/statistics.hpp"
#include "kit/random.hpp"
#include "yours/arrays.hpp"
#include "yours/sizes.hpp"

namespace hf::tpu {
namespace {

using yours::Wrong;

/// A product, and the array that it is computed on.
struct Task {
  ArrayShape array;
  ProductShape shape;

  std::string text() const {
    const auto by = [](std::size_t rows, std::size_t columns) {
      return std::to_string(rows) + " × " + std::to_string(columns);
    };
    return by(shape.m, shape.k) + " times " + by(shape.k, shape.n) + " on " + by(array.rows, array.columns) + " cells";
  }
  /// The fewest tiles.
  std::size_t tiles() const {
    return (shape.k + array.rows - 1) / array.rows * ((shape.n + array.columns - 1) / array.columns);
  }
};

/// What a schedule needs.
struct Played {
  std::size_t ticks;
  std::size_t loading;   ///< ticks in which a row of weights enters
  std::size_t entering;  ///< ticks in which a row of a enters
};

/// Room for a schedule, which is played once it is written.
class Tiles : public yours::Arrays {
 public:
  using Kernel = Schedule;

  Tiles(const Task& task, yours::Place place)
      : Arrays(place, {{"tiles", 16 * task.tiles(), yours::Role::output, sizeof(Tile)}}), task_(task) {}

  std::string text() const { return task_.text(); }
  void run(Kernel* schedule) { count_ = schedule(task_.array, task_.shape, reinterpret_cast<Tile*>(bytes(0))); }

  /// Plays it with random numbers. \throws Wrong if it breaks a rule of the array, or its product is wrong
  void check() {
    const auto& [array, shape] = task_;
    const std::size_t room = 16 * task_.tiles();
    if (count_ > room)
      throw Wrong("returns " + std::to_string(count_) + " tiles, but there is room for " + std::to_string(room));
    const std::span<const Tile> tiles(reinterpret_cast<const Tile*>(bytes(0)), count_);
    check_tiles(array, shape, tiles);
    const auto a = random_bytes<std::int8_t>(shape.m * shape.k, 2 * sequence(0));
    const auto b = random_bytes<std::int8_t>(shape.k * shape.n, 2 * sequence(0) + 1);
    Player player(array, shape, tiles, a, b);
    played_ = {player.play(), 0, count_ * shape.m};
    for (const Tile& tile : tiles) played_.loading += tile.rows;
    if (player.product() != plain_product(shape, a, b)) throw Wrong("computes a wrong product");
  }

  const Played& played() const { return played_; }

 private:
  Task task_;
  std::size_t count_ = 0;
  Played played_ = {};
};

Played play(Schedule* schedule, const Task& task) {
  Tiles tiles(task, yours::Place::guarded);
  yours::try_once(tiles, schedule);
  return tiles.played();
}

/// Sides around those of the arrays, all pairs of those of b, then random ones.
std::vector<Task> tasks_to_check() {
  std::vector<Task> tasks;
  for (const ArrayShape& array : {ArrayShape{1, 1}, {1, 4}, {4, 1}, {3, 5}, {8, 8}}) {
    for (const ProductShape& shape :
         {ProductShape{1, 1, 1}, {1, 9, 2}, {2, 1, 9}, {9, 5, 3}, {8, 8, 8}, {4, 10, 6}, {7, 16, 17}})
      tasks.push_back({array, shape});
  }
  yours::RandomSizes random;
  for (const ArrayShape& array : {ArrayShape{3, 5}, {8, 8}}) {
    for (const std::size_t k : yours::sizes_around({array.rows})) {
      for (const std::size_t n : yours::sizes_around({array.columns}))
        tasks.push_back({array, {random.next(40), n, k}});
    }
  }
  for (int i = 0; i < 24; ++i) {
    const ArrayShape array = {random.next(12), random.next(12)};
    tasks.push_back({array, {random.next(40), random.next(40), random.next(40)}});
  }
  return tasks;
}

void check(void* kernel) { yours::check_shapes<Tiles>(tasks_to_check(), kernel); }

/// A plan that loads whole tiles only, by its formula.
Played whole_tiles(const Task& task, std::size_t ticks) {
  return {ticks, task.tiles() * task.array.rows, task.tiles() * task.shape.m};
}

/// Each row waits until the one before has left.
Played row_by_row(const Task& task) {
  const auto& [R, C] = task.array;
  return whole_tiles(task, task.tiles() * (R + task.shape.m * (R + C - 1)));
}

Played one_register(const Task& task) {
  return whole_tiles(task,
                     static_cast<std::size_t>(closed_form_cycles(Dataflow::weight_stationary, task.array, task.shape)));
}

Played two_registers(const Task& task) {
  return whole_tiles(task, static_cast<std::size_t>(closed_form_cycles_double_buffered(Dataflow::weight_stationary,
                                                                                       task.array, task.shape)));
}

/// No schedule needs fewer ticks. Before the last rows of a enter, all weights have entered, a row of a tile in each tick; and
/// all rows of a enter once for each tile. The last sum then comes down all rows of cells.
Played bound(const Task& task) {
  const auto& [array, shape] = task;
  const std::size_t loading = shape.k * ((shape.n + array.columns - 1) / array.columns),
                    entering = task.tiles() * shape.m;
  return {std::max(loading + shape.m, 1 + entering) + array.rows - 1, loading, entering};
}

struct Contestant {
  std::string id, label;
  Played played;
};

/// The reader's between the chapter's plans and the bound.
std::vector<Contestant> contestants(void* kernel, const Task& task) {
  return {{"yours", "yours", play(reinterpret_cast<Schedule*>(kernel), task)},
          {"row_by_row", "one row at a time", row_by_row(task)},
          {"one_register", "one register", one_register(task)},
          {"two_registers", "two registers", two_registers(task)},
          {"even_tiles", "even tiles", play(even_tiles, task)},
          {"bound", "bound", bound(task)}};
}

constexpr ArrayShape cells_128 = {128, 128};
constexpr Task partial = {cells_128, {16, 129, 129}};  // a side of 129 needs two tiles

std::vector<yours::Count> count(void* kernel) {
  const std::vector<Contestant> all = contestants(kernel, partial);
  const auto count_of = [&](const std::string& what, auto of) {
    yours::Count result = {what + ", N = K = 129", static_cast<double>(of(all.front().played)), {}};
    for (const Contestant& each : std::span(all).subspan(1)) {
      if (each.id != "row_by_row" && each.id != "even_tiles")
        result.others.emplace_back(each.label, static_cast<double>(of(each.played)));
    }
    return result;
  };
  return {
      count_of("ticks in which no weights enter", [](const Played& played) { return played.ticks - played.loading; }),
      count_of("ticks in which no row of a enters",
               [](const Played& played) { return played.ticks - played.entering; })};
}

/// \param x  rows of a, as the figure's x axis shows them
yours::Heat heat(void* kernel, const std::string& name, double x, const Task& task) {
  const std::vector<Contestant> all = contestants(kernel, task);
  const auto least = static_cast<double>(all.back().played.ticks);
  yours::Heat heat = {name, x, {}};
  for (const Contestant& each : all) {
    const auto ticks = static_cast<double>(each.played.ticks);
    heat.rows.push_back({each.id, each.label, estimate({ticks}), estimate({least / ticks})});
  }
  return heat;
}

/// Nothing is timed, so a quick race is the same.
std::vector<yours::Heat> race(void* kernel, bool /*quick*/) {
  std::vector<yours::Heat> heats;
  for (const std::size_t m : {1, 8, 64, 512})
    heats.push_back(heat(kernel, "M = " + std::to_string(m), static_cast<double>(m), {cells_128, {m, 512, 512}}));
  heats.push_back(heat(kernel, "N = K = 129", std::numeric_limits<double>::quiet_NaN(), partial));  // not in the figure
  return heats;
}

}  // namespace
}  // namespace hf::tpu

int main(int argc, char** argv) {
  using namespace hf::tpu;
  return hf::yours::run_trial({"04-tpu", "schedule", check, count, race, "ticks", false}, argc, argv);
}
