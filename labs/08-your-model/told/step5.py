"""Another formula for the same curve: the library computes the exact GELU faster
than the formula that approximates it."""

from step4 import blocks, inputs, model
from torch import nn

for block in blocks:
    block.activation = nn.GELU()
