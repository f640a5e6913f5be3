"""Two exercises on one device: relu(x) * 0.5 + 1 unfused and fused, timed; and profiled, to see how many kernels that is.

Arguments: cuda or cpu; the side of x; how many samples. The last line it writes is JSON: the device's name; milliseconds of a
call, unfused and fused, a list of samples taken in turns; kernels of a call, on a processor operators.
"""

import json
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile

device, side, samples = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
on_gpu = device == "cuda"


def unfused(x):
    x = torch.relu(x)
    x = x * 0.5
    return x + 1.0


fused = torch.compile(unfused)


def wait():
    if on_gpu:
        torch.cuda.synchronize()


def milliseconds(function, x, calls):
    wait()
    start = time.perf_counter()
    for _ in range(calls):
        function(x)
    wait()
    return (time.perf_counter() - start) / calls * 1e3


def kernels(function, x, calls=5):
    with profile(activities=[ProfilerActivity.CUDA if on_gpu else ProfilerActivity.CPU]) as profiler:
        for _ in range(calls):
            function(x)
        wait()
    seen = torch.autograd.DeviceType.CUDA if on_gpu else torch.autograd.DeviceType.CPU
    events = [event for event in profiler.events() if event.device_type == seen]
    if on_gpu:
        events = [event for event in events if not event.name.startswith(("Memcpy", "Memset", "cuda"))]
    else:
        events = [event for event in events if event.name in ("aten::relu", "aten::mul", "aten::add")]
    return len(events) / calls


with torch.inference_mode():
    x = torch.randn(side, side, device=device)
    if not torch.allclose(unfused(x), fused(x)):
        sys.exit("fused and unfused differ")
    functions = {"unfused": unfused, "fused": fused}
    for function in functions.values():
        milliseconds(function, x, 10)
    times = {name: [] for name in functions}
    for _ in range(samples):
        for name, function in functions.items():
            times[name].append(milliseconds(function, x, 20))
    counts = {name: kernels(function, x) for name, function in functions.items()}

name = torch.cuda.get_device_name() if on_gpu else "processor"
print(json.dumps({"device": name, "milliseconds": times, "kernels": counts}))
