"""Counts of pixels and work can fail only in the tested Chromium; without one, tests are skipped."""

import re
from types import SimpleNamespace

import pytest
from chromium import TESTED, counted
from conftest import installed
from whole import PROJECT


def test_a_count_that_is_off_refuses_in_the_tested_chromium():
    with pytest.raises(AssertionError, match="41 pixels"), counted(SimpleNamespace(version=f"{TESTED}.0.1")):
        raise AssertionError("41 pixels")


def test_in_another_chromium_it_warns_and_is_an_expected_failure():
    with pytest.warns(UserWarning, match=f"Chromium {TESTED + 1}.0.1 .* {TESTED}: 41 pixels$"), \
            pytest.raises(pytest.xfail.Exception, match="41 pixels"), counted(SimpleNamespace(version=f"{TESTED + 1}.0.1")):
        raise AssertionError("41 pixels\nand more")


def test_other_errors_and_counts_that_are_right_pass_through():
    with counted(SimpleNamespace(version="1.0")):
        pass
    with pytest.raises(ZeroDivisionError), counted(SimpleNamespace(version="1.0")):
        raise ZeroDivisionError


def test_a_test_without_its_browser_is_skipped_by_name_but_fails_where_nobody_reads_that(monkeypatch):
    why = "no-such-browser is missing: ./primer test installs it where apt has it"
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=why):
        installed("no-such-browser")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=why):
        installed("no-such-browser")


def test_the_readme_names_the_tested_chromium():
    assert re.search(r"tested with every change \|.*\bChromium (\d+)", (PROJECT / "README.md").read_text())[1] == str(TESTED)
