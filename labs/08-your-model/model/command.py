"""The command line: what `python3 -m model` takes, and what it prints."""

import argparse
import json
import sys
import warnings
from pathlib import Path

import torch

from . import attempt, table
from .device import DEVICES, Gpu
from .gpu_roofs import measure_gpu_roofs
from .load import load
from .memory import limit_memory
from .names import short_name
from .roofs import read_roofs
from .study import study, study_batch
from .timing import measure_prices

ROOFS = Path(__file__).resolve().parents[3] / "build/records/roofs.json"
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16, "fp64": torch.float64}


def arguments(given):
    parser = argparse.ArgumentParser(prog="model", description="Counts, predicts and times each operation of a PyTorch model.")
    parser.add_argument("file", metavar="FILE", help="a Python file that defines model and inputs")
    parser.add_argument("--roofs", default=ROOFS, help="the roofs of this machine (default: build/records/roofs.json)")
    parser.add_argument("--threads", type=int, help="how many threads PyTorch uses (default: all)")
    parser.add_argument("--device", choices=DEVICES, default="cpu", help="cuda: run it on a GPU, with the GPU's own roofs")
    parser.add_argument("--dtype", choices=DTYPES, help="run the model with floating-point numbers of this kind")
    parser.add_argument("--backward", action="store_true", help="run a training step: the gradients of the outputs' sum, too")
    parser.add_argument("--compile", action="store_true", help="also time what torch.compile makes of the model")
    parser.add_argument("--batch", type=sizes, default=[], metavar="N,N", help="also run with the inputs repeated: 1,8,64")
    parser.add_argument("--rows", type=int, default=20, help="how many rows to print (default: 20)")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long to time (default: 10)")
    parser.add_argument("--predict-only", action="store_true", help="time nothing")
    parser.add_argument("--keep", metavar="DIR", help="keep the timed run there, for the figure of chapter 08")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    return parser.parse_args(given)


def sizes(text):
    found = [int(each) if each.isdecimal() else 0 for each in text.split(",")]
    if min(found) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of sizes such as 1,8,64")
    return found


def main(given=None):
    options = arguments(given)
    warnings.filterwarnings("ignore")  # a library's would stand between the reader and the table
    device = DEVICES[options.device]()
    roofs = roofs_of(device, options)
    prices = measure_prices(device)
    subject = load(options.file, device)
    if options.dtype:
        subject = subject.cast(DTYPES[options.dtype])
    result = study(subject, roofs, prices, options)
    result["batches"] = [study_batch(subject, size, roofs, prices, options) for size in options.batch]
    if options.keep and "whole" in result and options.device == "cpu":  # the figure has the roofline of a processor
        attempt.keep(options.keep, result)
    if options.json:
        json.dump(as_json(result), sys.stdout)
        print()
    else:
        table.show(result, options.rows)


def roofs_of(device, options):
    if isinstance(device, Gpu):  # whose driver reserves more addresses than there is memory
        return measure_gpu_roofs(device)
    roofs = read_roofs(options.roofs, options.threads)
    torch.set_num_threads(roofs.threads)
    limit_memory()
    return roofs


def as_json(result):
    """What other programs read: grouped rows, and all samples."""
    told = {"torch": torch.__version__, "threads": result["threads"]}
    told |= {"call_ns": result["prices"].call * 1e9, "page_ns": result["prices"].page * 1e9}
    told |= {f"{name}_s": result[name] for name in ("whole", "watched", "compiled") if name in result}
    told["operations"] = [row_as_json(row) for row in result["rows"]]
    if result["batches"]:
        told["batches"] = [
            {"batch": each["batch"], "predicted_s": each["predicted"], "waits_s": each["waits"], "seconds": each["samples"]}
            for each in result["batches"]
        ]
    return told


def row_as_json(row):
    told = {name: getattr(row, name) for name in ("module", "line", "operation", "shapes", "calls", "flops", "bytes")}
    told |= {"kind": short_name(row.operation), "predicted_s": row.predicted, "waits": row.waits}
    return told | ({"seconds": row.samples} if row.samples else {})
