"""Run with a Python that has PyTorch: prints what the tool counts for single operations, as JSON by the case's name."""

import json
from types import SimpleNamespace

import torch
from model.count import Counter

F = torch.nn.functional
matrix, other, row = torch.randn(8, 16), torch.randn(16, 4), torch.randn(16)
image, kernel = torch.randn(2, 3, 8, 8), torch.randn(5, 3, 3, 3)
heads = torch.randn(1, 2, 6, 4)
layer, tokens = torch.nn.MultiheadAttention(8, 2, batch_first=True).eval(), torch.randn(1, 5, 8)
table, asked = torch.randn(100, 16), torch.tensor([3, 7, 3])

CASES = {
    "mm": lambda: matrix @ other,
    "addmm": lambda: torch.addmm(torch.ones(4), matrix, other),
    "mv": lambda: torch.mv(matrix, row),
    "bmm": lambda: torch.bmm(torch.ones(3, 8, 16), torch.ones(3, 16, 4)),
    "convolution": lambda: F.conv2d(image, kernel),
    "attention": lambda: F.scaled_dot_product_attention(heads, heads, heads),
    "whole attention": lambda: layer(tokens, tokens, tokens, need_weights=False),
    "layer norm": lambda: F.layer_norm(matrix, (16,)),
    "max pool": lambda: F.max_pool2d(image, 2),
    "softmax": lambda: matrix.softmax(dim=-1),
    "gelu": lambda: F.gelu(matrix),
    "sum": lambda: matrix.sum(),
    "square": lambda: matrix**2,
    "power": lambda: matrix**2.5,
    "transpose": lambda: matrix.t(),
    "reshape": lambda: matrix.view(4, 32),
    "slice": lambda: matrix[2:4],
    "same twice": lambda: matrix * matrix,
    "row added": lambda: matrix + row,
    "expanded": lambda: torch.ones(1, 16).expand(8, 16) + matrix,
    "windows": lambda: row.unfold(0, 4, 1) + 1,
    "in place": lambda: matrix.add_(1),
    "overwritten": lambda: matrix.copy_(torch.ones(8, 16)),
    "out": lambda: torch.add(matrix, 1, out=torch.empty(8, 16)),
    "half": lambda: matrix.bfloat16() + 1,
    "embedding": lambda: F.embedding(asked, table),
    "rows added": lambda: table.index_add_(0, asked, torch.ones(3, 16)),
    "empty": lambda: torch.empty(8, 16),
    "cat": lambda: torch.cat([matrix, matrix + 1]),
}


def counted(case):
    with torch.no_grad(), Counter(SimpleNamespace(file="", names={}, made_at={})) as counter:
        case()
    last = counter.operations[-1]
    return {
        "operation": last.name,
        "view": last.is_view,
        "flops": last.flops,
        "function": last.function,
        "read": sum(size for _, size in last.reads),
        "written": sum(size for _, size in last.writes),
        "dtype": last.dtype,
    }


print(json.dumps({name: counted(case) for name, case in CASES.items()}))
