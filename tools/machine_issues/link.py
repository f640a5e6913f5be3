"""A record in a link: compressed by zlib, whose checksum tells if a part is missing, then written as base64url without padding.
site/book/static/measure-record.js packs in the same way."""

import base64
import binascii
import json
import re
import subprocess
import zlib
from pathlib import Path
from urllib.parse import quote, urlencode

from . import Refused

LONGEST = 8000  # letters of a link; GitHub answers longer ones with an error
MOST = 1 << 16  # bytes of a packed record: a browser's has 6 kB
TITLE = "Machine: "  # how the title of such an issue begins; .github/workflows/machine.yml looks for it
FORM = "machine.yml"  # .github/ISSUE_TEMPLATE/machine.yml, whose fields are "name", "credit" and "record"
AGAIN = "open the link on the page Your machine, here again, and leave the field Record as it is"


def packed(record: dict) -> str:
    """The text of a record for a link."""
    text = json.dumps(record, separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def unpacked(text: str) -> bytes:
    """What was packed; Refused if it is damaged, or if it would be larger than any record, however small it is packed."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+", text):
        raise Refused(f"The field Record doesn't hold a packed record, which has only letters, digits, - and _: {AGAIN}.")
    inflating = zlib.decompressobj()
    try:
        found = inflating.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), MOST + 1)
    except (binascii.Error, zlib.error):
        raise Refused(f"A part of the packed record is missing or was changed: {AGAIN}.") from None
    if len(found) > MOST:
        raise Refused(f"The packed record unpacks to more than {MOST >> 10} KiB, which no record of a browser does: {AGAIN}.")
    if not inflating.eof or inflating.unused_data:
        raise Refused(f"A part of the packed record is missing or was changed: {AGAIN}.")
    return found


def issue_link(source: str, name: str, record: str = "") -> str:
    """The address that opens the form of an issue in the project at `source`, filled in."""
    fields = {"template": FORM, "title": TITLE + name, "name": name, "record": record}
    return f"{source}/issues/new?{urlencode(fields, quote_via=quote)}"


def project_address(root: Path, chosen: str) -> str:
    """The project's address on GitHub: `chosen` if that is one, else that of the clone's origin; "" if neither is."""
    asked = ["git", "-C", str(root), "config", "--get", "remote.origin.url"]
    cloned = "" if chosen else subprocess.run(asked, capture_output=True, encoding="utf-8").stdout.strip()
    server = r"(?:https://github\.com/|(?:ssh://)?git@github\.com[:/])"
    found = re.fullmatch(server + r"([\w.-]+/[\w.-]+?)(?:\.git)?/?", chosen or cloned)
    return f"https://github.com/{found[1]}" if found else ""
