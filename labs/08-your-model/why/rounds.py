"""Times calls that differ in one thing, in rounds in which they take turns, and prints the seconds of each round as JSON."""

import json
import sys
import time

import torch

ROUNDS = 15


def print_rounds(calls):
    """`calls`: by name, what is called, and how often it does the work whose seconds are printed."""
    torch.set_num_threads(int(sys.argv[1]))
    seconds = {name: [] for name in calls}
    with torch.inference_mode():
        for call, _ in calls.values():
            call()
        for _ in range(ROUNDS):
            for name, (call, times) in calls.items():
                seconds[name].append(timed(call) / times)
    print(json.dumps(seconds))


def timed(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin
