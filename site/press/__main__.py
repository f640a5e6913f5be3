"""python -m press [ROOT]: checks a book without building it, as checks/rules.py describes."""

import sys
from pathlib import Path

from .checks.rules import main

sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
