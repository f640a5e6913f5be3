"""Reads an issue that was made with .github/ISSUE_TEMPLATE/machine.yml: a name and a credit, both optional, and a record."""

import re
import unicodedata
from dataclasses import dataclass

from . import Refused
from .link import AGAIN

FIELDS = ["Name", "Credit", "Record"]  # the headings that GitHub makes of the form's labels
LONGEST_BODY = 16_000  # letters; a browser's record takes 3,000
FOLDER = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_NAME, LONGEST_CREDIT = 60, 80
RESERVED = re.compile(r"here|con|prn|aux|nul|(com|lpt)[0-9]")  # a word of the book's; devices of Windows
PUNCTUATION = " .,'\N{RIGHT SINGLE QUOTATION MARK}()-_@&+"
INVISIBLE = "\N{HANGUL CHOSEONG FILLER}\N{HANGUL JUNGSEONG FILLER}\N{HANGUL FILLER}\N{HALFWIDTH HANGUL FILLER}"  # "letters"
MOST_MARKS = 3  # on one letter


@dataclass(frozen=True)
class Submission:
    """What an issue asks for: a folder's name and a credit, "" if left open, and one of `packed` and `address`."""

    name: str
    credit: str
    packed: str = ""
    address: str = ""


def read_issue(body: str, server: str) -> Submission:
    """The submission in the text of an issue on `server`."""
    if len(body) > LONGEST_BODY:
        raise Refused(f"The issue has more than {LONGEST_BODY:,} letters, but a record takes about 3,000: {AGAIN}.")
    _, *found = re.split(rf"^### ({'|'.join(FIELDS)})[ \t]*$", body.replace("\r\n", "\n"), flags=re.MULTILINE)
    if found[::2].count("Record") > 1:
        raise Refused("The issue holds two records: open an issue for each.")
    if found[::2] != FIELDS:
        raise Refused("The issue must have the headings Name, Credit and Record, each once and in this order: "
                      "open a new one from the page Your machine, here.")
    name, credit, record = ("" if text.strip() == "_No response_" else text.strip() for text in found[1::2])
    submission = Submission(folder_name(name), checked_credit(credit))
    if "://" in record:
        return Submission(submission.name, submission.credit, address=attached(record, server))
    if not record:
        raise Refused(f"The field Record is empty: {AGAIN}, or attach the file there that make publish names.")
    return Submission(submission.name, submission.credit, packed="".join(record.split()))


def folder_name(name: str) -> str:
    """The folder for a machine called `name`, such as my-phone for "My phone"."""
    folder = re.sub(r"[ _]+", "-", name.lower())
    if folder and (not FOLDER.fullmatch(folder) or len(folder) > LONGEST_NAME or RESERVED.fullmatch(folder)):
        raise Refused("The name must consist of letters from a to z, digits and single hyphens, such as my-phone, and have at "
                      f"most {LONGEST_NAME} of them: edit the field Name.")
    return folder


def checked_credit(credit: str) -> str:
    """The credit, if each of its characters can be seen and none has a meaning in HTML or in a shell."""
    credit = unicodedata.normalize("NFC", credit)
    kinds = [unicodedata.category(character)[0] for character in credit]
    honest = all((kind in "LMN" and character not in INVISIBLE) or character in PUNCTUATION
                 for kind, character in zip(kinds, credit))
    if not honest or len(credit) > LONGEST_CREDIT or "M" * (MOST_MARKS + 1) in "".join(kinds):
        raise Refused(f"The credit must be a name of at most {LONGEST_CREDIT} letters, digits, spaces and .,'()-_@&+ on one "
                      "line: edit the field Credit.")
    return credit


def attached(record: str, server: str) -> str:
    """The address of the one file that is attached. Only GitHub's own attachments are ever fetched."""
    if len(re.findall("://", record)) > 1:
        raise Refused("The field Record names more than one file: attach one zip file with all records of the machine.")
    file = rf"{re.escape(server)}/user-attachments/files/[0-9]{{1,12}}/[\w.-]{{1,100}}\.(zip|json)"
    found = re.fullmatch(rf"\[[\w .()-]+\]\(({file})\)", record, re.ASCII)
    if not found:
        raise Refused("The field Record must hold a zip or JSON file attached to this issue, and nothing else: drag the file "
                      "into the field.")
    return found[1]
