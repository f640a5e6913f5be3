"""`make serve`: the pages of the book, and a notice when one has been rebuilt."""

import os
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from whole import PROJECT

PAGE = """<!doctype html><html lang="en"><title>A page</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; connect-src 'self'">
<body><p>{text}</p></body></html>"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A page of a book, and its address."""
    page = tmp_path / "index.html"
    page.write_text(PAGE.format(text="first"))
    os.utime(page, (1e9, 1e9))
    server = subprocess.Popen([PROJECT / "tools/serve", tmp_path, "0"], stdout=subprocess.PIPE, text=True)
    yield page, server.stdout.readline().split()[2].replace("localhost", "127.0.0.1")
    server.terminate()
    server.wait()


def test_an_open_page_says_that_it_became_newer(served: tuple[Path, str], browser: Browser) -> None:
    file, address = served
    page = browser.new_page()
    page.clock.install()
    page.goto(address)
    with page.expect_response(lambda answer: answer.request.method == "HEAD"):
        page.clock.run_for(2000)
    expect(page.get_by_role("status")).to_have_count(0)
    file.write_text(PAGE.format(text="second"))
    page.clock.run_for(2000)
    page.get_by_role("button", name="This page was rebuilt").click()
    expect(page.get_by_text("second")).to_be_visible()
    page.close()


def test_a_page_is_given_a_fine_clock(served: tuple[Path, str], browser: Browser) -> None:
    page = browser.new_page()
    page.goto(served[1].replace("127.0.0.1", "localhost"))
    assert page.evaluate("crossOriginIsolated")
    page.close()


def test_only_what_is_served_asks(served: tuple[Path, str]) -> None:
    file, address = served
    assert "newer.js" in urllib.request.urlopen(address).read().decode()
    assert "newer.js" not in file.read_text()


def test_a_page_arrives_whole_in_a_locale_that_is_not_utf_8(tmp_path: Path) -> None:
    text = "Bücher → “α”"
    (tmp_path / "index.html").write_text(PAGE.format(text=text), encoding="utf-8")
    variables = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    with subprocess.Popen([PROJECT / "tools/serve", tmp_path, "0"], stdout=subprocess.PIPE, text=True, env=variables) as server:
        address = server.stdout.readline().split()[2].replace("localhost", "127.0.0.1")
        try:
            assert text in urllib.request.urlopen(address).read().decode("utf-8")
        finally:
            server.terminate()


def test_a_folder_without_a_book(tmp_path: Path) -> None:
    run = subprocess.run([PROJECT / "tools/serve", tmp_path, "0"], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr == f"serve: {tmp_path}/index.html is missing: run make site to build the book\n"


def test_a_port_that_is_taken(served: tuple[Path, str]) -> None:
    file, address = served
    port = address.rstrip("/").rpartition(":")[2]
    run = subprocess.run([PROJECT / "tools/serve", file.parent, port], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.startswith(f"serve: port {port}: ")


def test_the_address_leads_to_the_page_that_was_asked_for(tmp_path: Path) -> None:
    for name in ("index", "measure"):
        (tmp_path / f"{name}.html").write_text(PAGE.format(text=name), encoding="utf-8")
    server = subprocess.Popen([PROJECT / "tools/serve", tmp_path, "0", "measure.html"], stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().split()[2]
        with urllib.request.urlopen(address) as answer:
            assert answer.url == f"{address}measure.html" and "<p>measure</p>" in answer.read().decode()
        assert "<p>index</p>" in urllib.request.urlopen(f"{address}index.html").read().decode()
    finally:
        server.terminate()
        server.wait()
    missing = subprocess.run([PROJECT / "tools/serve", tmp_path, "0", "gone.html"], capture_output=True, text=True)
    assert (missing.returncode, missing.stderr) == (
        1, f"serve: {tmp_path}/gone.html is missing: run make site to build the book\n")
