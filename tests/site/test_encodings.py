"""Files as editors and other machines leave them: byte-order marks, UTF-16, and a verdict that depended on a machine."""

import codecs
import json
import os

import pytest
from press.draw import DrawError, read_record
from press.outcomes import read_declared
from press.records import RecordError, Records
from press.statements import read_statements

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


def test_a_complaint_is_not_kept_when_its_cause_outside_the_record_is_gone(tmp_path):
    path, says, tool = tmp_path / "build/records/01-roofline.json", tmp_path / "says", tmp_path / "record"
    (tmp_path / "labs/01-roofline").mkdir(parents=True)
    (tmp_path / "labs/01-roofline/lab.cpp").touch()
    path.parent.mkdir(parents=True)
    path.write_text("{}", encoding="utf-8")
    tool.write_text(f'#!/bin/sh\necho "$1" >>{tmp_path}/calls\ncat {says}-$1\n', encoding="utf-8")
    tool.chmod(0o755)
    name = "build/records/01-roofline.json"
    says.with_name("says-read").write_text(json.dumps({name: {"lab": {"id": "01-roofline"}}}), encoding="utf-8")
    records = lambda: Records(tmp_path, tmp_path / "build", tool)
    says.with_name("says-check").write_text(json.dumps({name: ["expected text without the home directory"]}), encoding="utf-8")
    with pytest.raises(RecordError, match="expected text without"):
        records().read(path)
    says.with_name("says-check").write_text(json.dumps({name: []}), encoding="utf-8")
    for _ in range(2):
        assert records().read(path).lab == "01-roofline"
    assert (tmp_path / "calls").read_text(encoding="utf-8").split() == ["check", "check", "read"]  # a good verdict is kept
    assert os.listdir(tmp_path / "build/asked")
