"""tools/reuse-pass: the output of a pass is printed again while nothing that the test depends on has changed; anything else
runs."""

import os

import pytest
from programs import result_of, script

SAYS = "[doctest] test cases: 3 | 2 passed | 0 failed | 1 skipped"


class Tried:
    """A test that counts how often it has run, and opens a file."""

    def __init__(self, root, folder):
        self.tool, self.folder = root / "tools/reuse-pass", folder
        self.program, self.data, self.passed = folder / "program", folder / "data", folder / "passes/name"
        self.data.mkdir()
        self.write(f"echo '{SAYS}'")

    def write(self, does):
        script(self.program, f"echo >> {self.folder}/runs\n{does}")

    def run(self, *words, **environment):
        """(status, output, whether it ran) for a test with these arguments."""
        runs = self.folder / "runs"
        before = runs.stat().st_size if runs.exists() else 0
        command = [self.tool, self.passed, self.program, self.data, "--", self.program, *words]
        usual = {name: value for name, value in os.environ.items() if name != "HARDWARE_FIRST_REUSE"}
        ran = result_of(*command, env={**usual, **environment})
        return ran.returncode, ran.stdout, (runs.stat().st_size if runs.exists() else 0) > before


@pytest.fixture
def test(root, tmp_path):
    return Tried(root, tmp_path)


def test_a_pass_is_reused_with_its_output_and_says_so(test):
    assert test.run() == (0, f"{SAYS}\n", True)
    status, output, ran = test.run()
    assert (status, ran) == (0, False)
    assert output == f"{SAYS}\nreused: name passed before, with the same program, files and machine\n"


def test_all_run_where_no_pass_is_to_be_reused(test):
    test.run()
    assert test.run(HARDWARE_FIRST_REUSE="no") == (0, f"{SAYS}\n", True)
    assert not test.run()[2]


CHANGES = {
    "changed program": lambda test: test.write(f"echo '{SAYS}' # changed"),
    "changed file": lambda test: (test.data / "numbers").write_text("2"),
    "new file": lambda test: (test.data / "more").touch(),
    "no file": lambda test: (test.data / "numbers").unlink(),
    "new peer": lambda test: (test.folder / "bin/peer").touch(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_pass_is_not_reused_after_a_change(test, change):
    (test.data / "numbers").write_text("1")
    (test.folder / "bin").mkdir()
    path = f"{os.environ['PATH']}:{test.folder}/bin"
    assert test.run(PATH=path)[2]
    assert not test.run(PATH=path)[2]
    change(test)
    assert test.run(PATH=path)[2]


def test_a_pass_is_not_reused_with_other_words_or_another_environment(test):
    test.run()
    assert test.run("--more")[2]
    assert test.run("--more", HARDWARE_FIRST_PEERS="1")[2]
    assert not test.run("--more", HARDWARE_FIRST_PEERS="1", PWD="/elsewhere")[2]


def test_a_failure_is_never_reused_and_ends_the_pass_before(test):
    test.run()
    test.write("exit 3")
    assert [test.run()[::2] for _ in range(2)] == [(3, True), (3, True)]
    test.write(f"echo '{SAYS}'")
    assert test.run()[2]
    test.write("kill -SEGV $$")
    assert [test.run()[::2] for _ in range(2)] == [(128 + 11, True), (128 + 11, True)]


def test_a_test_that_changes_its_own_files_is_not_reused(test):
    test.write(f"date +%N > {test.data}/numbers")
    assert test.run()[2] and test.run()[2]


def test_without_a_list_of_packages_every_test_runs(test, tmp_path):
    text = test.tool.read_text()
    assert text.count("/var/lib/dpkg/status") == 1
    test.tool = tmp_path / "reuse-pass"
    test.tool.write_text(text.replace("/var/lib/dpkg/status", "/nowhere/status"))
    test.tool.chmod(0o755)
    assert test.run()[2] and test.run()[2]
    assert not test.passed.exists()
