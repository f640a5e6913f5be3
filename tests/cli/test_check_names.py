"""Names that lead nowhere are told in seconds, with the nearest right one; so is what a lab records but nothing shows."""

import contextlib
import io
import json
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "site"))

from press.checks import rules  # noqa: E402

PAGE = """# Thing

It reaches {measured}`speed_fast`, as {cite:t}`maker2026` says, below the {term}`roof`; {hf:claim}`this <01-thing/it-pays>`.

```{claim} it-pays
It does not.
```

```{lab-figure} 01-speed
:series: curve
It falls.
```

```{predict} how-fast
:value: 01-thing/speed_fast
:drawn: fig y * slow_share
How fast?
```

```{where-holds} !it-pays
It does not.
```

```{predictions-summary}
```
"""
SOURCE = """\
for (const std::string& name : {"fast", "slow"}) {
  lab.add("speed_" + name, 3);
  lab.add(name + "_share", 3);
}
lab.add(Series{"curve"});
lab.add(Series{"curve_predicted"});
"""
AT = {"speed_fast": 2, "speed_slow": 2, "slow_share": 3, "curve": 5, "curve_predicted": 6}
FILES = {
    "chapters/01-thing.md": PAGE,
    "chapters/glossary.md": "# Glossary\n\n{.glossary}\nRoof\n: A limit.\n",
    "chapters/references.bib": "@misc{maker2026,\n  year = {2026}\n}\n",
    "labs/01-thing/lab.cpp": SOURCE,
    "labs/01-thing/claims.json": '[\n{"id": "it-pays",\n"text": "It pays.",\n"value": "gain",\n"bound": ">= 2"}\n]\n',
    "labs/01-thing/definitions.json": '[\n"gain = speed_fast / speed_slow"\n]\n',
    "labs/01-thing/laws.json": '[\n"curve <= 3"\n]\n',
    "labs/01-thing/predictions.json":
        '{"pairs": [\n{"what": "it", "predicted": "curve_predicted",\n"measured": "curve"}], "left_out": []}\n',
    "figures/01-speed.gp":
        '# title: Speed\n# needs: curve\nshare = value_slow_share\nplot tables."/curve.tsv" using 1:(f($2, strcol(5)))\n',
}


def record_of(places, started="2026-11-01T00:00:00Z"):
    """A record of values, some with the lines of lab.cpp that record them."""
    values = [{"id": name, "at": f"labs/01-thing/lab.cpp:{line}"} for name, line in places.items()]
    return json.dumps({"run": {"started": started}, "values": values, "series": []})


def record_tool(*changes):
    """A record tool that says of each record that these sources have changed since."""
    answer = f"print(json.dumps(dict.fromkeys(sys.argv[5:], {[*changes]})))"
    return f"#!{sys.executable}\nimport json, sys\nassert sys.argv[1:4] == ['stale', '--json', '--tree']\n{answer}\n"


@pytest.fixture
def book(tmp_path):
    """A small book without problems, and its record tool."""
    for name, text in (FILES | {"figures/records/my-box/01-thing.json": record_of(AT), "build/bin/record": record_tool()}).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "build/bin/record").chmod(0o755)
    return tmp_path


def change(book, file, old, new):
    assert old in (book / file).read_text()
    (book / file).write_text((book / file).read_text().replace(old, new, 1))


def said(book):
    """The problems, each a line."""
    with contextlib.redirect_stderr(io.StringIO()) as lines:
        status = rules.main(book)
    assert status == bool(lines.getvalue())
    return lines.getvalue().splitlines()


def test_a_book_in_order_passes(book):
    assert said(book) == []


@pytest.mark.parametrize(("file", "old", "new", "problem"), [
    ("chapters/01-thing.md", "`speed_fast`", "`speed_fasst`",
     '3: no source in labs/01-thing/ records "speed_fasst": did you mean speed_fast?'),
    ("chapters/01-thing.md", "`speed_fast`", "`1-thing/speed_fast`",
     '3: "speed_fast" is of no lab, as 1-thing is none: did you mean 01-thing?'),
    ("chapters/01-thing.md", "maker2026", "maker2025, maker2026",
     '3: references.bib has no source "maker2025": did you mean maker2026?'),
    ("chapters/01-thing.md", "`roof`", "`floors <Rooof>`", '3: glossary.md has no term "Rooof": did you mean Roof?'),
    ("chapters/01-thing.md", "<01-thing/it-pays>", "<01-thing/it-pay>",
     '3: labs/01-thing/claims.json has no claim "it-pay": did you mean it-pays?'),
    ("chapters/01-thing.md", "{claim} it-pays", "{claim} it-costs",
     '5: labs/01-thing/claims.json has no claim "it-costs"'),
    ("chapters/01-thing.md", "\nIt does not.", "", '5: claim "it-pays" needs a body: the sentence to show where it fails'),
    ("chapters/01-thing.md", ":series: curve", ":series: curv",
     '10: no source in labs/01-thing/ records "curv": did you mean curve?'),
    ("chapters/01-thing.md", "01-thing/speed_fast", "01-thing/speed_fasst",
     '15: no source in labs/01-thing/ records "speed_fasst": did you mean speed_fast?'),
    ("chapters/01-thing.md", "* slow_share", "* slow_shares",
     '16: no source in labs/01-thing/ records "slow_shares": did you mean slow_share?'),
    ("labs/01-thing/definitions.json", "/ speed_slow", "/ speed_slwo",
     '2: no source in labs/01-thing/ records "speed_slwo": did you mean speed_slow?'),
    ("labs/01-thing/laws.json", "curve", "curves",
     '2: no source in labs/01-thing/ records "curves": did you mean curve?'),
    ("labs/01-thing/claims.json", '"gain"', '"gian"', '2: no source in labs/01-thing/ records "gian": did you mean gain?'),
    ("labs/01-thing/claims.json", '"text"', '"txt"',
     '3: expected id, text, value, bound, shown, not "txt": did you mean text?'),
    ("labs/01-thing/claims.json", 's",\n"text', 's"\n"text', "3: is not JSON: Expecting ',' delimiter; correct it"),
    ("labs/01-thing/claims.json", ">= 2", "2", "1: expected a list of claims with id, text, value, bound and perhaps shown"),
    ("labs/01-thing/predictions.json", '"what"', '"whatt"',
     '2: expected what, predicted, measured, name, not "whatt": did you mean what?'),
    ("labs/01-thing/predictions.json", '"curve"', '"curvy"',
     '3: no source in labs/01-thing/ records "curvy": did you mean curve?'),
    ("figures/01-speed.gp", "needs: curve", "needs: curvy",
     '2: no source in labs/01-thing/ records "curvy": did you mean curve?'),
    ("figures/01-speed.gp", "value_slow_share", "value_slow_shares",
     '3: no source in labs/01-thing/ records "slow_shares": did you mean slow_share?'),
    ("figures/01-speed.gp", "/curve.tsv", "/curvy.tsv",
     '4: no source in labs/01-thing/ records "curvy": did you mean curve?'),
    ("figures/01-speed.gp", "share = ", 'look_curvy = "ink"\nshare = ',
     '3: no source in labs/01-thing/ records "curvy": did you mean curve?'),
    ("labs/01-thing/laws.json", "curve <=", "c* except curvy <=",
     '2: no source in labs/01-thing/ records "curvy": did you mean curve?'),
    ("figures/01-speed.gp", "using 1:", "using 9:", "4: reads column 9, but a table has only 5 (record table): correct it"),
    ("figures/01-speed.gp", "$2", "$6", "4: reads column 6, but a table has only 5 (record table): correct it"),
    ("figures/01-speed.gp", "strcol(5)", "strcol(7)", "4: reads column 7, but a table has only 5 (record table): correct it"),
])  # fmt: skip
def test_a_wrong_name_is_told_with_its_line_and_the_nearest_right_one(book, file, old, new, problem):
    change(book, file, old, new)
    assert [line for line in said(book) if line.startswith(f"{file}:{problem}")], said(book)


def test_a_name_in_code_or_of_a_fact_is_none(book):
    change(book, "chapters/01-thing.md", "# Thing\n", "# Thing\n\n{measured}`run.seconds`\n\n```\n{measured}`nothing`\n```\n")
    assert said(book) == []


def test_a_value_that_only_an_old_record_has_may_define_others_but_is_not_shown(book):
    (book / "figures/records/my-box/01-thing.json").write_text(record_of(AT | {"gone": 9}))
    change(book, "labs/01-thing/definitions.json", "speed_slow", "speed_slow / gone")
    assert said(book) == []
    change(book, "chapters/01-thing.md", "`speed_fast`", "`gone`")
    assert said(book) == ['chapters/01-thing.md:3: no source in labs/01-thing/ records "gone": correct it, or add it there']


REMEDY = "show it, print it with lab.show, or remove it"


@pytest.mark.parametrize(("source", "name", "line"), [
    ('lab.add("idle", 3);\n', "idle", 7),
    ('lab.add(Series{"idle_curve"});\n', "idle_curve", 7),
    ('lab.add(std::format("{}_idle", name), 3);\n', "fast_idle", 7),
    ("", "fast_share", 3),
])
def test_what_nothing_shows_is_told(book, source, name, line):
    change(book, "labs/01-thing/lab.cpp", SOURCE, SOURCE + source)
    (book / "figures/records/my-box/01-thing.json").write_text(record_of(AT | {name: line}))
    assert said(book) == [f"labs/01-thing/lab.cpp:{line}: nothing shows {name}: {REMEDY}"]


@pytest.mark.parametrize(("source", "found"), [
    ('lab.add(Value("idle", speed, "GB/s"));\n', [7]), ('lab.modelled("idle", 3);\n', [7]), ('lab.modelled("idle_" + name, 3);\n', []),
    ('lab.value("idle", 3);\n', []),
])  # fmt: skip
def test_what_was_never_measured_is_told_if_a_source_adds_it_by_its_whole_name(book, source, found):
    change(book, "labs/01-thing/lab.cpp", SOURCE, SOURCE + source)
    assert said(book) == [f"labs/01-thing/lab.cpp:{line}: nothing shows idle: {REMEDY}" for line in found]


def test_a_record_of_this_machine_counts_too(book):
    (book / "build/records").mkdir(parents=True)
    (book / "build/records/01-thing.json").write_text(record_of({"fast_share": 3}))
    assert said(book) == [f"labs/01-thing/lab.cpp:3: nothing shows fast_share: {REMEDY}"]


def test_what_the_sources_may_no_longer_record_is_not_told(book):
    (book / "figures/records/my-box/01-thing.json").write_text(record_of(AT | {"fast_share": 3, "gone_share": 3, "gone": 3}))
    (book / "figures/records/old-box").mkdir()
    (book / "figures/records/old-box/01-thing.json").write_text(json.dumps(
        {"run": {"started": "2025-01-01T00:00:00Z"}, "series": [], "values": [{"id": "slow_curve"}]}))  # without its place
    change(book, "labs/01-thing/lab.cpp", 'lab.add(Series{"curve_', 'lab.add(name + "_curve", 3);\nlab.add(Series{"curve_')
    (book / "build/bin/record").write_text(record_tool("labs/01-thing/lab.hpp changed", "labs/01-thing/lab.cpp2 is gone"))
    assert said(book) == [f"labs/01-thing/lab.cpp:3: nothing shows fast_share: {REMEDY}"]
    (book / "build/bin/record").write_text(record_tool("labs/01-thing/lab.cpp changed"))
    assert said(book) == []


def test_without_the_record_tool_there_is_one_line(book, monkeypatch):
    monkeypatch.setenv("PATH", str(book))
    (book / "figures/records/my-box/01-thing.json").write_text(record_of(AT | {"fast_share": 3}))
    (book / "build/bin/record").unlink()
    with pytest.raises(SystemExit, match="^build/bin/record is missing, so records cannot be checked: "):
        said(book)


def record_idle(book):
    """Adds a value that nothing shows."""
    change(book, "labs/01-thing/lab.cpp", SOURCE, SOURCE + 'lab.add("idle", 3);\n')
    (book / "figures/records/my-box/01-thing.json").write_text(record_of(AT | {"idle": 7}))


@pytest.mark.parametrize(("file", "text"), [
    ("figures/01-speed.gp", 'plot tables."/idle.tsv"\n'),
    ("figures/01-speed.gp", 'if (exists("have_idle")) print 1\n'),
    ("figures/01-speed.gp", "# shows: idle\n"),
    ("figures/shared.gp", "print value_idle\n"),
    ("chapters/02-more.md", "{measured}`01-thing/idle|plain`\n"),
    ("chapters/02-more.md", "```{where-measured} 01-thing/idle\nHere.\n```\n"),
    ("chapters/machines.md", "```{machines}\n:values: 01-thing/idle\n```\n"),
    ("chapters/machines.md", "```{predict} a\n:point: 01-thing/idle/first one\nHow?\n```\n"),
    ("site/book/page.py", 'record.value("idle")\n'),
    ("tools/plan", "idle\n"),
    ("labs/01-thing/laws.json", '["curve <= 3", "idle never falls"]'),
    ("labs/01-thing/laws.json", '["curve <= 3", "any GB/s <= highest id*"]'),
])
def test_what_shows_a_value(book, file, text):
    record_idle(book)
    assert said(book) == [f"labs/01-thing/lab.cpp:7: nothing shows idle: {REMEDY}"]
    path = book / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((path.read_text() if path.suffix == ".gp" and path.exists() else "") + text)
    assert said(book) == []


@pytest.mark.parametrize(("file", "text"), [
    ("figures/02-other.gp", "print value_idle\n"),
    ("figures/01-speed.gp", "# The line idle is not drawn.\n"),
    ("labs/01-thing/laws.json", '["curve <= 3", "idle in GB/s"]'),
    ("labs/01-thing/definitions.json", '["gain = speed_fast / speed_slow", "unread = idle / 2"]'),
    ("chapters/notes.md", "```\n{measured}`01-thing/idle`\n```\n"),
])
def test_what_does_not_show_a_value(book, file, text):
    record_idle(book)
    path = book / file
    path.write_text((path.read_text() if path.suffix == ".gp" and path.exists() else "") + text)
    assert f"labs/01-thing/lab.cpp:7: nothing shows idle: {REMEDY}" in said(book)


def test_a_figure_may_join_an_id_from_parts(book):
    (book / "figures/records/my-box/01-thing.json").write_text(record_of(AT | {"fast_share": 3}))
    assert said(book) == [f"labs/01-thing/lab.cpp:3: nothing shows fast_share: {REMEDY}"]
    change(book, "figures/01-speed.gp", "share = ", 'names = "fast slow"; file(name) = tables."/".name."_share.tsv"\nshare = ')
    assert said(book) == []


def test_a_figure_may_show_every_series_that_fits_a_name(book):
    (book / "figures/records/my-box/01-thing.json").write_text(record_of(AT | {"fast_share": 3}))
    change(book, "figures/01-speed.gp", "curve\n", "curve\n# shows: slow_*\n")
    assert said(book) == [f"labs/01-thing/lab.cpp:3: nothing shows fast_share: {REMEDY}"]
    change(book, "figures/01-speed.gp", "slow_*", "fast_*")
    assert said(book) == []


def test_a_definition_that_nothing_shows_is_told(book):
    change(book, "labs/01-thing/definitions.json", "slow", 'slow",\n"unread = gain * 2')
    assert said(book) == ["labs/01-thing/definitions.json:3: nothing shows unread: show it, or remove it"]


CLAIM = '"},\n{"id": "it-idles", "text": "It idles.", "value": "VALUE", "bound": ">= 2"}\n]'


def test_a_claim_in_no_chapter_is_told_and_shows_nothing(book):
    record_idle(book)
    change(book, "labs/01-thing/claims.json", '"}\n]', CLAIM.replace("VALUE", "idle"))
    assert said(book) == ["labs/01-thing/claims.json:6: it-idles stands in no chapter and decides no law: show it, or remove it",
                          f"labs/01-thing/lab.cpp:7: nothing shows idle: {REMEDY}"]
    change(book, "chapters/01-thing.md", "!it-pays", "!it-pays it-idles")
    assert said(book) == []


def test_a_claim_whose_value_decides_a_law_need_not_stand_in_a_chapter(book):
    change(book, "labs/01-thing/claims.json", '"}\n]', CLAIM.replace("VALUE", "curve"))
    assert said(book) == []
    (book / "labs/01-thing/laws.json").write_text('["curve in GB/s"]')
    assert said(book) == ["labs/01-thing/claims.json:6: it-idles stands in no chapter and decides no law: show it, or remove it"]


def test_a_link_to_a_claim_does_not_show_it(book):
    change(book, "labs/01-thing/claims.json", '"}\n]', CLAIM.replace("VALUE", "curve"))
    (book / "labs/01-thing/laws.json").write_text("[]")
    change(book, "chapters/01-thing.md", "<01-thing/it-pays>", "<01-thing/it-idles>")
    assert said(book) == ["labs/01-thing/claims.json:6: it-idles stands in no chapter and decides no law: show it, or remove it"]
