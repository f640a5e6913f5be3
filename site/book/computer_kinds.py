"""Which kind of computer a machine is, judging by its record."""

import re

from press.measurements.record import Record

GROUPS = ("phone", "laptop", "desktop", "server", "GPU")
PHONE = re.compile(r"Android|iPhone|iPad|Snapdragon|Cortex-[AX]|Tensor G|Dimensity|Exynos|Kirin|Apple A\d")
SERVER = re.compile(r"EPYC|Xeon|Neoverse|Graviton|Ampere|Altra|Grace|Opteron|Yitian|Kunpeng")
LAPTOP = re.compile(r"\d(?:U|H|HS|HX|P|V|G\d)\b|Core Ultra|Apple M\d|Snapdragon X|Mobile|N\d{3}\b")


def group_of(record: Record) -> str:
    """One of GROUPS. A machine whose name says nothing is a server if it is virtual, and a desktop otherwise."""
    machine = record.data["machine"]
    names = f"{record.cpu} {machine.get('microarchitecture', '')} {machine['os']}"
    if machine["gpus"]:
        return "GPU"
    for group, pattern in (("server", SERVER), ("laptop", LAPTOP), ("phone", PHONE)):  # a Snapdragon X is no phone's
        if pattern.search(names):
            return group
    return "server" if machine["virtualised"] else "desktop"
