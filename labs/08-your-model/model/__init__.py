"""Counts, predicts and times the operations of a reader's PyTorch model: `python3 -m model FILE`, which `make model` runs."""
