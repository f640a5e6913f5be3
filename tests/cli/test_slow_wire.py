"""labs/05-scaling/slow-wire: what it refuses, and that nothing of it outlives it."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SLOW_WIRE = ROOT / "labs" / "05-scaling" / "slow-wire"


def slow_wire(*arguments):
    return subprocess.run([SLOW_WIRE, *arguments], capture_output=True, text=True, timeout=60)


def asleep(seconds):
    """Whether a process runs `sleep SECONDS`."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if file.read_bytes() == f"sleep\0{seconds}\0".encode():
                return True
        except OSError:  # it has ended
            continue
    return False


@pytest.mark.parametrize(("arguments", "why"), [
    (["--hosts"], "--hosts '': expected a whole number from 2 to 99999"),
    (["--hosts", "1"], "--hosts 1: expected at least 2"),
    (["--hosts", "251"], "--hosts 251: expected 250 at most"),
    (["--rate", "fast"], "--rate 'fast': expected a whole number from 0 to 99999"),
    (["--cut", "0"], "--cut 0: expected at least 1"),
    (["--fast"], "unknown option '--fast'; --help lists them"),
])
def test_what_it_does_not_understand_is_named_in_one_line(arguments, why):
    run = slow_wire(*arguments)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", f"slow-wire: {why}\n")


def test_hosts_have_a_wire_and_the_status_is_the_commands():
    run = slow_wire("--hosts", "2", "sh", "-c", "hostname; cat /sys/class/net/wire/operstate /proc/net/dev | grep -c wire; exit 7")
    if run.returncode == 1:  # a machine that does not let us, or lacks a tool
        assert run.stderr.startswith("slow-wire: ") and run.stderr.count("\n") == 1
    else:
        assert (run.returncode, run.stdout.split()) == (7, ["host-1", "1"])


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_it(how):
    seconds = 1000 + int(how)
    # Whoever runs the tests in the background lets them ignore an interrupt, and all that they start.
    process = subprocess.Popen([SLOW_WIRE, "--hosts", "2", "sleep", str(seconds)], stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # fmt: skip
    while not asleep(seconds) and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(how)
    assert process.wait(timeout=60) != 0
    deadline = time.monotonic() + 60
    while asleep(seconds) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not asleep(seconds)
