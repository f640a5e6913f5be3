"""A build/ that an earlier version of the project left, or that was damaged: the new book is the same as without it."""

import json
import pickle
from pathlib import Path

import pytest
from conftest import CLAIM, DRAWING, FIGURE, LAB, scale_series

PAGES = {"index": f"# Book\n\n{{measured}}`{LAB}/ridge_flop_per_byte`\n\n{FIGURE}\n{DRAWING}\n```{{toctree}}\nmore\n```\n",
         "more": f"# More\n\n{CLAIM}\n" + FIGURE.replace("It", ":name: fig-again\nIt")}


class Gone:
    """A class that a pickle names but the project no longer has."""


def of_a_class_that_is_gone(_: bytes) -> bytes:
    return pickle.dumps(Gone()).replace(b"Gone", b"Went")


DAMAGES = {"empty": lambda _: b"", "half": lambda content: content[:len(content) // 2], "no text": lambda _: b"\x80\0\xff",
           "another format": lambda _: b"{}", "a class that is gone": of_a_class_that_is_gone}
# What a build keeps for the next one, in addition to the pages.
KEPT = ["asked/*.json", "compared/**/*.json", "compared/**/*.svg", "figures/*.svg", "drawings/**/*", "published/**/*.svg",
        "out/.doctrees/environment.pickle"]


@pytest.fixture
def old(site):
    """A built site."""
    for name, text in PAGES.items():
        site.page(text, name)
    site.drawing()
    site.record(scale_series("latency", 2))
    site.record(published="a-machine")
    site.built()
    return site


def kept(site, pattern: str) -> list[Path]:
    return [path for path in sorted((site.root / "build").glob(pattern)) if path.is_file()]


def pages(site) -> dict[str, str]:
    return {name: site.html(name) for name in PAGES}


def test_this_is_all_that_is_kept(old):
    build = old.root / "build"
    found = {path for path in build.rglob("*") if path.is_file() and path.relative_to(build).parts[0] not in ("records", "out")}
    assert found == {path for pattern in KEPT[:-1] for path in kept(old, pattern)}
    assert all(kept(old, pattern) for pattern in KEPT)


def test_what_was_kept_and_cannot_be_used_is_made_again(old):
    fresh = pages(old)
    for name, damage in DAMAGES.items():
        for path in [path for pattern in KEPT for path in kept(old, pattern)]:
            path.write_bytes(damage(path.read_bytes()))
        for page in PAGES:
            (old.root / "build" / "out" / f"{page}.html").unlink()
        build = old.build()
        assert (build.status, build.said) == (0, ""), name
        assert pages(old) == fresh, name


@pytest.mark.parametrize("edit", [lambda record: record.update(schema=99), lambda record: record.pop("toolchain")])
def test_a_record_of_another_version_costs_its_numbers_and_a_line_says_what_to_do(old, edit):
    record = json.loads(old.record_path.read_text(encoding="utf-8"))
    edit(record)
    old.record_path.write_text(json.dumps(record), encoding="utf-8")
    build = old.build()
    first, *lines = build.said.splitlines()
    assert (build.status, first) == (1, "ERROR: 4 problems with measurements; the rest of the site is complete:")
    assert all(f"build/records/{LAB}.json: " in line and "; run the lab again" in line for line in lines)
