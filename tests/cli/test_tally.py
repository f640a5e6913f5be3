"""Adding up the reports of test runners, as the gate reads them."""


import pytest
from programs import result_of

CTEST = """<testsuite name="c++" tests="3" failures="1" disabled="0" skipped="1">
<testcase name="good" status="run"/><testcase name="bad" status="fail"><failure message=""/></testcase>
<testcase name="left out" status="notrun"><skipped message=""/></testcase></testsuite>"""
PYTEST = """<testsuites><testsuite name="pytest" errors="1" failures="1" skipped="0" tests="4">
<testcase name="a"/><testcase name="b"/><testcase name="c"><failure/></testcase><testcase name="d"><error/></testcase>
</testsuite></testsuites>"""


@pytest.fixture
def tally(root, tmp_path):
    def run(*options, **reports):
        for name, text in reports.items():
            (tmp_path / f"{name.replace('_', '.')}.xml").write_text(text)
        files = sorted(tmp_path.glob("*.xml"))
        return result_of(root / "tools/tally", *options, *files)

    return run


def test_cases_of_all_runners_are_added_up(tally):
    result = tally(cpp=CTEST, site=PYTEST)
    assert result.returncode == 1
    assert result.stdout.splitlines() == [
        "cpp             1 passed    1 failed    1 skipped",
        "  FAILED bad",
        "site            2 passed    2 failed",
        "  FAILED c",
        "  FAILED d",
        "3 passed, 3 failed",
    ]


def test_without_a_failure_the_status_is_0(tally):
    result = tally(cpp='<testsuite><testcase name="a"/><testcase name="b"/></testsuite>')
    assert (result.returncode, result.stdout.splitlines()[-1]) == (0, "2 passed, 0 failed")


@pytest.mark.parametrize("text", ["", "<testsuite", "Segmentation fault"])
def test_a_report_that_is_none_counts_as_a_failure(tally, text):
    result = tally(good='<testsuite><testcase name="a"/></testsuite>', broken=text)
    assert (result.returncode, result.stdout.splitlines()[-1]) == (1, "1 passed, 1 failed")


def suite(*cases):
    return f"<testsuite>{''.join(cases)}</testsuite>"


def case(name, verdict="", folder="a"):
    return f'<testcase classname="{folder}" name="{name}">{verdict}</testcase>'


BAD = "<failure/>"


def test_a_case_that_passes_the_second_time_is_flaky_and_passed(tally):
    result = tally(site=suite(case("good"), case("shaky", BAD)), site_again=suite(case("shaky")))
    assert result.returncode == 0
    assert result.stdout.splitlines() == ["site            2 passed    0 failed", "  FLAKY shaky: failed, then passed", "2 passed, 0 failed"]


@pytest.mark.parametrize(
    "again",
    [suite(case("bad", BAD)), suite(), suite(case("other")), suite(case("bad", folder="elsewhere")), suite(case("bad", "<skipped/>")), "<testsuite"],
    ids=["failed twice", "nothing ran", "another case ran", "a case of that name elsewhere", "skipped", "broken report"],
)
def test_a_case_that_does_not_pass_the_second_time_has_failed(tally, again):
    result = tally(site=suite(case("good"), case("bad", BAD)), site_again=again)
    assert result.returncode == 1 and "FLAKY" not in result.stdout


def test_a_flaky_doctest_program_counts_as_the_cases_of_its_second_run(tally):
    said = "<system-out>[doctest] test cases: 3 | {} passed | {} failed | 0 skipped</system-out>"
    result = tally(cpp=suite(case("harness", BAD + said.format(2, 1))), cpp_again=suite(case("harness", said.format(3, 0))))
    assert result.stdout.splitlines()[0] == "cpp             3 passed    0 failed"


def test_a_suite_that_lost_cases_has_failed(tally, tmp_path):
    floors = tmp_path / "floors"
    floors.write_text("# suite, cases\nsite 3\nother 9  # which did not run\n")
    report = suite(case("a"), case("b", "<skipped/>"), case("c"))
    assert tally("--floors", floors, site=report).returncode == 0
    result = tally("--floors", floors, site=suite(case("a"), case("c")))
    assert result.returncode == 1
    assert f"  FAILED site: 2 cases, at least 3 expected ({floors})" in result.stdout.splitlines()


def test_no_case_at_all_is_a_failure(tally):
    assert tally(empty="<testsuite/>").returncode == 1


@pytest.mark.parametrize(("said", "verdict", "sums"), [
    ("[doctest] test cases: 12 | 12 passed | 0 failed | 0 skipped", "", [12, 0]),
    ("[doctest] test cases: 4 | 3 passed | 1 failed | 8 skipped\n"  # a child that an illegal instruction ended
     "[doctest] test cases: 12 | 12 passed | 0 failed | 0 skipped", "", [12, 0]),
    ("[doctest] test cases: 12 | 10 passed | 2 failed | 0 skipped", "<failure/>", [10, 2]),
    ("[doctest] test cases: 12 | 12 passed | 0 failed | 0 skipped\nleaked", "<failure/>", [12, 1]),
    ("[doctest] test cases:  9 |  9 passed | 0 failed | 3 skipped", "", [9, 0, 3]),
    ("[doctest] test cases:  0 |  0 passed | 0 failed | 2 skipped", "", [0, 0, 2]),
    ("Segmentation fault", "<failure/>", [0, 1]),
])
def test_a_doctest_program_counts_as_its_cases(tally, said, verdict, sums):
    case = f'<testcase name="harness">{verdict}<system-out>{said}</system-out></testcase>'
    first = tally(cpp=f"<testsuite>{case}</testsuite>").stdout.splitlines()[0]
    assert [int(word) for word in first.split() if word.isdigit()] == sums
