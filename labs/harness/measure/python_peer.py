"""A peer in Python: it answers each command, a line on standard input, with a line on standard output.

Arguments: the cores to use, separated by commas; the peer's own program, which imports this one as `python_peer`.
A line that begins with "error: " ends the peer: what follows says why. After one that begins with "cannot: " it goes on.
"""

import ctypes
import os
import signal
import sys

ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: ends with the process that started it
os.sched_setaffinity(0, map(int, sys.argv[1].split(",")))
commands = os.fdopen(os.dup(0), "rb")
answers = os.fdopen(os.dup(1), "wb")
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)  # what a library prints is no answer


def answer(text, data=b""):
    answers.write(f"{text}\n".encode())
    answers.write(data)
    answers.flush()


def one_line(error):
    return " ".join(str(error).split())[:500] or type(error).__name__


def read_into(buffer):
    """The bytes that follow a command."""
    if commands.readinto(buffer) < len(buffer):
        sys.exit(1)


def serve(version, functions):
    """Calls functions[command](the rest of its line) from now on; each gives its answer with answer()."""
    answer(f"ready {version}")
    for line in commands:
        command, _, rest = line.decode().rstrip("\n").partition(" ")
        try:
            functions[command](rest)
        except Exception as error:
            answer(f"error: {one_line(error)}")


if __name__ == "__main__":
    sys.modules["python_peer"] = sys.modules["__main__"]
    exec(compile(sys.argv[2], "peer", "exec"), {"__name__": "peer"})
