// A stand-in for NVML's library, libnvidia-ml.so.1: an H100 whose readings a test sets, and whose calls a test can let fail.
// Built a second time without two functions, as drivers before 535 and a virtual GPU are.
#include "nvml.hpp"

#include <cstring>

using hf::gpu::NvmlStandIn;

namespace {

int device;  // its address is the handle
NvmlStandIn stand_in;

/// 0 for success, else what the stand-in says of a failed call.
int status(const char* call) { return stand_in.failing == call ? 9 : 0; }

/// nvmlFieldValue_t, as NVIDIA's header declares it.
struct FieldValue {
  unsigned fieldId, scopeId;
  long long timestamp, latencyUsec;
  int valueType, nvmlReturn;
  union {
    double dVal;
    unsigned uiVal;
    unsigned long long ullVal;
  } value;
};

}  // namespace

extern "C" {

NvmlStandIn* stand_in_for_nvml() { return &stand_in; }

const char* nvmlErrorString(int) { return "Driver Not Loaded"; }

int nvmlInit_v2() {
  ++stand_in.users;
  return status("nvmlInit_v2");
}

int nvmlShutdown() {
  --stand_in.users;
  return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** to) {
  *to = &device;
  return std::strcmp(id, "0000:41:00.0") == 0 ? status("nvmlDeviceGetHandleByPciBusId_v2") : 6;
}

int nvmlDeviceGetClockInfo(void* of, int domain, unsigned* mhz) {
  *mhz = of == &device && domain == 1 ? stand_in.mhz : 0;
  return status("nvmlDeviceGetClockInfo");
}

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = stand_in.average_milliwatts;
  return status("nvmlDeviceGetPowerUsage");
}

int nvmlDeviceGetTemperature(void*, int sensor, unsigned* celsius) {
  *celsius = sensor == 0 ? stand_in.celsius : 0;
  return status("nvmlDeviceGetTemperature");
}

#ifndef OLD_NVML
int nvmlDeviceGetFieldValues(void*, int count, void* fields) {
  auto* values = static_cast<FieldValue*>(fields);
  for (int i = 0; i < count; ++i) {
    values[i].nvmlReturn = values[i].fieldId == 186 ? status("the power field") : 3;
    if (values[i].nvmlReturn == 0) values[i].value.uiVal = stand_in.milliwatts;
  }
  return status("nvmlDeviceGetFieldValues");
}

int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) {
  *reasons = stand_in.reasons;
  return status("nvmlDeviceGetCurrentClocksEventReasons");
}
#else
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = stand_in.reasons;
  return 0;
}
#endif
}
