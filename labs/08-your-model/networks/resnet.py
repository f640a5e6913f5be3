"""A residual network of the shape of ResNet-18, which looks at one photograph. Its weights are random."""

import torch
from torch import nn


class Block(nn.Module):
    """Two convolutions, and a way around them."""

    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(after)
        self.relu = nn.ReLU(inplace=True)
        self.around = nn.Identity()
        if stride > 1 or before != after:
            self.around = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        y = self.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return self.relu(y + self.around(x))


def stage(before, after, stride):
    return nn.Sequential(Block(before, after, stride), Block(after, after, 1))


model = nn.Sequential(
    nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False),
    nn.BatchNorm2d(64),
    nn.ReLU(inplace=True),
    nn.MaxPool2d(3, stride=2, padding=1),
    stage(64, 64, 1),
    stage(64, 128, 2),
    stage(128, 256, 2),
    stage(256, 512, 2),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(512, 1000),
).eval()
inputs = torch.randn(1, 3, 224, 224)
