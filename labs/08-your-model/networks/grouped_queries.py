"""An attention block of today's language models, which reads 128 tokens: 4 heads of queries share 1 head of keys and values."""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

WIDTH, HEADS, SHARED, SIZE = 1024, 16, 4, 64  # 16 heads of queries, 4 of keys and values, of 64 numbers each


class GroupedQueries(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.RMSNorm(WIDTH)
        self.queries = nn.Linear(WIDTH, HEADS * SIZE, bias=False)
        self.keys = nn.Linear(WIDTH, SHARED * SIZE, bias=False)
        self.values = nn.Linear(WIDTH, SHARED * SIZE, bias=False)
        self.out = nn.Linear(HEADS * SIZE, WIDTH, bias=False)

    def forward(self, x):
        users, tokens, _ = x.shape
        y = self.norm(x)
        q = self.queries(y).view(users, tokens, HEADS, SIZE).transpose(1, 2)
        k = self.keys(y).view(users, tokens, SHARED, SIZE).transpose(1, 2)
        v = self.values(y).view(users, tokens, SHARED, SIZE).transpose(1, 2)
        y = scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return x + self.out(y.transpose(1, 2).reshape(users, tokens, HEADS * SIZE))


model = GroupedQueries()
inputs = torch.randn(1, 128, WIDTH)
