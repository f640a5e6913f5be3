"""Keeps a run of `make model`, so that the chapter's figure shows the reader's operations among those of the five networks."""

import json
from pathlib import Path
from statistics import quantiles

SMALLEST = 0.01  # share of the time that is worth a mark


def keep(folder, result):
    """Writes the next attempt into the folder, in the format of tools/yours, and returns its path. The figure takes the share
    of an operation from both medians."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    last = max((int(each.stem) for each in folder.glob("[0-9]*.json")), default=0)
    file = folder / f"{last + 1}.json"
    total = sum(row.seconds for row in result["rows"])
    shown = [row for row in result["rows"] if row.flops and row.bytes and row.seconds >= SMALLEST * total]
    told = {"file": result["file"], "reached": [], "race": {"heats": [heat(row, total) for row in shown]}}
    file.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return file


def heat(row, total):
    low, high = spread(row.samples)
    gflops = lambda seconds: row.flops / seconds / 1e9
    own = {"median": gflops(row.seconds), "low": gflops(high), "high": gflops(low)}
    return {"x": row.flops / row.bytes, "what": row.operation, "rows": [own, {"median": own["median"] * total / row.seconds}]}


def spread(samples):
    """The 5th and the 95th percentile; the ends of fewer than 20 samples."""
    if len(samples) < 20:
        return min(samples), max(samples)
    cuts = quantiles(samples, n=20)
    return cuts[0], cuts[-1]
