"""{lab-code}: an excerpt of the source that ran."""

import re
import textwrap
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx.util import logging, parselinenos

from ..domain import press
from ..measurements.record import RecordError
from .links import file_link
from .notice import NoticeDirective

QUOTED = "hf-quoted"  # the files below labs/ that the page being read has quoted so far
COLUMNS = 84  # of code that a page shows without scrolling
logger = logging.getLogger(__name__)
MARKER = re.compile(r"\s*(//|#) \[(begin|end): [\w -]+\]\s*")


class LabCode(NoticeDirective):
    """The lines between `// [begin: PART]` and `// [end: PART]` of a file below labs/."""

    required_arguments = 1
    option_spec = {"part": directives.unchanged_required, "caption": directives.unchanged_required,
                   "emphasize-lines": directives.unchanged_required, "name": directives.unchanged}

    def show(self) -> list[nodes.Node]:
        domain = press(self.env)
        path = domain.records.root / "labs" / self.arguments[0]
        domain.note_file(path)
        text = excerpt(path, domain.records.shown(path), self.options.get("part", ""))
        for line in text.splitlines():
            if len(line) > COLUMNS:
                logger.warning("%s has %d columns in the line %s, but the page shows %d: break it, with a comment at the "
                               "end if a formatter would join it again", domain.records.shown(path), len(line), line.strip(),
                               COLUMNS, location=self.get_location(), type="press", subtype="excerpt")
        self.env.temp_data.setdefault(QUOTED, []).append(self.arguments[0])
        code = nodes.literal_block(text, text, language=language(path))
        if lines := self.options.get("emphasize-lines"):
            code["highlight_args"] = {"hl_lines": [n + 1 for n in parselinenos(lines, text.count("\n"))]}
        caption = nodes.caption("", "", file_link(self.env, path, domain.records.shown(path)))
        if words := self.options.get("caption"):
            caption[0:0] = [*self.parse_inline(words, lineno=self.lineno)[0], nodes.Text(" · ")]
        box = nodes.container("", caption, code, literal_block=True, classes=["literal-block-wrapper"])
        self.add_name(box)
        return [box]


def excerpt(path: Path, shown: str, part: str) -> str:
    """The part's lines, or the whole file, without any marker line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise RecordError(f"{shown} cannot be read: name a file below labs/") from None
    if part:
        marks = [[n for n, line in enumerate(lines) if f"[{mark}: {part}]" in line] for mark in ("begin", "end")]
        if [len(mark) for mark in marks] != [1, 1] or marks[0] > marks[1]:
            raise RecordError(f'{shown} has no part "{part}": '
                              f"put it between the lines // [begin: {part}] and // [end: {part}]")
        lines = lines[marks[0][0] + 1:marks[1][0]]
    kept = "\n".join(line for line in lines if not MARKER.fullmatch(line))
    return textwrap.dedent(kept).strip("\n") + "\n"


def language(path: Path) -> str:
    try:
        return get_lexer_for_filename(path.with_suffix(".cpp").name if path.suffix == ".h" else path.name).aliases[0]
    except ClassNotFound:
        return "text"
