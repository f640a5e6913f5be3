"""Starts the command line: python3 -m model FILE [options]."""

import sys

from .refusal import Refusal

try:
    import torch  # noqa: F401
except ImportError:
    sys.exit("model: python3 cannot import torch; install it with: python3 -m pip install torch")

from .command import main

try:
    main()
except Refusal as refusal:
    sys.exit(f"model: {refusal}")
