"""How much memory there is: a model that needs more is refused with the number, instead of ending in the system's hands."""

import contextlib
import re
import resource
import sys
from pathlib import Path


def limit_memory():
    """Makes an allocation fail that the machine has no memory for; else the system would end some process. A tenth is left to
    others."""
    with contextlib.suppress(OSError, ValueError, TypeError):
        limit = kilobytes("/proc/self/status", "VmData") + int(available() * 0.9)
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (limit if hard < 0 else min(limit, hard), hard))


def too_large(error, name):
    """One line if the error is an allocation that failed, else None."""
    if on_gpu := re.search(r"Tried to allocate ([\d.]+ \w+)\. GPU", str(error)):
        return f"{name}: it asks for {on_gpu[1]} more of the GPU's memory; make it or its batch smaller"
    asked = re.search(r"tried to allocate (\d+) bytes", str(error))
    if not asked and not isinstance(error, MemoryError):
        return None
    wish = f"{int(asked[1]) / 1e9:.1f} GB more" if asked else "more memory"
    free = f"{available() / 1e9:.1f} GB"
    used = (kilobytes("/proc/self/status", "VmRSS") or 0) / 1e9
    return f"{name}: it asks for {wish}; it uses {used:.1f} GB, and {free} are free; make it or its batch smaller"


def available():
    """The bytes that this process can still use: what the system has, or what its group is allowed."""
    left = [kilobytes("/proc/meminfo", "MemAvailable") or sys.maxsize]
    with contextlib.suppress(OSError, ValueError):
        group = Path("/sys/fs/cgroup")
        left.append(int((group / "memory.max").read_text()) - int((group / "memory.current").read_text()))
    return min(left)


def kilobytes(file, name):
    """The bytes that a line of the system's says in kB, or None."""
    with contextlib.suppress(OSError):
        found = re.search(rf"^{name}:\s+(\d+) kB", Path(file).read_text(), re.M)
        return int(found[1]) * 1024 if found else None
