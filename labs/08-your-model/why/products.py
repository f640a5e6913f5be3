"""Why products of few rows take longer than their arithmetic and their bytes: the same calls with one thing changed. Prints the
seconds of each round as JSON."""

import json
import sys
import time

import torch

ROUNDS = 15
ROWS, WIDTH, WIDER = 16, 512, 2048  # as in the mixture of experts
COPIES = 24  # of the weights, 4 MiB each: more than the caches hold


def timed(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def main():
    torch.set_num_threads(int(sys.argv[1]))
    weights = [torch.randn(WIDER, WIDTH) for _ in range(COPIES)]
    few, one = torch.randn(ROWS, WIDTH), torch.randn(1, WIDTH)
    calls = {
        "near": lambda: [torch.nn.functional.linear(few, weights[0]) for _ in weights],
        "far": lambda: [torch.nn.functional.linear(few, each) for each in weights],
        "one_row": lambda: [torch.nn.functional.linear(one, each) for each in weights],
        "sum": lambda: [each.sum() for each in weights],
    }
    seconds = {name: [] for name in calls}
    with torch.inference_mode():
        for call in calls.values():
            call()
        for _ in range(ROUNDS):
            for name, call in calls.items():
                seconds[name].append(timed(call) / COPIES)
    print(json.dumps(seconds))


main()
