"""A question's answer must not stand on its page outside the parts that the question hides."""

from .myst import ROLE


def hidden(paragraph, places):
    """True if a question hides a box around the paragraph, or if it opens only on request."""
    return any(box.options.get("name") in places or box.argument.rpartition("/")[2] in places or box.has_class("solution")
               for box in paragraph.boxes)  # fmt: skip


def spoiler_problems(paragraphs, boxes):
    """Yields (line, problem) for every value that a question is about and that a reader sees before answering."""
    for question in boxes:
        if question.name != "predict" or "value" not in question.options:
            continue
        value = question.options["value"]
        places = {place.partition(".")[0] for place in question.options.get("reveals", "").split()}
        for paragraph in paragraphs:
            for role in ROLE.finditer(paragraph.text):
                if role[1] == "measured" and role[2].split("|")[0].strip() == value and not hidden(paragraph, places):
                    line = paragraph.line + paragraph.text[: role.start()].count("\n")
                    yield line, (f"{value} answers the question {question.argument} in plain sight: put it in a named "
                                 f"{{container}}, and add the container's name to the question's :reveals:")  # fmt: skip
