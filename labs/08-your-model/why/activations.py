"""Which GELU is faster where memory plays no part: the exact one, with erf, or the one with tanh, on a short row and on a long
one that a near cache holds."""

import torch
from rounds import print_rounds

SHORT, LONG = 64, 16384
TIMES = 100

gelu = torch.ops.aten.gelu


def activation(numbers, formula):
    x, y = torch.randn(numbers), torch.empty(numbers)
    return lambda: [gelu.out(x, approximate=formula, out=y) for _ in range(TIMES)]


calls = {
    "erf_short": activation(SHORT, "none"),
    "tanh_short": activation(SHORT, "tanh"),
    "erf_long": activation(LONG, "none"),
    "tanh_long": activation(LONG, "tanh"),
}
print_rounds({name: (call, TIMES) for name, call in calls.items()})
