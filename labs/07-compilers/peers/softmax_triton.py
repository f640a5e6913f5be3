"""A softmax in Triton, as chapter 07 shows it; the lab does not time it, because it needs a GPU. Run as a program, it
compares itself with PyTorch's; TRITON_INTERPRET=1 does so on a processor."""

import torch
import triton
import triton.language as tl


# [begin: softmax]
@triton.jit
def softmax_of_a_row(out, x, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, WIDTH)  # WIDTH: a power of two, at least `columns`
    inside = at < columns
    scores = tl.load(x + row * columns + at, mask=inside, other=-float("inf"))
    powers = tl.exp(scores - tl.max(scores, axis=0))
    share = powers / tl.sum(powers, axis=0)
    tl.store(out + row * columns + at, share, mask=inside)


def softmax(x):
    out = torch.empty_like(x)
    rows, columns = x.shape
    softmax_of_a_row[(rows,)](out, x, columns, triton.next_power_of_2(columns))
    return out
# [end: softmax]


if __name__ == "__main__":
    scores = torch.randn(64, 781, device="cuda" if torch.cuda.is_available() else "cpu")
    print((softmax(scores) - torch.softmax(scores, dim=1)).abs().max().item())
