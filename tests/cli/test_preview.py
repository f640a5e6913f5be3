"""tools/preview: what a pull request changes in the book."""

import json

import pytest
from programs import result_of

PAGE = "<html><body><nav>{nav}</nav><article><h1>Sorting</h1><p>It takes {time}.</p><svg><path d='{line}'/></svg>{more}</article></body></html>"


class Pull:
    """Two checkouts with a site each. The stub of the record tool prints the names that it compares."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        for side in ("base", "head"):
            self.page(side, "index")
            self.page(side, "01-sorting")
        tool = folder / "head/build/bin/record"
        tool.parent.mkdir(parents=True)
        tool.write_text('#!/bin/sh\n[ "$1" = diff ] && cat "$2" "$3"\n')
        tool.chmod(0o755)

    def file(self, side, name, text):
        path = self.folder / side / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def page(self, side, name, nav="", time="3 s", line="M0,0L1,1", more=""):
        self.file(side, f"build/web/site/{name}.html", PAGE.format(nav=nav, time=time, line=line, more=more))

    def run(self, status=0):
        run = result_of(self.root / "tools/preview", "base", "head", "out", cwd=self.folder)
        assert run.returncode == status, run.stderr
        return run

    def changes(self):
        self.run()
        return (self.folder / "out/changes.md").read_text()


@pytest.fixture
def pull(root, tmp_path):
    return Pull(root, tmp_path)


def test_equal_books_differ_in_nothing_and_navigation_does_not_count(pull):
    pull.page("head", "01-sorting", nav="another chapter")
    assert "## Pages: 0\n\nNo page differs.\n" in pull.changes() and "No record differs." in pull.changes()
    assert (pull.folder / "out/site/01-sorting.html").exists()


def test_a_changed_sentence_is_shown_before_and_after(pull):
    pull.page("head", "01-sorting", time="2 s")
    assert "- `01-sorting.html`: 2 lines of text\n" in pull.changes()
    assert "```diff\n-It takes 3 s.\n+It takes 2 s.\n```" in pull.changes()
    assert "`index.html`" not in pull.changes()


def test_pictures_other_machines_new_and_removed_pages_are_named(pull):
    pull.page("head", "01-sorting", line="M0,0L2,2")
    pull.page("head", "02-merging")
    pull.page("base", "03-gone")
    for side, numbers in (("base", "[1]"), ("head", "[2]")):
        pull.file(side, "build/web/site/_machines/index/box.js", numbers)
    text = pull.changes()
    for line in ("`01-sorting.html`: pictures", "`02-merging.html`: new", "`03-gone.html`: removed",
                 "`index.html`: the numbers of other machines"):
        assert f"- {line}\n" in text


def test_records_are_compared_by_the_record_tool(pull):
    for side, value in (("base", 3), ("head", 2)):
        pull.file(side, "figures/records/box/01-sorting.json", json.dumps({"speed": value}))
        pull.file(side, "figures/records/box/02-merging.json", "{}")
    pull.file("head", "figures/records/new-box/01-sorting.json", "{}")
    text = pull.changes()
    assert "## Measured numbers: 2 records" in text and "02-merging" not in text
    assert '### `figures/records/box/01-sorting.json`\n\n```\n{"speed": 3}{"speed": 2}\n```' in text
    assert "### `figures/records/new-box/01-sorting.json`\n\n```\nnew\n```" in text


def test_a_base_without_a_site_makes_every_page_new(pull):
    for page in (pull.folder / "base/build/web/site").iterdir():
        page.unlink()
    assert "- `01-sorting.html`: new\n- `index.html`: new\n" in pull.changes()


def test_a_page_cannot_end_the_block_that_quotes_it(pull):
    pull.page("head", "index", more="<p>``` # A heading of my own</p>")
    assert "````diff\n+``` # A heading of my own\n````" in pull.changes()


def test_long_changes_are_cut_with_a_count(pull):
    pull.page("head", "index", more="".join(f"<p>Line {n}.</p>" for n in range(50)))
    assert "+Line 39.\n" in pull.changes() and "+Line 40." not in pull.changes() and "and 10 more lines" in pull.changes()


def test_a_head_without_a_site_stops_with_the_remedy(pull):
    (pull.folder / "head/build/web/site/index.html").unlink()
    assert "run ./primer site MEASURE=no BOOK=build/web there" in pull.run(status=1).stderr
