#include "common/cuda/power.hpp"

namespace hf::cuda {
namespace {

constexpr int success = 0;

}  // namespace

PowerMeter::PowerMeter(const std::string& bus_id, const char* library) : library_{library} {
  const auto start = library_.function<int()>("nvmlInit_v2");
  const auto find = library_.function<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  if (start == nullptr || find == nullptr) {
    missing_ = "no NVML here";
  } else if (started_ = start() == success; !started_) {
    missing_ = "NVML does not start";
  } else if (find(bus_id.c_str(), &device_) != success) {
    missing_ = "NVML does not know this GPU";
  } else if (!joules()) {
    missing_ = "this GPU's energy counter does not answer";
  }
}

PowerMeter::~PowerMeter() {
  const auto stop = library_.function<int()>("nvmlShutdown");
  if (started_ && stop != nullptr) stop();
}

std::optional<double> PowerMeter::joules() const {
  return read<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption", 1e-3);
}

std::optional<double> PowerMeter::limit_watts() const {
  return read<unsigned>("nvmlDeviceGetEnforcedPowerLimit", 1e-3);
}

template <class Number>
std::optional<double> PowerMeter::read(const char* function, double unit) const {
  const auto ask = library_.function<int(void*, Number*)>(function);
  Number answer = 0;
  if (device_ == nullptr || ask == nullptr || ask(device_, &answer) != success) return std::nullopt;
  return static_cast<double>(answer) * unit;
}

}  // namespace hf::cuda
