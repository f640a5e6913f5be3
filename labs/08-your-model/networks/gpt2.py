"""GPT-2 small's shape, which writes one token after 256 others, whose keys and values it has kept. Its weights are random."""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

LAYERS, HEADS, WIDTH, WORDS, CONTEXT = 12, 12, 768, 50257, 256


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_attn = nn.Linear(WIDTH, 3 * WIDTH)
        self.c_proj = nn.Linear(WIDTH, WIDTH)
        self.register_buffer("kept", torch.randn(2, 1, HEADS, CONTEXT, WIDTH // HEADS))  # keys and values

    def forward(self, x):
        users, tokens, _ = x.shape
        q, k, v = self.c_attn(x).view(users, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        keys, values = self.kept.expand(2, users, -1, -1, -1)
        y = scaled_dot_product_attention(q, torch.cat([keys, k], dim=2), torch.cat([values, v], dim=2))
        return self.c_proj(y.transpose(1, 2).reshape(users, tokens, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(WIDTH), Attention()
        self.ln_2, self.c_fc, self.c_proj = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.gelu = nn.GELU(approximate="tanh")

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.c_proj(self.gelu(self.c_fc(self.ln_2(x))))


class GPT2(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(WORDS, WIDTH), nn.Embedding(1024, WIDTH)
        self.h = nn.ModuleList(Block() for _ in range(LAYERS))
        self.ln_f = nn.LayerNorm(WIDTH)

    def forward(self, token, position):
        x = self.wte(token) + self.wpe(position)
        for block in self.h:
            x = block(x)
        return self.ln_f(x) @ self.wte.weight.T  # a score for each word


model = GPT2().eval()
inputs = torch.tensor([[464]]), torch.tensor([[CONTEXT]])  # a token, and its place
