"""A small classifier of photographs, as one might first write it. The steps beside this file change it, one thing at a time."""

import torch
from torch import nn


# [begin: network]
class Gelu(nn.Module):
    """The activation, as its paper writes it."""

    def forward(self, x):
        return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x**3)))


class Block(nn.Module):
    """Looks for patterns of 3×3 points, and keeps the strongest of each 2×2."""

    def __init__(self, before, after):
        super().__init__()
        self.convolution = nn.Conv2d(before, after, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(after)
        self.activation = Gelu()
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        return self.pool(self.activation(self.norm(self.convolution(x))))


torch.manual_seed(0)
blocks = [Block(3, 32), Block(32, 64), Block(64, 128), Block(128, 256)]
classify = nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 10)
model = nn.Sequential(*blocks, *classify).eval()
inputs = torch.randn(4, 3, 224, 224)  # 4 photographs
# [end: network]
