#include "kit/transformer/account.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/measure/clock.hpp"

namespace hf::workload {

void Ledger::begin_pass() {
  for (OperatorTotal& each : operators_) each = {std::move(each.name), each.kind, {}, 0};
  start_ = now_ns();
}

Pass Ledger::end_pass() {
  const double seconds = seconds_since(start_);
  Pass pass = {seconds, operators_};
  std::erase_if(pass.operators, [](const OperatorTotal& each) { return each.work.bytes == 0; });
  return pass;
}

void Ledger::add(OperatorClass kind, std::string_view name, const Work& work, double seconds) {
  auto found = std::find_if(operators_.begin(), operators_.end(),
                            [&](const OperatorTotal& each) { return each.kind == kind && each.name == name; });
  if (found == operators_.end()) found = operators_.insert(found, {std::string(name), kind, {}, 0});
  found->work = Pass::plus(found->work, work);
  found->seconds += seconds;
}

}  // namespace hf::workload
