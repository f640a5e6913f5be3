"""Records of fictional machines, made from one machine's records by scaling, flattening and leaving out.

They are only consistent enough to be drawn: values and series of one record are scaled by the same rule, and points that a law
derives from others are computed again, but other laws may break. They test that no labels of a figure overlap, for any
measurement.
"""

import copy
import json
import random
import re

import made
from press.measurements.record import row_of

ROOT = made.ROOT
LABS = made.LABS
ROOFLINE = ROOT / "tests" / "site" / "fixtures" / "01-roofline.json"  # smaller than any real machine, with every kind of part
RATES = {"GHz", "GB/s", "GFLOP/s", "TFLOP/s", "Gop/s", "Top/s", "tokens/s", "1/us"}
TIMES = {"s", "ms", "us", "ns"}
# Numbers that do not depend on this machine: textbook numbers, rounding errors, other chips and plans for them.
ELSEWHERE = re.compile("(canonical|quoted|sqnr|outlier_kl|tpuv1|sweep|runs|planner|serving_(itl|ttft))_.*")

SGEMM = ["naive", "coalesced", "shared tile", "register tile", "vectorised", "warp tile", "register ports"]
BF16 = ["WMMA", "cp.async + mma.sync", "TMA + WGMMA", "producer/consumer", "persistent", "persistent, clusters"]
# For each lab, the parts that a machine may lack: what its record says then, the series and values that it lacks, and the
# figures that cannot be drawn.
ABSENT = [
    ("00-workload", "one core", r".*_cache_predicted|batch_at_ridge_.*", []),
    ("01-roofline", "one core", r".*_all(_gflops|_gbs|_flop_per_byte)?", []),
    ("01-roofline", "no huge pages", r"latency_4k|huge_page_.*", []),
    ("01-roofline", "no non-temporal stores", r".*_nt(_all)?|nontemporal_.*", []),
    ("01-roofline", "no cycle counter", r"clock_ghz|.*_cycles|flops_per_dram_miss", []),
    ("02-matmul", "one core", r".*_all(_.*)?", []),
    ("02-matmul", "no library to race against", r"race(_all)?|peers|.*_over_(peers|openblas).*", ["02-peers"]),
    ("03-gpu", "one core", r"chases_bandwidth_2|mlp_two_threads_gain", []),
    ("03-gpu", "no GPU", r"gpu_.*|simt_gpu_.*|sgemm_ladder|bf16_ladder", ["03-gpu-little", "03-gpu-memory"]),
    ("03-gpu", "no emulator", r"rung_(?!port).*|transpose_.*", ["03-rung-ticks"]),
    ("03-gpu", "no knee", r"little_knee_measured|little_knee_missed", []),
    ("04-tpu", "no narrow dot products", r"int8_peak_.*", []),
    ("05-scaling", "one host", r"network_.*", ["05-slow-wire"]),
    ("05-scaling", "more ranks than cores", r"(network_)?(model_.*|alpha_.*|beta_gbs)", ["05-allreduce", "05-slow-wire"]),
    ("05-scaling", "no MPI",
     r"(network_)?(allreduce_.*|model_.*|alpha_.*|beta_gbs)|bubble_(1f1b|gpipe|formula)|training_.*",
     ["05-allreduce", "05-slow-wire", "05-training"]),
    ("06-precision", "no llama.cpp", r".*llamacpp.*", []),
    ("06-precision", "no oneDNN", r".*_over_onednn.*", []),
    ("07-compilers", "no PyTorch", r".*_?torch_?.*", []),
]


def everything(lab: str) -> dict:
    """A record with everything that any machine can measure."""
    record = json.loads(ROOFLINE.read_text(encoding="utf-8")) if lab == "01-roofline" else made.record(lab)
    record["run"].pop("notes", None)
    record["laws"] = []  # the changed numbers below obey no laws
    if lab == "01-roofline":
        record["series"].append(measured("bandwidth_over_time", [(2.0 ** k, 16) for k in range(21, 32)], "B", "GB/s"))
        for name, lines in (("near", 4), ("near_sum", 1), ("dram", 16), ("dram_sum", 16), ("dram_predicted", 16)):
            points = [(2.0 ** k, .3 * min(2.0 ** k, lines)) for k in range(7)]
            record["series"].append(measured(f"stride_{name}", points, "1", "ns", "stride in floats"))
    if lab == "03-gpu":
        record["series"] += gpu_series(random.Random(0)) + scheduler_series(random.Random(0))
    if lab == "05-scaling":
        record["series"] += network_series(record["series"])
    return record


def network_series(series: list[dict]) -> list[dict]:
    """The series that several hosts would measure instead, under their own names."""
    return [{**each, "id": f"network_{each['id']}"} for each in series
            if re.fullmatch(r"(allreduce_us|model_us)_(mpi|ring|tree|doubling|halving_doubling)", each["id"])]


def measured(name, points, x_unit, y_unit, label=None):
    """A series in the form that the lab's GPU part writes; points are (x, median) or (x, median, label)."""
    told = [{"x": x, "median": y, "low": y, "high": y, "samples": [y], **({"label": text[0]} if text else {})}
            for x, y, *text in points]
    return {"id": name, "label": label or name.replace("_", " "), "kind": "measured", "points": told,
            "x": {"name": "x", "unit": x_unit}, "y": {"name": "y", "unit": y_unit}}


def gpu_series(chance):
    """The series that a GPU would add to the record: its numbers are invented, and only for this test."""
    top, latency = chance.uniform(300, 8000), chance.uniform(300, 900)
    flight = [2.0 ** i for i in range(9, 24)]
    strides = [1, 2, 4, 8, 16, 32]
    shares = sorted(chance.uniform(1, 108) for _ in SGEMM), sorted(chance.uniform(20, 110) for _ in BF16)
    intensities = [2.0 ** i for i in range(-2, 9)]
    return [
        measured("gpu_bandwidth_in_flight", [(b, min(top, b / latency)) for b in flight], "B", "GB/s", "one load per thread"),
        measured("gpu_bandwidth_in_flight_4", [(4 * b, min(top, 4 * b / latency)) for b in flight], "B", "GB/s",
                 "four loads per thread"),
        {**measured("simt_gpu_bandwidth", [(b, min(top, b / latency)) for b in flight[6:]], "B", "GB/s", "simulated"),
         "kind": "simulated"},
        measured("gpu_latency", [(2.0 ** i, 34 if i < 17 else 270 if i < 25 else latency) for i in range(12, 31)], "B",
                 "cycles", "one thread"),
        measured("gpu_stride", [(s, top / s) for s in strides], "1", "GB/s", "words used"),
        measured("gpu_bank_conflicts", [(s, 1.0 * s) for s in strides], "1", "cycles", "a warp's load"),
        measured("gpu_divergence", [(s, 1.0 * s) for s in strides], "1", "1", "neighbours differ"),
        measured("gpu_divergence_between", [(s, 1.0) for s in strides], "1", "1", "whole warps differ"),
        measured("gpu_power", [(i, chance.uniform(100, 700)) for i in intensities], "FLOP/byte", "W", "board"),
        measured("gpu_power_speed", [(i, min(6e4, top * i)) for i in intensities], "FLOP/byte", "GFLOP/s", "fp32"),
        measured("sgemm_ladder", [(i, share, name) for i, (share, name) in enumerate(zip(shares[0], SGEMM), 1)], "1", "%"),
        measured("bf16_ladder", [(i, share, name) for i, (share, name) in enumerate(zip(shares[1], BF16), 1)], "1", "%"),
        {**measured("rung_port_ticks", [(i, chance.uniform(1, 5), name) for i, name in enumerate(SGEMM, 1)], "1", "1"),
         "kind": "simulated"},
    ]


def scheduler_series(chance):
    """The rows in flight of a core whose scheduler has some number of places."""
    places, most, latency = chance.randint(20, 300), chance.randint(4, 60), chance.uniform(100, 200)
    counts = range(4, 164, 4)
    return [measured(name, [(n, latency / (latency + n / 5) * min(most, 1 + (size - 1) // n)) for n in counts], "1", "1", label)
            for name, size, label in (("rows_waiting", places, "all wait for the row"),
                                      ("rows_ready", 3 * places, "none waits for the row"))]


def scale(point: dict, factor: float, key: str = "median") -> None:
    """Multiplies a point of a series, or with key "value" a value, and its samples."""
    for name in {key, "low", "high"} & set(point):
        point[name] *= factor
    if "samples" in point:
        point["samples"] = [factor * sample for sample in point["samples"]]


def of_this_machine(series: dict) -> bool:
    return series["kind"] != "quoted" and not ELSEWHERE.fullmatch(series["id"])


def factor_of(unit: str, speed: float) -> float:
    return speed if unit in RATES else 1 / speed if unit in TIMES else 1.0


def times_as_fast(record: dict, speed: float, seed: int = 0, spread: float = 1.0) -> dict:
    """The record of a machine `speed` times as fast, with each series slower again by its own factor of up to `spread`."""
    record, chance = copy.deepcopy(record), random.Random(seed)
    for series in filter(of_this_machine, record["series"]):
        own = spread ** chance.uniform(-1, 0)  # slower, because nothing is above the roofs
        if re.match("peaks|roofs|plateaus|unit_peak", series["id"]):
            own = 1.0
        for point in series["points"]:
            scale(point, factor_of(series["y"]["unit"], speed * own))
    for value in record["values"]:
        scale(value, factor_of(value["unit"], speed), "value")
    return with_ratios(record)


NAME = r"[a-z]\w*(?:\[\w+\])?"  # for a number in a definition


def with_ratios(record: dict) -> dict:
    """The record with all derived points computed again, because each series was scaled by a different factor."""
    rows = {f"{series['id']}[{row_of(point)}]": (point, "median") for series in record["series"] for point in series["points"]}
    numbers = rows | {value["id"]: (value, "value") for value in record["values"]}
    number = lambda name: numbers[name][0][numbers[name][1]]
    definitions = json.loads((ROOT / "labs" / record["lab"]["id"] / "definitions.json").read_text(encoding="utf-8"))
    for law in dict.fromkeys(law.replace("[*]", name[name.index("["):]) for law in definitions for name in rows):
        target, expression = re.sub(r" in \S+$", "", law).split(" = ")
        if numbers.keys() >= {target, *re.findall(NAME, expression)}:
            wanted = eval(re.sub(NAME, lambda found: repr(number(found[0])), expression))
            scale(numbers[target][0], wanted / number(target), numbers[target][1])
    return record


def flat(record: dict) -> dict:
    """A machine without features: every curve is level, at its median."""
    record = copy.deepcopy(record)
    for series in filter(of_this_machine, record["series"]):
        level = sorted(point["median"] for point in series["points"])[len(series["points"]) // 2]
        level = 1 if series["id"] == "causes" else level  # their product is the gain of the last rung, which is 1 too
        for point in series["points"]:
            if point["median"]:
                scale(point, level / point["median"])
    return with_ratios(record)


def alike(record: dict) -> dict:
    """Everything is equally fast: each series is replaced by the first with the same axes."""
    record, first = copy.deepcopy(record), {}
    for series in filter(of_this_machine, record["series"]):
        axes = json.dumps([series["id"].split("_")[0], series["x"], series["y"], [point["x"] for point in series["points"]]])
        for point, other in zip(series["points"], first.setdefault(axes, series)["points"]):
            if point["median"]:
                scale(point, other["median"] / point["median"])
    return record


def cut_short(record: dict) -> dict:
    """Curves end early: the last quarter of their points is gone, unless few are left."""
    record = copy.deepcopy(record)
    for series in filter(of_this_machine, record["series"]):
        places = sorted({point["x"] for point in series["points"]})
        if len(places) >= 5 and not any("label" in point for point in series["points"]):
            series["points"] = [point for point in series["points"] if point["x"] <= places[3 * len(places) // 4]]
    return record


def of_many_cores(record: dict, cores: int) -> dict:
    """The record of a machine with that many cores, whose speed with all threads grows in proportion."""
    record = copy.deepcopy(record)
    for entry in record["series"]:
        if entry["id"].endswith("_all"):
            for point in entry["points"]:
                scale(point, factor_of(entry["y"]["unit"], cores / 4))
        if entry["id"].startswith("strong_"):
            continue_to(entry, cores)
    for value in record["values"]:
        if re.search(r"_all(_|$)", value["id"]):
            scale(value, factor_of(value["unit"], cores / 4), "value")
        elif value["id"] == "cores":
            value["value"] = cores
    return record


def continue_to(series: dict, last: int) -> None:
    """More points of a series over threads, each doubling with the same gain as the one before."""
    points = series["points"]
    while points[-1]["x"] * 2 <= last:
        before, point = points[-2]["median"], copy.deepcopy(points[-1])
        scale(point, points[-1]["median"] / before)
        point["x"] *= 2
        points.append(point)


def with_caches(record: dict, count: int) -> dict:
    """The record of a machine with this many caches above its memory, each four times as large and half as fast."""
    record = copy.deepcopy(record)
    names = [f"L{i}" for i in range(1, count + 1)] + ["DRAM"]
    ends = [float(32 << 10 << 4 * i) for i in range(count)] + [1.7e9]
    level = lambda size: next(i for i, end in enumerate(ends) if size <= end)
    for series in record["series"]:
        name, unit = series["id"], series["y"]["unit"]
        if name.startswith("plateaus_"):
            top = series["points"][0]["median"]
            worse = 0.5 if unit == "GB/s" else 4
            series["points"] = [point_like(series["points"][0], end, top * worse ** i, names[i]) for i, end in enumerate(ends)]
        elif name.startswith(("bandwidth_", "latency")) and name != "bandwidth_over_time":
            top = series["points"][0]["median"]
            for point in series["points"]:
                worse = 0.5 if unit == "GB/s" else 4
                scale(point, top * worse ** level(point["x"]) / point["median"])
    return record


def point_like(point: dict, x: float, median: float, label: str) -> dict:
    point = {**copy.deepcopy(point), "x": x, "label": label}
    scale(point, median / point["median"])
    return point


def without(record: dict, pattern: str, note: str) -> dict:
    """The record of a machine that lacks something: without its series and values, with a note."""
    record = copy.deepcopy(record)
    for part in ("series", "values"):
        record[part] = [entry for entry in record[part] if not re.fullmatch(pattern, entry["id"])]
    record["run"]["notes"] = [note] if note else []
    return record


def extremes(lab: str) -> dict[str, dict]:
    """Extreme machines, {name of the extreme: the lab's record}."""
    base = everything(lab)
    made = {
        "ten times as fast": times_as_fast(base, 10, seed=1, spread=1.3),
        "a tenth as fast": times_as_fast(base, 0.1, seed=2, spread=1.3),
        "a hundred times as fast": times_as_fast(base, 100, seed=3, spread=3),
        "unlike itself": times_as_fast(base, 1, seed=4, spread=4),
        "cut short": cut_short(base),
        "flat": flat(base),
        "all alike": alike(base),
    }
    if any(re.search("_all$|^strong_", series["id"]) for series in base["series"]):
        made["128 cores"] = of_many_cores(base, 128)
    made |= {note: without(base, pattern, note) for of_lab, note, pattern, _ in ABSENT if of_lab == lab}
    if lab == "01-roofline":
        made |= {"one cache": with_caches(base, 1), "four caches": with_caches(base, 4)}
    return made
