"""A page of the site as one of the e-book, as XHTML: no scripts, no controls, no folds.

A question is followed by its answer on the next page. Solutions move to the end of the chapter, each linked there and back. The
other folds are open. Where the site has a calculator, a sentence leads to it.
"""

import re
from dataclasses import dataclass
from html.entities import html5
from xml.etree import ElementTree

from .pictures import Pictures

Element = ElementTree.Element
ENTITY = re.compile(r"&(?!amp;|lt;|gt;|quot;|apos;|#)(\w+;)")
SCRIPTS = re.compile(r"<(script|template)\b.*?</\1>", re.S)
MATHML = "http://www.w3.org/1998/Math/MathML"
# Parts for the scripts, and what they would fill; a figure's data are tables for a screen.
DROPPED = {"hf-compare", "hf-steps", "hf-off", "hf-data", "hf-predict-score", "hf-predict-summary", "hf-predict-bet",
           "hf-predict-skips", "hf-links", "visually-hidden"}
FOR_BROWSERS = re.compile(r"data-|aria-|tabindex$|role$|title$|style$|translate$")
THINK = "The answer is on the next page."


@dataclass(frozen=True)
class Links:
    """Where links lead: to the pages in the e-book, else to the site, whose address may be unknown."""

    pages: set[str]
    site: str

    def resolved(self, address: str) -> str:
        """Empty if a link can't lead anywhere."""
        found = re.fullmatch(r"([\w-]+)\.x?html(?:\?[^#]*)?(#.*)?", address)
        if not found:
            return address
        page, place = found[1], found[2] or ""
        return f"{page}.xhtml{place}" if page in self.pages else f"{self.site}{page}.html{place}" if self.site else ""


def of_ebook(body: str, pictures: Pictures, page: str, links: Links) -> str:
    """A page's body as XHTML. Raises ParseError."""
    body = ENTITY.sub(lambda found: html5.get(found[1], found[0]), SCRIPTS.sub("", body))
    root = ElementTree.fromstring(f"<body>{body}</body>")
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    drop(root)
    of_calculators(root, f"{links.site}{page}.html" if links.site else "")
    draw(root, pictures, page)
    ask(root)
    unfold(root)
    link(root, links)
    clean(root)
    return "".join(ElementTree.tostring(child, encoding="unicode") for child in root)


def classes(element: Element) -> set[str]:
    return set(element.get("class", "").split())


def nested(root: Element) -> list[tuple[Element, Element]]:
    """(parent, child) of all elements, parents first."""
    return [(parent, child) for parent in root.iter() for child in parent]


def having(root: Element, name: str) -> list[tuple[Element, Element]]:
    return [(parent, child) for parent, child in nested(root) if name in classes(child)]


def remove(parent: Element, child: Element) -> None:
    """Without the text that follows it."""
    at = list(parent).index(child)
    parent.remove(child)
    if child.tail:
        append_text(parent, at, child.tail)


def append_text(parent: Element, at: int, text: str) -> None:
    """Adds text before the child at a place."""
    if at:
        parent[at - 1].tail = (parent[at - 1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text


def put(parent: Element, old: Element, *new: Element) -> None:
    """Replaces a child."""
    at, tail = list(parent).index(old), old.tail
    parent[at:at + 1] = new
    if tail and new:
        new[-1].tail = tail


def paragraph(text: str, css: str) -> Element:
    made = Element("p", {"class": css})
    made.text = text
    return made


def words(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def drop(root: Element) -> None:
    for parent, child in nested(root):
        if (DROPPED & classes(child) or "hidden" in child.attrib) and child in list(parent):
            remove(parent, child)


def of_calculators(root: Element, web: str) -> None:
    """A sentence in place of each calculator; the text for readers without scripts follows it."""
    for _, figure in [each for each in nested(root) if each[1].tag == "figure"]:
        for parent, live in having(figure, "hf-live"):
            sentence = paragraph("On the web, this is a calculator for your own numbers", "think")
            if web:
                sentence.text += ": "
                add_link(sentence, f"{web}#{figure.get('id', '')}".rstrip("#"), "try it there").tail = "."
            else:
                sentence.text += "."
            put(parent, live, sentence)


def draw(root: Element, pictures: Pictures, page: str) -> None:
    for parent, child in nested(root):
        if child.tag == "svg":
            put(parent, child, pictures.replace(child, page))


def ask(root: Element) -> None:
    """Each question: what the reader chooses from, and on the next page, the answer and what it means."""
    for parent, box in having(root, "hf-predict"):
        answer = Element("div", {"class": "answer"})
        for form in [child for child in box if "hf-predict-form" in classes(child)]:
            put(box, form, paragraph(f"{choice(form)}{THINK}", "think"))
        for child in [child for child in box if {"hf-predict-answer", "hf-predict-means"} & classes(child)]:
            remove(box, child)
            answer.append(child)
        put(parent, box, box, answer)


def choice(form: Element) -> str:
    """Think first: … of a question's buttons or slider."""
    offers = [words(button) for button in form.iter("button") if button.get("data-choice")]
    ends = [words(span) for slider in form.iter("span") if "hf-predict-slider" in classes(slider)
            for span in slider if not classes(span)]
    if len(ends) == 2:
        return f"Think first: a number from {ends[0]} to {ends[1]}. "
    return f"Think first: {', '.join(offers[:-1])} or {offers[-1]}? " if offers else "Think first. "


def unfold(root: Element) -> None:
    answers = []
    for parent, fold in [each for each in nested(root) if each[1].tag == "details"]:
        title = next((child for child in fold if child.tag == "summary"), None)
        fold.tag = "div"
        if "hf-sources" in classes(fold):
            fold.remove(title)
            without_files(fold)
        elif "solution" in classes(fold):
            answers.append(fold)
            fold.set("id", f"answer-{len(answers)}")
            title.tag, title.attrib, title.text, title[:] = "h3", {}, None, []
            add_link(title, f"#exercise-{len(answers)}", f"Exercise {len(answers)}")
            forth = paragraph("", "to-answer")
            add_link(forth, f"#answer-{len(answers)}", "Answer").set("id", f"exercise-{len(answers)}")
            put(parent, fold, forth)
            fold.tail = "\n"
        else:
            title.tag = "p"
            title.set("class", "admonition-title")
    if answers:
        section = ElementTree.SubElement(root, "section", {"class": "answers"})
        ElementTree.SubElement(section, "h2").text = "Answers to the exercises"
        section.extend(answers)


def cut_end(line: Element, mark: str) -> None:
    """Removes a mark at the end of a line, with the spaces around it."""
    if len(line):
        line[-1].tail = (line[-1].tail or "").rstrip().removesuffix(mark).rstrip()
    else:
        line.text = (line.text or "").rstrip().removesuffix(mark).rstrip()


def without_files(sources: Element) -> None:
    """Removes the names of files that an e-book doesn't have: "· record", and "Drawn by this script" before citations."""
    for line in list(sources):
        if "hf-provenance" in classes(line) and len(line) and words(line[-1]) == "record":
            line.remove(line[-1])
            cut_end(line, "·")
        elif (line.text or "").startswith("Drawn by this"):
            line.text = ""
            line.remove(line[0])
            if not len(line):
                sources.remove(line)


def add_link(parent: Element, address: str, text: str) -> Element:
    link = ElementTree.SubElement(parent, "a", {"href": address})
    link.text = text
    return link


def link(root: Element, links: Links) -> None:
    for anchor in root.iter("a"):
        if address := links.resolved(anchor.get("href", "")):
            anchor.set("href", address)
        elif "href" in anchor.attrib:
            anchor.tag = "span"
            del anchor.attrib["href"]


def clean(root: Element) -> None:
    """Removes the attributes for scripts and browsers."""
    for element in root.iter():
        for name in [name for name in element.attrib if FOR_BROWSERS.match(name)]:
            del element.attrib[name]
        if element.tag == "math":
            element.set("xmlns", MATHML)
