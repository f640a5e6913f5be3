"""A GPU's roofs, as PyTorch's own operations reach them: large products, reads, copies and functions."""

from statistics import median

import torch

from .roofs import PEAKS, Roofs

# Widths at which a product keeps every part of a GPU busy, yet takes milliseconds; few GPUs are fast with 64 bits.
WIDTHS = {torch.float32: 4096, torch.bfloat16: 8192, torch.float16: 8192, torch.float64: 2048}
ROUNDS, CALLS = 5, 20  # so many calls in a row that the GPU does not wait for Python


def measure_gpu_roofs(gpu):
    about = torch.cuda.get_device_properties(gpu.where)
    near, far = about.L2_cache_size // 2, 16 * about.L2_cache_size
    own = {PEAKS[str(kind).removeprefix("torch.")]: product_gflops(gpu, kind, width) for kind, width in WIDTHS.items()}
    own |= {f"{name}_gops": function_gops(gpu, near, getattr(torch.ops.aten, name)) for name in ("exp", "gelu")}
    own |= {"read": [(size, read_gbs(gpu, size)) for size in (near, far)]}
    own |= {"copy": [(size, copy_gbs(gpu, size)) for size in (near, far)]}
    # The caches of its cores keep nothing from one kernel to the next. It chooses the number of its threads itself.
    return Roofs({"machine": about.name, "caches": [0, about.L2_cache_size], "threads": {"0": own}}, 0)


def seconds_of(gpu, call):
    run = lambda: [call() for _ in range(CALLS)]
    run()
    return median(gpu.timed(run) for _ in range(ROUNDS)) / CALLS


def floats(gpu, size):
    return torch.randn(size // 4, device=gpu.where)


def product_gflops(gpu, kind, width):
    a, b = (torch.randn(width, width, device=gpu.where).to(kind) for _ in range(2))
    return 2 * width**3 / seconds_of(gpu, lambda: a @ b) / 1e9


def function_gops(gpu, size, function):
    x = floats(gpu, size // 2)
    y = torch.empty_like(x)
    return x.numel() / seconds_of(gpu, lambda: function.out(x, out=y)) / 1e9


def read_gbs(gpu, size):
    x = floats(gpu, size)
    return size / seconds_of(gpu, x.sum) / 1e9


def copy_gbs(gpu, size):
    """Of a working set that is copied from one half to the other; each byte moves twice."""
    x = floats(gpu, size // 2)
    y = torch.empty_like(x)
    return size / seconds_of(gpu, lambda: y.copy_(x)) / 1e9
