"""Predicts each operation: the slowest of its arithmetic, its functions and its bytes, but at least the price of a call;
and the pages of new memory that the system provides meanwhile."""

from collections import OrderedDict
from dataclasses import dataclass

FAR = float("inf")


class Reuse:
    """How much other memory was touched since a piece of memory was touched last. Caches keep what was used last, so its bytes
    come from as far away. A new tensor at an old address is as near as the old one."""

    def __init__(self):
        self.touched = OrderedDict()  # the bytes of each storage, the last one touched last

    def distance(self, storage, size):
        """The bytes touched since the storage was, with its own; touches it."""
        # Its own count too, because between two uses of a byte the rest of the storage is used, as in a loop over a working
        # set.
        between = FAR
        if storage in self.touched:
            between = size
            for each in reversed(self.touched):
                if each == storage:
                    break
                between += self.touched[each]
        self.touched[storage] = size
        self.touched.move_to_end(storage)
        return between


@dataclass
class Prediction:
    seconds: float
    waits: str  # for "arithmetic", "function", "call", "new memory", or the level that most of its time is for: "L2", "memory"


# [begin: predict]
def predict_one(operation, roofs, reuse, prices):
    level, moving = time_to_move(operation, roofs, reuse)
    function = operation.function
    times = {
        "arithmetic": roofs.seconds_for(operation.flops, operation.dtype),
        "function": roofs.seconds_through(*function) if function else 0,
        level: moving,
        "call": prices.call,
    }
    waits = max(times, key=times.get)
    # Nothing else is done while the system provides new pages.
    pages = operation.pages * prices.page
    reason = "new memory" if pages > times[waits] else waits
    return Prediction(times[waits] + pages, reason)
# [end: predict]


def time_to_move(operation, roofs, reuse):
    """The level that most of the time is for, and the seconds for all bytes of an operation."""
    by_level = {}
    for transfers, seconds_for in (operation.reads, roofs.seconds_to_read), (operation.writes, roofs.seconds_to_write):
        for storage, size in transfers:
            distance = reuse.distance(storage, size)
            level = roofs.level(distance)
            by_level[level] = by_level.get(level, 0) + seconds_for(size, distance)
    return max(by_level, key=by_level.get, default="memory"), sum(by_level.values())


def predict(runs, roofs, prices):
    """Predictions for the last run; those before it leave in the caches what it finds there."""
    reuse = Reuse()
    for run in runs:
        predictions = [predict_one(each, roofs, reuse, prices) for each in run]
    return predictions
