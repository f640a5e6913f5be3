"""A MyST page as paragraphs and boxes, in the detail that rules.py and check-voice need."""

import re
from dataclasses import dataclass, field

FENCE = re.compile(r"^\s*(`{3,}|:{3,})(?:\{([\w:-]+)\}\s*(.*?)|[\w+-]*)\s*$")
OPTION = re.compile(r"^\s*:([\w-]+):\s*(.*?)\s*$")
ROLE = re.compile(r"\{([\w:-]+)\}`([^`]*)`")


@dataclass
class Box:
    """A directive or a code fence around some text."""

    fence: str
    name: str
    argument: str
    line: int
    around: tuple = ()
    options: dict = field(default_factory=dict)
    body: list = field(default_factory=list)

    def has_class(self, name):
        return name in self.options.get("class", "").split()


@dataclass
class Paragraph:
    """Consecutive lines of text and the boxes around them, outermost first."""

    line: int
    lines: list
    boxes: tuple

    @property
    def text(self):
        return "\n".join(self.lines)


def parse(text):
    """(paragraphs, boxes) of a MyST page, in the order in which they begin."""
    paragraphs, boxes, stack, open_paragraph = [], [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if fence:
            open_paragraph = None
            marks, name, argument = fence.groups()
            closes = stack and name is None and marks[0] == stack[-1].fence[0] and len(marks) >= len(stack[-1].fence)
            if closes and marks == line.strip():
                stack.pop()
            else:
                stack.append(Box(marks, name or "code", argument or "", number, tuple(stack)))
                boxes.append(stack[-1])
            continue
        for box in stack:
            box.body.append(line)
        option = OPTION.match(line)
        if option and stack and open_paragraph is None and len(stack[-1].body) == len(stack[-1].options) + 1:
            stack[-1].options[option[1]] = option[2]
        elif not line.strip():
            open_paragraph = None
        elif open_paragraph is None:
            open_paragraph = Paragraph(number, [line], tuple(stack))
            paragraphs.append(open_paragraph)
        else:
            open_paragraph.lines.append(line)
    return paragraphs, boxes
