"""How a reader's machine gets into the book: a record in a link or a file, an issue on GitHub, a pull request.

link.py      packs a record into a link that opens the issue, and unpacks it
issue.py     reads the issue: a name, a credit and a record, or the address of an attached file
records.py   checks the records, and puts them where the book has them
picture.py   draws the machine's roof among those of the others
github.py    talks to GitHub
answer.py    opens the pull request, and answers on the issue

tools/add-machine calls them. What is in an issue was written by a stranger: it is only ever data, and nothing of it gets into
an answer but what a rule here lets through.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "site/press"))  # how the book reads JSON


class Refused(Exception):
    """One sentence for the reader who sent the record: what is wrong, and the remedy."""
