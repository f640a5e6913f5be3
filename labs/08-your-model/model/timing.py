"""Times a run in rounds: the whole as it is, and each of its operations under a clock."""

import mmap
import time
from dataclasses import dataclass
from statistics import median

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Clock(TorchDispatchMode):
    """While it is active, keeps the name and the seconds of each call of PyTorch's."""

    def __init__(self):
        super().__init__()
        self.names, self.seconds = [], []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        begin = time.perf_counter()
        out = function(*args, **(kwargs or {}))
        self.seconds.append(time.perf_counter() - begin)
        self.names.append(function._schema.name.split("::")[-1])
        return out


def timed(run):
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


@dataclass
class Prices:
    """What PyTorch and the system take for themselves, in seconds."""

    call: float  # of an operation on one number
    watched: float  # of the same as the clock sees it
    page: float  # of a page of memory that this process did not have

    @property
    def watching(self):
        """What the clock adds to an operation."""
        return max(self.watched - self.call, 0)


def measure_prices():
    with torch.no_grad():
        return Prices(*prices_of_a_call(), price_of_a_page())


def prices_of_a_call(times=300):
    one = torch.ones(1)
    add = lambda: torch.add(one, one)
    plain = [timed(add) for _ in range(times)]
    reading = median(timed(lambda: None) for _ in range(times))  # the clock's own
    with Clock() as clock:
        for _ in range(times):
            add()
    return max(median(plain) - reading, 1e-9), median(clock.seconds)


def price_of_a_page(rounds=5, size=40 << 20):
    """Filling memory that the system provides at that moment, against filling it again. The C library never keeps
    more than 32 MiB for later."""
    prices = []
    for _ in range(rounds):
        fill = torch.empty(size, dtype=torch.uint8).fill_
        first, again = timed(lambda fill=fill: fill(1)), timed(lambda fill=fill: fill(2))
        prices.append((first - again) / (size / mmap.PAGESIZE))
    return max(median(prices), 0)


class Timings:
    """The seconds of each round: of the model as it is, of the model under the clock, and of each of its operations."""

    def __init__(self, operations):
        self.whole, self.watched, self.each = [], [], [[] for _ in range(operations)]
        self.dropped = 0  # rounds that called other operations

    def add(self, whole, watched, seconds):
        self.whole.append(whole)
        self.watched.append(watched)
        for samples, one in zip(self.each, seconds):
            samples.append(one)


def time_rounds(run, names, budget, before, least=7, most=60):
    """Times the model without the clock and with it, alternately, for about `budget` seconds. `names` are the operations that
    each run should call; `before` prepares one."""
    timings = Timings(len(names))
    began, rounds = time.perf_counter(), 0
    while rounds < least or (rounds < most and time.perf_counter() - began < budget):
        rounds += 1
        before()
        whole = timed(run)
        before()
        with Clock() as clock:
            watched = timed(run)
        if clock.names == names:
            timings.add(whole, watched, clock.seconds)
        else:
            timings.dropped += 1
    return timings
