"""A checkout that contains only the primer script and what it needs, and a PATH on which every tool is a stub that logs its
calls."""

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from programs import result_of

ROOT = Path(__file__).resolve().parents[2]
DOOR = ["primer", "Makefile", "CMakeLists.txt", "CMakePresets.json", "tools/environment.sh", "tools/alone", "tools/render", "tools/build",
        "tools/llvm",
        "tools/publish", "tools/reference",
        "tools/measure", "site/browser/build", "tools/site", "tools/serve", "tools/new-chapter"]
REQUIREMENTS = ["site/requirements.txt", "tests/site/requirements.txt", "tests/weekly/requirements.txt", "tools/requirements.txt"]
# The programs that the primer's own scripts use; all are in Debian's essential packages.
ESSENTIAL = ["sh", "basename", "cat", "cksum", "cp", "chmod", "dirname", "env", "find", "flock", "grep", "head", "mkdir", "mv", "rm", "sed",
             "sort", "tail", "tr", "xargs"]


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: builds a copy of the tree; `make test-weekly` runs it")


class Door:
    """The sandbox: `folder` is the checkout, `bin` the whole PATH, `calls()` the logged calls of the stubs."""

    def __init__(self, folder):
        self.folder = folder / "checkout"
        self.bin = folder / "bin"
        self.log = folder / "calls"
        self.bin.mkdir()
        self.log.touch()
        for name in DOOR:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.folder / name)
        for name in REQUIREMENTS:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text("package==1.0 --hash=sha256:00\n")
        (self.folder / "labs/01-roofline").mkdir(parents=True)
        (self.folder / "labs/01-roofline/lab.cpp").touch()
        (self.folder / "labs/01-roofline/lab.cpp").touch()
        for name in ESSENTIAL:
            (self.bin / name).symlink_to(shutil.which(name))
        for name in self.commands() + ["make", "dpkg", "apt-get", "sudo", "id", "python3"]:
            self.stub(name)
        self.stub("id", "echo 0")
        self.stub("clang++", "echo /dev/null")  # the folder of its runtime
        self.stub("sudo", 'exec "$@"')
        self.stub("apt-get", self.apt())
        self.stub("python3", 'case "$1" in -V) echo Python 3.11.2 ;; -m) ' + self.make_environment() + " ;; esac")

    @staticmethod
    def table():
        """The primer's table: (package, evidence, kit), with the version of LLVM that the tests use."""
        rows = re.search(r"packages='\n(.*?)\n'", (ROOT / "primer").read_text(), re.S).group(1).replace("LLVM", "19")
        return [tuple(row.split()) for row in rows.splitlines()]

    def commands(self):
        return [evidence.removeprefix("command:") for _, evidence, _ in self.table() if evidence.startswith("command:")]

    def apt(self, refuse=""):
        """An apt-get whose install puts a stub for each package on the PATH, unless the commands in `refuse` make it fail
        first."""
        return f"""
        case "$*" in *--simulate*) exit 0 ;; *' install '*) ;; *) exit 0 ;; esac
        {refuse}
        for package in "$@"; do
          case $package in -* | install) ;; *) printf '#!/bin/sh\\n' >"{self.bin}/$package"; /bin/chmod +x "{self.bin}/$package" ;; esac
        done"""

    def make_environment(self):
        python = self.folder / ".venv/bin/python"
        return f"""mkdir -p {python.parent}; cat >{python} <<'END'
#!/bin/sh
case "$1" in -V) echo Python 3.11.2 ;; *) echo "venv-python $*" >>{self.log}
  case $2 in sphinx) echo page >build/rendered/index.html ;; esac
  [ ! -e {self.bin}/broken-pip ] || {{ {self.bin}/broken-pip; exit 1; }} ;; esac
END
/bin/chmod +x {python}"""

    def stub(self, name, body=""):
        """Puts a script on the PATH that logs its call and then runs `body`."""
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(f'#!/bin/sh\necho "{name} $*" >>{self.log}\n{body}\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    @staticmethod
    def says(text):
        """The body of a stub that prints the text on standard error and fails."""
        return f"cat >&2 <<'END'\n{text}\nEND\nexit 100"

    def remove(self, *names):
        for name in names:
            (self.bin / name).unlink()

    def use_real(self, *names):
        for name in names:
            (self.bin / name).unlink(missing_ok=True)
            (self.bin / name).symlink_to(shutil.which(name))

    def run(self, *command, **variables):
        environment = {"PATH": str(self.bin), "HOME": str(self.folder), **variables}
        return result_of(*command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL)

    def start(self, *command, **variables):
        """Starts a command without waiting for it."""
        environment = {"PATH": str(self.bin), "HOME": str(self.folder), **variables}
        return subprocess.Popen(command, cwd=self.folder, env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip

    def calls(self, *tools):
        """The logged calls, or only those of `tools` if any are given; clears the log."""
        lines = self.log.read_text().splitlines()
        self.log.write_text("")
        return [line for line in lines if not tools or line.split()[0] in tools]


@pytest.fixture
def door(tmp_path):
    return Door(tmp_path)


@pytest.fixture(scope="session")
def root():
    return ROOT


def takes_programs_from_path(shell):
    """Debian's static busybox uses its built-in programs instead, and would ignore a test's stubs."""
    asked = result_of(*shell, "-c", "command -v cat")
    return asked.stdout.startswith("/")


def pytest_generate_tests(metafunc):
    """Tests that take `shell` run under every POSIX shell this machine has."""
    if "shell" in metafunc.fixturenames:
        shells = [["dash"], ["bash", "--posix"], ["busybox", "sh"]]
        found = [[shutil.which(words[0]), *words[1:]] for words in shells if shutil.which(words[0])]
        found = [words for words in found if takes_programs_from_path(words)]
        metafunc.parametrize("shell", found, ids=lambda words: os.path.basename(words[0]))
