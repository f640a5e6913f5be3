"""The styles and scripts of a page: those that its content needs, and no others."""

import re

import pytest
from press.web import assets
from whole import PROJECT, STATIC_FOLDERS, static

NAMES = sorted(path.name for folder in STATIC_FOLDERS for path in folder.iterdir() if path.suffix in (".css", ".js"))


def loaded(html: str) -> list[str]:
    """The styles and scripts that a page loads, in order, except those of Sphinx's own theme."""
    return [name for name in re.findall(r'(?:href|src)="_static/([\w-]+\.(?:css|js))', html) if name in NAMES]


def test_a_page_has_the_files_of_what_stands_on_it(site):
    site.page("# Page\n\n```{predictions-summary}\n```\n\n```{predict} days\n:answer: 7\n:range: 1 100\nDays in a week?\n```\n")
    site.page("---\norphan: true\n---\n\n# Another\n", "other")
    site.built()
    asked = {name: loaded(site.html(name)) for name in ("index", "other")}
    own = [name for name in asked["index"] if name not in asked["other"]]
    assert own == ["predict.css", "predict-plot.js", "predict-veil.js", "predict.js", "predict-drag.js"]


@pytest.mark.parametrize("name", NAMES)
def test_every_style_and_script_is_loaded_by_something(name):
    theme = PROJECT / "site" / "press" / "theme"
    sources = [*(PROJECT / "site").rglob("*.py"), *theme.iterdir(), PROJECT / "tools" / "print-book"]
    assert any(re.search(rf'["/]{re.escape(name)}"', path.read_text(encoding="utf-8")) for path in sources)


def test_what_is_loaded_is_there():
    tables = (assets.OF_CLASS, assets.WHEN_SEEN, assets.OF_PAGE)
    wanted = {file for table in tables for files in table.values() for file in files}
    assert wanted - set(NAMES) == set()


def test_a_script_is_loaded_without_its_comments(site):
    site.page("# Page\n")
    for _ in range(2):
        site.built()
        built = (site.root / "build/out/_static/widget.js").read_text(encoding="utf-8")
        source = static("widget.js").read_text(encoding="utf-8")
        code = [line.strip() for line in source.splitlines() if not line.strip().startswith("//")]
        assert [line.rstrip() for line in built.splitlines()] == [re.sub(r" +// [^\"'`]*$", "", line) for line in code]
    assert not re.search(r"(^| )// ", built, re.M)
