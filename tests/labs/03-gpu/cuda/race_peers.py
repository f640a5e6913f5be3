"""PyTorch's matrix products, by the library that it calls and by kernels that its compiler writes in Triton, timed as race.cu
times ours. A check for maintainers, which tools/measure-gpu runs.

    race_peers.py cuda|cpu bf16|fp32 N [uniform|normal|zeros] [seconds of a sample] [rounds]

The numbers decide how much power a product takes, so they decide its speed where power limits the clock.
"""

import statistics
import sys
import time

import torch
from torch._inductor import config

device, kind, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
data = sys.argv[4] if len(sys.argv) > 4 else "uniform"
seconds = float(sys.argv[5]) if len(sys.argv) > 5 else 0.2
rounds = int(sys.argv[6]) if len(sys.argv) > 6 else 7

torch.backends.cuda.matmul.allow_tf32 = False
config.max_autotune_gemm_backends = "TRITON"
number = {"bf16": torch.bfloat16, "fp32": torch.float32}[kind]


def matrix():
    make = {"uniform": lambda: torch.rand(n, n, device=device) - 0.5, "normal": lambda: torch.randn(n, n, device=device),
            "zeros": lambda: torch.zeros(n, n, device=device)}
    return make[data]().to(number)


def wait():
    if device == "cuda":
        torch.cuda.synchronize()


def run(multiply, calls):
    """The seconds that one call takes."""
    wait()
    start = time.perf_counter()
    for _ in range(calls):
        multiply()
    wait()
    return (time.perf_counter() - start) / calls


def check(name, c, a, b):
    """Compares some rows with a product in fp64. fp32 may round each of n sums; bf16 rounds the result to 8 binary digits."""
    rows = slice(0, n, max(n // 16, 1))
    exact, sizes = a[rows].double() @ b.double(), a[rows].abs().double() @ b.abs().double()
    bound = n * 2**-24 * sizes + (2**-8 * exact.abs() if kind == "bf16" else 0)
    if not bool(((c[rows].double() - exact).abs() <= bound).all()):
        sys.exit(f"race_peers.py: {name} is wrong at N = {n}")


with torch.inference_mode():
    a, b = matrix(), matrix()
    compiled = torch.compile(torch.matmul, mode="max-autotune-no-cudagraphs")
    runners = {"torch.matmul": lambda: torch.matmul(a, b), "torch.compile, Triton": lambda: compiled(a, b)}
    calls, times = {}, {name: [] for name in runners}
    for name, multiply in runners.items():
        check(name, multiply(), a, b)
        calls[name] = max(1, round(seconds / run(multiply, 3)))
    for _ in range(rounds):
        for name, multiply in runners.items():
            run(multiply, calls[name])  # as long again, so that the clock settles
            times[name].append(run(multiply, calls[name]))

for name, samples in times.items():
    print(f"{name:22} {2 * n**3 / statistics.median(samples) * 1e-12:8.1f} TFLOP/s  {kind}, N = {n}, {data}")
