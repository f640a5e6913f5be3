"""The book in Firefox, from files. Playwright can only drive its own Firefox; the system's Firefox listens to Marionette, which
is JSON over a socket."""

import itertools
import json
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest
from whole import pages

pytestmark = pytest.mark.slow
SECONDS = 60
# Of all the errors that Firefox reports, those of pages: failing scripts, and loads that a policy forbids.
ERRORS = """
  const failed = Services.console.getMessageArray().filter(each => each instanceof Ci.nsIScriptError);
  Services.console.reset();
  return failed.filter(({ flags, sourceName }) => !(flags & Ci.nsIScriptError.warningFlag) && /^file:/.test(sourceName))
    .map(({ errorMessage, sourceName }) => `${sourceName}: ${errorMessage}`);
"""
# The scripts' complaints, which the process of their page records.
COMPLAINTS = """
  const console = Cc["@mozilla.org/consoleAPI-storage;1"].getService(Ci.nsIConsoleAPIStorage), all = console.getEvents();
  console.clearEvents();
  return all.filter(({ level, filename }) => level === "error" && /^file:/.test(filename))
    .map(({ filename, arguments: words }) => `${filename}: ${words.join(" ")}`);
"""


class Firefox:
    """A Firefox without a window."""

    def __init__(self, program: str, profile: Path) -> None:
        (profile / "user.js").write_text('user_pref("marionette.port", 0);\n')
        command = [program, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", profile]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = profile / "MarionetteActivePort"
        self.wait(lambda: port.exists() and port.read_text())
        self.socket = socket.create_connection(("127.0.0.1", int(port.read_text())), SECONDS)
        self.stream, self.numbers = self.socket.makefile("rb"), itertools.count()
        self.receive()  # its greeting
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {}})

    def receive(self):
        length = b"".join(iter(lambda: self.stream.read(1), b":"))
        return json.loads(self.stream.read(int(length)))

    def call(self, command: str, **arguments):
        message = json.dumps([0, next(self.numbers), command, arguments]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self.receive()
        assert not error, error
        return result["value"] if isinstance(result, dict) and "value" in result else result

    def open(self, path: Path, query: str = "") -> None:
        self.call("WebDriver:Navigate", url=path.as_uri() + query)

    def run(self, script: str):
        return self.call("WebDriver:ExecuteScript", script=script, args=[])

    def click(self, selector: str) -> None:
        found = self.call("WebDriver:FindElement", using="css selector", value=selector)
        self.call("WebDriver:ElementClick", id=next(iter(found.values())))

    def errors(self) -> list[str]:
        """The console's messages since the last call."""
        complaints = self.call("WebDriver:ExecuteScript", script=COMPLAINTS, args=[], sandbox="system")
        self.call("Marionette:SetContext", value="chrome")
        told = self.run(ERRORS)
        self.call("Marionette:SetContext", value="content")
        return complaints + told

    def wait(self, condition) -> None:
        until = time.monotonic() + SECONDS
        while not condition():
            assert time.monotonic() < until, "Firefox keeps one waiting"
            time.sleep(0.05)


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if not program:
        pytest.skip("there is no Firefox: apt-get install firefox-esr")
    firefox = Firefox(program, tmp_path_factory.mktemp("profile"))
    yield firefox
    firefox.process.terminate()
    firefox.process.wait(SECONDS)


def test_no_page_complains(firefox, book):
    told = {}
    firefox.errors()
    for page in pages(book):
        firefox.open(book / page)
        told |= {page: errors} if (errors := firefox.errors()) else {}
    assert told == {}


def test_a_page_that_complains_is_heard(firefox, book, tmp_path):
    firefox.open(book / "start.html")
    firefox.run("""
      document.head.append(Object.assign(document.createElement("script"), { textContent: "smuggled" }));
      document.body.addEventListener("click", () => { throw new Error("thrown"); });
      document.body.click();
    """)
    heard = " ".join(firefox.errors())
    assert "thrown" in heard and "Content-Security-Policy" in heard
    (tmp_path / "page.html").write_text('<!doctype html><script>console.error("complained of", 7)</script>')
    firefox.open(tmp_path / "page.html")
    assert [each.rpartition("/")[2] for each in firefox.errors()] == ["page.html: complained of 7"]


def test_the_machine_switches(firefox, book):
    numbers = "return [...document.querySelectorAll('article .hf-slot .hf-number')].map(each => each.textContent).join()"
    firefox.open(book / "01-roofline.html")
    before, other = firefox.run(numbers), firefox.run("return press.machines[1].slug")
    firefox.click(f"#hf-machine option[value='{other}']")
    firefox.wait(lambda: firefox.run("return press.machine") == other)
    assert firefox.run(numbers) != before and firefox.errors() == []


def test_a_question_is_answered(firefox, book):
    firefox.open(book / "00-workload.html")
    firefox.click(".hf-predict [data-choice]")
    said = firefox.run("return document.querySelector('.hf-answered .hf-predict-score').textContent")
    assert said.startswith("You said") and firefox.errors() == []
    assert firefox.run("""return document.querySelector('.hf-answered .hf-predict-answer')
      .checkVisibility({ visibilityProperty: true })""")


def test_search_finds(firefox, book):
    firefox.open(book / "search.html", "?q=ridge")
    firefox.wait(lambda: firefox.run("return document.querySelectorAll('.hf-found a').length"))
    assert firefox.run("return document.querySelector('.hf-found a').getAttribute('href')") == "glossary.html#term-Ridge"
    assert firefox.errors() == []


def test_it_measures_itself(firefox, book, compiled):
    """With Firefox's own clock, and workers from a page opened as a file."""
    firefox.open(book / "measure.html")
    firefox.run("""
      document.querySelector("[name=guess]").value = 10;
      document.querySelector("[data-widget=measure] [type=submit]").click();
    """)
    link = """return [...document.querySelectorAll("[data-widget=measure] .hf-links:not([hidden]) a")]
      .at(-1)?.getAttribute("href")"""
    firefox.wait(lambda: firefox.run(link))
    groups = [[float(word) for word in group.split(",")] for group in firefox.run(link).partition(":")[2].split(";")]
    step, peaks, reads, waits, chases, naive, tiled, _ = groups
    assert peaks[1] > peaks[0] > 0 and all(number > 0 for number in [step[0], *reads, *waits, *chases, *naive, *tiled])
    assert firefox.run("return document.querySelectorAll('[data-widget=measure] svg').length") == 3
    assert firefox.errors() == []
