"""Times a run in rounds: the whole as it is, and each of its operations under a clock."""

import mmap
import time
from dataclasses import dataclass
from statistics import median

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .device import Gpu


class Clock(TorchDispatchMode):
    """While it is active, keeps the name and the time of each call of PyTorch's."""

    def __init__(self, device):
        super().__init__()
        self.device, self.names, self.marks = device, [], []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        begin = self.device.mark()
        out = function(*args, **(kwargs or {}))
        self.marks.append((begin, self.device.mark()))
        self.names.append(function._schema.name.split("::")[-1])
        return out

    def seconds(self):
        """Of each call, once the device has done them."""
        return [self.device.between(*marks) for marks in self.marks]


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


def measure_prices(device):
    with torch.no_grad():
        return Prices(*prices_of_a_call(device), 0 if isinstance(device, Gpu) else price_of_a_page(device))


def prices_of_a_call(device, rounds=15, times=50):
    """Of calls in a row, as in a model: so a GPU has the next call before it has done the last."""
    one = torch.ones(1, device=device.where)
    add = lambda: [torch.add(one, one) for _ in range(times)]
    add()
    plain = median(device.timed(add) for _ in range(rounds)) / times
    with Clock(device) as clock:
        device.timed(lambda: [add() for _ in range(rounds)])
    return plain, median(clock.seconds())


def price_of_a_page(device, rounds=5, size=40 << 20):
    """Filling memory that the system provides at that moment, against filling it again. The C library never keeps
    more than 32 MiB for later."""
    prices = []
    for _ in range(rounds):
        fill = torch.empty(size, dtype=torch.uint8).fill_
        first, again = (device.timed(lambda fill=fill, number=number: fill(number)) for number in (1, 2))
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


def time_rounds(run, names, budget, least=7, most=60):
    """Times the model without the clock and with it, alternately, for about `budget` seconds. `names` are the operations that
    each run should call."""
    timings, device = Timings(len(names)), run.subject.device
    began, rounds = time.monotonic(), 0
    while rounds < least or (rounds < most and time.monotonic() - began < budget):
        rounds += 1
        run.put_back()
        whole = device.timed(run)
        run.put_back()
        with Clock(device) as clock:
            watched = device.timed(run)
        if clock.names == names:
            timings.add(whole, watched, clock.seconds())
        else:
            timings.dropped += 1
    return timings
