"""A perceptron with two hidden layers, which reads 64 handwritten digits of 28×28 points at once."""

import torch
from torch import nn

model = nn.Sequential(
    nn.Linear(784, 1024),
    nn.ReLU(),
    nn.Linear(1024, 1024),
    nn.ReLU(),
    nn.Linear(1024, 10),
)
inputs = torch.randn(64, 784)
