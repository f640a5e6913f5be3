"""What a model runs on: the processor, or a GPU. Each has its clock."""

import time

import torch

from .refusal import Refusal


class Processor:
    where = "cpu"

    def mark(self):
        return time.perf_counter()

    def between(self, begin, end):
        """The seconds between two marks, once wait() has returned."""
        return end - begin

    def wait(self):
        """Returns when all work is done."""

    def timed(self, run):
        self.wait()
        begin = self.mark()
        run()
        end = self.mark()
        self.wait()
        return self.between(begin, end)


class Gpu(Processor):
    """It works while Python goes on, so its marks are events between its kernels. If Python calls the next kernel too late, the
    GPU waits, and the events show it."""

    where = "cuda"

    def __init__(self):
        if not torch.cuda.is_available():
            raise Refusal("--device cuda: PyTorch finds no GPU; install its driver and a PyTorch for CUDA, or use --device cpu")

    def mark(self):
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def between(self, begin, end):
        return begin.elapsed_time(end) / 1e3  # from milliseconds

    def wait(self):
        torch.cuda.synchronize()


DEVICES = {"cpu": Processor, "cuda": Gpu}
