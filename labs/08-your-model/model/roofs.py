"""The roofs of this machine, from the file that `build/bin/your-model-roofs` writes."""

import bisect
import json
import math
from pathlib import Path

from .refusal import Refusal

PEAKS = {"float32": "fp32_gflops", "bfloat16": "bf16_gflops", "float16": "fp16_gflops", "float64": "fp64_gflops"}
LEVELS = ("L1", "L2", "L3", "L4")


class Roofs:
    """What so many threads can do: arithmetic, functions, and bytes by how far away they lie."""

    def __init__(self, told, threads):
        self.machine, self.caches, self.threads = told["machine"], told["caches"], threads
        self.told = told["threads"][str(threads)]

    def seconds_for(self, flops, dtype):
        # A type without a roof of its own: a register holds half as many numbers of 64 bits; shorter ones are computed as 32.
        peak = self.told.get(PEAKS.get(dtype)) or self.told["fp32_gflops"] / (2 if dtype == "float64" else 1)
        return flops / peak / 1e9

    def seconds_through(self, function, numbers):
        return numbers / self.told[f"{function}_gops"] / 1e9

    def seconds_to_read(self, size, distance):
        """The time for bytes that lie as far away as a working set of `distance` bytes that is read again and again."""
        return size / at(self.told["read"], distance) / 1e9

    def seconds_to_write(self, size, distance):
        """What a copy takes beyond its reading: copying moves each byte twice, once each way."""
        copy, read = at(self.told["copy"], distance), at(self.told["read"], distance)
        return size * max(2 / copy - 1 / read, 1 / copy / 2) / 1e9

    def level(self, distance):
        return next((name for name, size in zip(LEVELS, self.caches) if distance <= size), "memory")


def at(points, x):
    """The bandwidth at a working set, between the two that were measured; beyond the ends, that of the end."""
    sizes = [size for size, _ in points]
    above = bisect.bisect_left(sizes, x)
    if above == 0:
        return points[0][1]
    if above == len(points):
        return points[-1][1]
    (low, slow), (high, fast) = points[above - 1], points[above]
    share = (math.log(x) - math.log(low)) / (math.log(high) - math.log(low))
    return slow * (fast / slow) ** share


def read_roofs(path, threads):
    """The roofs for so many threads (None: all). Raises Refusal if the file has none."""
    remedy = "remove it, and make model measures the roofs again"
    try:
        told = json.loads(Path(path).read_text())
    except OSError:
        raise Refusal(f"{path}: there is no such file; make model measures the roofs, or --roofs names another file") from None
    except ValueError as error:
        raise Refusal(f"{path}: it is not JSON ({error}); {remedy}") from None
    require(told, ("machine", "caches", "threads"), f"{path}: it", remedy)
    threads = str(threads or max(map(int, told["threads"])))
    if threads not in told["threads"]:
        known = " or ".join(told["threads"])
        raise Refusal(f"{path}: it has no roofs for {threads} threads; choose --threads {known}")
    require(
        told["threads"][threads], ("fp32_gflops", "read", "copy", "exp_gops", "gelu_gops"), f"{path}: threads {threads}", remedy
    )
    return Roofs(told, int(threads))


def require(told, names, whose, remedy):
    for name in names:
        if not told.get(name):
            raise Refusal(f"{whose} lacks {name!r}; {remedy}")
