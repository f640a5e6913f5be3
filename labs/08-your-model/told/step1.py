"""One call for the activation: the same formula, but in one trip through memory."""

from step0 import blocks, inputs, model
from torch import nn

for block in blocks:
    block.activation = nn.GELU(approximate="tanh")
