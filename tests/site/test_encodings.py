"""Files as editors, merges and other machines leave them: byte-order marks, UTF-16, a key that appears twice, and a verdict
that depended on a machine."""

import codecs
import json
import os
import re

import pytest
from book import browser_lab, widgets
from press.json_file import read_json
from press.measurements.claims import read_statements
from press.measurements.outcomes import read_declared
from press.measurements.record import RecordError
from press.measurements.records import Records
from press.pictures import labels
from press.pictures.gnuplot import DrawError, attempt, read_record
from whole import PROJECT

CLAIM = {"id": "it-holds", "text": "It holds → “so”.", "value": "gain", "bound": ">= 3"}
PAIR = {"what": "A → b", "predicted": "a", "measured": "b"}
READERS = {  # the content, and what reads it
    "claims.json": ([CLAIM], lambda path: [each.text for each in read_statements(path, path.name)]),
    "predictions.json": ({"pairs": [PAIR]}, lambda path: [each.what for each in read_declared(path, path.name).pairs]),
    "01-roofline.json": ({"series": [{"id": "latency → x"}]}, lambda path: read_record(path)["series"][0]["id"]),
}


def with_crlf(text):
    return text.replace("\n", "\r\n").encode()


@pytest.fixture(params=READERS)
def file(request, tmp_path):
    """Writes a file's text in some form and reads it."""
    content, read = READERS[request.param]
    path = tmp_path / request.param

    def as_written(form):
        path.write_bytes(form(json.dumps(content, indent=1, ensure_ascii=False)))
        return read(path)

    return as_written


@pytest.mark.parametrize("form", [lambda text: codecs.BOM_UTF8 + text.encode(), with_crlf,
                                  lambda text: codecs.BOM_UTF8 + with_crlf(text)], ids=["mark", "crlf", "both"])  # fmt: skip
def test_a_mark_and_other_line_ends_change_nothing(file, form):
    assert file(form) == file(str.encode)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1"])
def test_another_encoding_is_one_line_with_its_remedy(file, encoding):
    plain = {"→": "ü" if encoding == "latin-1" else ">", "“": "", "”": ""}
    remedy = "is not UTF-8 text; save it as UTF-8 without a byte-order mark$"
    with pytest.raises((RecordError, DrawError), match=remedy) as caught:
        file(lambda text: text.translate(str.maketrans(plain)).encode(encoding))
    assert "\n" not in str(caught.value)


def test_zero_bytes_behind_a_text_are_named_for_what_they_are(file):
    """A disk that was full, or a mailer, leaves them."""
    with pytest.raises((RecordError, DrawError), match="ends in zero bytes, which are no text; remove them$"):
        file(lambda text: text.encode() + b"\0\0\0")


TWICE = 'expected each key once, not "%s" again; keep one of them$'


def twice(text):
    """The text, with the first key of its first object written once more."""
    return re.sub(r'("\w+": )', r"\g<1>0, \g<1>", text, count=1)


def test_a_key_that_appears_twice_is_one_line_with_its_name(file, tmp_path):
    with pytest.raises((RecordError, DrawError)) as caught:
        file(lambda text: twice(text).encode())
    [path] = tmp_path.iterdir()
    key = re.search(r'"(\w+)": ', path.read_text())[1]
    assert re.search(rf"(^|/){path.name}: {TWICE % key}", str(caught.value))


def test_a_key_that_appears_twice_in_a_books_own_data_is_refused(tmp_path, monkeypatch):
    laws = tmp_path / "labs" / "01-roofline" / "laws.json"
    laws.parent.mkdir(parents=True)
    laws.write_text('[{"id": "a", "id": "b"}]')
    with pytest.raises(RecordError, match=f"^labs/01-roofline/laws.json: {TWICE % 'id'}"):
        browser_lab.empty_record(tmp_path, [])
    tables = tmp_path / "labs" / "05-scaling" / "data" / "planner.json"
    tables.parent.mkdir(parents=True)
    tables.write_text(twice(widgets.TABLES.read_text()))
    monkeypatch.setattr(widgets, "TABLES", tables)
    with pytest.raises(RecordError, match=f"^labs/05-scaling/data/planner.json: {TWICE % '.*'}"):
        widgets.planner_tables()
    own = tmp_path / "1.json"
    own.write_text('{"race": {"heats": [], "heats": []}}')
    with pytest.raises(DrawError, match=f"1.json: {TWICE % 'heats'}"):
        attempt(own)


def test_no_other_reader_would_keep_the_last_of_two():
    """Python's own does. It may read what the build has written: caches, and CMake's commands."""
    assert json.loads('{"a": 1, "a": 2}') == {"a": 2}
    assert read_json(labels.TABLE) == labels.ADVANCES
    programs = [path for path in (PROJECT / "tools").iterdir() if path.is_file() and b"python3" in path.read_bytes()[:40]]
    lines = [(path.name, line) for path in [*PROJECT.glob("site/**/*.py"), *programs] for line in path.read_text().splitlines()]
    reading = [(name, line) for name, line in lines if re.search(r"json\.loads?\(.*(read_text|open)\(", line)]
    assert {(name, re.search(r"\((.*?)\.read_text", line)[1]) for name, line in reading} == {
        ("record_tool.py", "kept"), ("compare.py", "kept"), ("yours", '(BUILD / "compile_commands.json")')}  # fmt: skip


def test_a_complaint_is_not_kept_when_its_cause_outside_the_record_is_gone(tmp_path):
    path, says, tool = tmp_path / "build/records/01-roofline.json", tmp_path / "says", tmp_path / "record"
    (tmp_path / "labs/01-roofline").mkdir(parents=True)
    (tmp_path / "labs/01-roofline/lab.cpp").touch()
    path.parent.mkdir(parents=True)
    path.write_text("{}", encoding="utf-8")
    tool.write_text(f'#!/bin/sh\necho "$1" >>{tmp_path}/calls\ncat {says}-$1\n', encoding="utf-8")
    tool.chmod(0o755)
    name = "build/records/01-roofline.json"
    answer = {"lab": {"id": "01-roofline"}, "series": [], "values": []}
    says.with_name("says-read").write_text(json.dumps({name: answer}), encoding="utf-8")
    records = lambda: Records(tmp_path, tmp_path / "build", tool)
    says.with_name("says-check").write_text(json.dumps({name: ["expected text without the home directory"]}), encoding="utf-8")
    with pytest.raises(RecordError, match="expected text without"):
        records().read(path)
    says.with_name("says-check").write_text(json.dumps({name: []}), encoding="utf-8")
    for _ in range(2):
        assert records().read(path).lab == "01-roofline"
    assert (tmp_path / "calls").read_text(encoding="utf-8").split() == ["check", "check", "read"]  # a good verdict is kept
    assert os.listdir(tmp_path / "build/asked")
