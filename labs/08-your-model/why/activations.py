"""Which GELU is faster where memory plays no part: the exact one, with erf, or the one with tanh, on a short row and on a long
one that a near cache holds."""

import torch
from rounds import print_rounds

SHORT, LONG = 64, 4096
TIMES = 200

gelu = torch.ops.aten.gelu


def activation(numbers, formula):
    x = torch.randn(numbers)
    y = torch.empty(numbers)
    return lambda: [gelu.out(x, approximate=formula, out=y) for _ in range(TIMES)]


rows = {"short": SHORT, "long": LONG}
formulas = {"erf": "none", "tanh": "tanh"}
print_rounds({f"{name}_{row}": activation(n, formula) for row, n in rows.items() for name, formula in formulas.items()}, TIMES)
