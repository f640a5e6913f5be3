"""Why products of few rows take longer than their arithmetic and their bytes."""

import torch
from rounds import print_rounds
from torch.nn.functional import linear

ROWS, WIDTH, WIDER = 16, 512, 2048  # as in the mixture of experts
COPIES = 24  # of the weights, 4 MiB each: more than the caches hold

weights = [torch.randn(WIDER, WIDTH) for _ in range(COPIES)]
few, one = torch.randn(ROWS, WIDTH), torch.randn(1, WIDTH)
calls = {
    "near": lambda: [linear(few, weights[0]) for _ in weights],
    "far": lambda: [linear(few, each) for each in weights],
    "one_row": lambda: [linear(one, each) for each in weights],
    "sum": lambda: [each.sum() for each in weights],
}
print_rounds({name: (call, COPIES) for name, call in calls.items()})
