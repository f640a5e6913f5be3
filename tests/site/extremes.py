"""Records of machines that nobody has: made from the fixtures by scaling, flattening and leaving out.

They are consistent enough to be drawn, and no more: values and series of one record are scaled by the same rule, and laws
between them may break. What they are for is that no label of a figure lies on another, whatever was measured.
"""

from __future__ import annotations

import copy
import json
import random
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "site" / "fixtures"
LABS = sorted(path.stem for path in FIXTURES.glob("*.json"))
RATES = {"GHz", "GB/s", "GFLOP/s", "TFLOP/s", "Gop/s", "Top/s", "tokens/s", "1/us"}
TIMES = {"s", "ms", "us", "ns"}
# What is not of this machine: textbook numbers, other people's chips and what is planned for them.
ELSEWHERE = re.compile(r"canonical_.*|quoted_.*|tpuv1_.*|sweep_.*|runs_.*|planner_.*|serving_(itl|ttft)_.*")


def fixture(lab: str) -> dict:
    return json.loads((FIXTURES / f"{lab}.json").read_text(encoding="utf-8"))


def at_hand() -> dict[str, Path]:
    """Every record that is in the repository, by the name of its machine and its lab."""
    paths = [*sorted((ROOT / "figures" / "records").glob("*/*.json")), *sorted(FIXTURES.glob("*.json"))]
    return {f"{path.parent.name}/{path.stem}": path for path in paths}


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
    """The record of a machine so many times as fast, each series slower by a factor of its own up to `spread`."""
    record, chance = copy.deepcopy(record), random.Random(seed)
    for series in filter(of_this_machine, record["series"]):
        own = spread ** chance.uniform(-1, 0)  # slower, for nothing is above the peaks
        for point in series["points"]:
            scale(point, factor_of(series["y"]["unit"], speed * own))
    for value in record["values"]:
        scale(value, factor_of(value["unit"], speed), "value")
    return record


def flat(record: dict) -> dict:
    """Nothing stands out: every curve of this machine is level, at its median."""
    record = copy.deepcopy(record)
    for series in filter(of_this_machine, record["series"]):
        level = sorted(point["median"] for point in series["points"])[len(series["points"]) // 2]
        for point in series["points"]:
            if point["median"]:
                scale(point, level / point["median"])
    return record


def alike(record: dict) -> dict:
    """Everything is as fast as everything else: series over the same axes are the first of them."""
    record, first = copy.deepcopy(record), {}
    for series in filter(of_this_machine, record["series"]):
        axes = json.dumps([series["id"].split("_")[0], series["x"], series["y"], [point["x"] for point in series["points"]]])
        for point, other in zip(series["points"], first.setdefault(axes, series)["points"]):
            if point["median"]:
                scale(point, other["median"] / point["median"])
    return record


def cut_short(record: dict) -> dict:
    """Curves end sooner: what was measured past three quarters of their points is gone, but where few are left."""
    record = copy.deepcopy(record)
    for series in filter(of_this_machine, record["series"]):
        places = sorted({point["x"] for point in series["points"]})
        if len(places) >= 5 and not any("label" in point for point in series["points"]):
            series["points"] = [point for point in series["points"] if point["x"] <= places[3 * len(places) // 4]]
    return record


def of_many_cores(record: dict, cores: int) -> dict:
    """All threads together are so many times as fast as one, and threads are counted so far."""
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
    """More points of a series over threads, each doubling worth as much as the one before."""
    points = series["points"]
    while points[-1]["x"] * 2 <= last:
        before, point = points[-2]["median"], copy.deepcopy(points[-1])
        scale(point, points[-1]["median"] / before)
        point["x"] *= 2
        points.append(point)


def without(record: dict, pattern: str) -> dict:
    """What a machine that lacks something leaves out."""
    record = copy.deepcopy(record)
    for part in ("series", "values"):
        record[part] = [entry for entry in record[part] if not re.fullmatch(pattern, entry["id"])]
    record["run"]["notes"] = ["lacks something"]
    return record


def extremes(lab: str) -> dict[str, dict]:
    """Machines unlike any other, {what is special: the lab's record}."""
    base = fixture(lab)
    made = {
        "ten times as fast": times_as_fast(base, 10, seed=1, spread=1.3),
        "a tenth as fast": times_as_fast(base, 0.1, seed=2, spread=1.3),
        "a thousand times as fast": times_as_fast(base, 1000, seed=3, spread=3),
        "unlike itself": times_as_fast(base, 1, seed=4, spread=4),
        "cut short": cut_short(base),
        "flat": flat(base),
        "all alike": alike(base),
    }
    if any(re.search("_all$|^strong_", series["id"]) for series in base["series"]):
        made["128 cores"] = of_many_cores(base, 128)
    made["one core"] = without(base, r".*_all(_.*)?|.*_2|strong_.*|amdahl.*|threads_gain")
    return made
