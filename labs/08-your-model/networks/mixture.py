"""A small mixture of experts: of 8 networks, each of 64 tokens asks the 2 that its router scores highest."""

import torch
from torch import nn

WIDTH, EXPERTS, ASKED = 512, 8, 2


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(WIDTH, EXPERTS, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.SiLU(), nn.Linear(4 * WIDTH, WIDTH)) for _ in range(EXPERTS)
        )

    def forward(self, x):
        shares, chosen = self.router(x).softmax(dim=-1).topk(ASKED, dim=-1)
        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            tokens, place = (chosen == number).nonzero(as_tuple=True)  # the tokens that ask this expert
            out.index_add_(0, tokens, expert(x[tokens]) * shares[tokens, place, None])
        return out


torch.manual_seed(0)
model = Mixture()
inputs = torch.randn(64, WIDTH)
