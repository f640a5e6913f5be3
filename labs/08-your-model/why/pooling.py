"""Why max pooling takes longer than its bytes: the same numbers from memory, in a near cache, in rising order, and with the
channels of a point side by side. It writes into memory that is kept, so no time goes into new pages."""

import torch
from rounds import print_rounds

PHOTOGRAPHS = torch.randn(4, 32, 224, 224)  # as in the first block of told/step0.py
PIECE = torch.randn(1, 16, 32, 32)  # 64 KiB, with a result of 48 KiB
PIECES = 100

pool = torch.ops.aten.max_pool2d_with_indices


def pooling(x, times=1):
    largest, places = pool(x, [2, 2])

    def run():
        for _ in range(times):
            pool.out(x, [2, 2], out=largest, indices=places)

    return run


calls = {
    "far": (pooling(PHOTOGRAPHS), PHOTOGRAPHS.numel()),
    "near": (pooling(PIECE, PIECES), PIECES * PIECE.numel()),
    "near_rising": (pooling(PIECE.flatten().sort().values.view_as(PIECE), PIECES), PIECES * PIECE.numel()),
    "channels_last": (pooling(PHOTOGRAPHS.contiguous(memory_format=torch.channels_last)), PHOTOGRAPHS.numel()),
}
print_rounds(calls)
