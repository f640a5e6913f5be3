"""The tools without a network: each does all of its work, or prints one line that says what it could not fetch."""

import subprocess
import sys

import pytest
from programs import result_of

OFFLINE = ["unshare", "--map-root-user", "--net"]
RECORD = "figures/records/amd-epyc-zen-4-2-cores-vm/01-roofline.json"


@pytest.fixture
def offline():
    """The words before a command that remove its network, including the loopback device."""
    if subprocess.run([*OFFLINE, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system does not let us have a network namespace")
    reach = "import socket; socket.create_connection(('127.0.0.1', 9), 5)"
    said = result_of(*OFFLINE, sys.executable, "-c", reach).stderr
    assert "Network is unreachable" in said or "Cannot assign requested address" in said
    return OFFLINE


@pytest.mark.parametrize("command", [
    ["./primer", "--help"], ["./primer", "--missing", "site"], ["make", "help"], ["tools/list-files"],
    ["env", "PYTHONPATH=site", sys.executable, "-m", "press"],
    ["tools/sbom"], ["build/bin/record", "check", RECORD],
    ["python3", "site/press/pictures/gnuplot.py", "figures/01-bandwidth.gp", "--record", RECORD, "--out", "{out}"],
], ids=lambda command: command[0].rpartition("/")[2])  # fmt: skip
def test_what_needs_no_network_uses_none(root, tmp_path, offline, command):
    command = [word.format(out=tmp_path) for word in command]
    online, without = (result_of(*words, *command, cwd=root)
                       for words in ([], offline))  # fmt: skip
    assert (without.returncode, without.stdout, without.stderr) == (online.returncode, online.stdout, online.stderr)
    assert online.returncode == 0, online.stderr


def test_the_book_is_printed_without_a_network(root, tmp_path, offline):
    policy = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'">"""
    (tmp_path / "index.html").write_text(f'{policy}<nav id="contents"><a href="01-a.html">A</a></nav><article></article>')
    (tmp_path / "01-a.html").write_text('<article><section id="a"><h1>A</h1><p>Words</p></section></article>')
    run = result_of(*offline, sys.executable, root / "tools/print-book", tmp_path, tmp_path / "book.pdf")
    assert (run.returncode, run.stderr) == (0, "")
    assert (tmp_path / "book.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
def test_pip_itself_says_why_it_cannot_fetch_a_package(door, root, offline):
    """With the real pip, which keeps trying for a while."""
    door.stub("python3", 'exec /usr/bin/python3 "$@"')
    (door.folder / "site/requirements.txt").write_bytes((root / "site/requirements.txt").read_bytes())
    run = door.run("/usr/bin/unshare", *offline[1:], "/bin/sh", "./primer", "site")
    assert run.returncode == 1
    (line,) = run.stderr.splitlines()
    assert line.startswith("primer: could not install the packages of site/requirements.txt: ")
    assert "NewConnectionError" in line and line.endswith("; fix that, then run ./primer site again")
