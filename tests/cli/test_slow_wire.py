"""labs/05-scaling/slow-wire: what it refuses, and that no process of it survives."""

import os
import select
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from programs import result_of

ROOT = Path(__file__).resolve().parents[2]
SLOW_WIRE = ROOT / "labs" / "05-scaling" / "slow-wire"


def slow_wire(*arguments):
    return result_of(SLOW_WIRE, *arguments, timeout=60)


@pytest.fixture
def namespaces():
    """Skips a test if the machine lacks something that slow-wire needs."""
    lacking = [tool for tool in ("ip", "tc", "unshare", "nsenter", "setpriv", "mpirun") if not shutil.which(tool)]
    if lacking:
        pytest.skip(f"missing: {' '.join(lacking)}")
    become_root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    wire = "ip link add switch type bridge && ip link add wire type veth && tc qdisc add dev wire root tbf rate 1mbit burst 32kb limit 4mb"
    probe = result_of("unshare", *become_root, "--net", "sh", "-c", wire)
    if probe.returncode:
        pytest.skip(f"this machine makes no network namespaces with bridges and limits: {probe.stderr.strip()}")


@pytest.mark.parametrize(("arguments", "why"), [
    (["--hosts"], "--hosts '': expected a whole number from 2 to 99999"),
    (["--hosts", "1"], "--hosts 1: expected at least 2"),
    (["--hosts", "251"], "--hosts 251: expected 250 at most"),
    (["--rate", "fast"], "--rate 'fast': expected a whole number from 0 to 99999"),
    (["--cut", "0"], "--cut 0: expected at least 1"),
    (["--fast"], "unknown option '--fast'; --help lists the options"),
])
def test_what_it_does_not_understand_is_named_in_one_line(arguments, why):
    run = slow_wire(*arguments)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", f"slow-wire: {why}\n")


def test_hosts_have_a_wire_and_the_status_is_the_commands(namespaces):
    run = slow_wire("--hosts", "2", "sh", "-c", "hostname; cat /sys/class/net/wire/operstate /proc/net/dev | grep -c wire; exit 7")
    assert (run.returncode, run.stdout.split()) == (7, ["host-1", "1"]), run.stderr


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_it(namespaces, how):
    """Every process of it has the script's standard output, which is closed only when the last of them ends."""
    # A shell that runs the tests in the background makes them, and their children, ignore an interrupt.
    process = subprocess.Popen([SLOW_WIRE, "--hosts", "2", "sh", "-c", "echo begun; exec sleep infinity"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # fmt: skip
    assert process.stdout.readline() == b"begun\n"
    process.send_signal(how)
    assert process.wait(timeout=60) != 0
    ended, _, _ = select.select([process.stdout], [], [], 60)
    assert ended and process.stdout.read() == b""
