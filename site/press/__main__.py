"""python -m press [--unshown] [ROOT]: checks a book without building it, as checks.py describes."""

import sys
from pathlib import Path

from .checks import main

folders = [each for each in sys.argv[1:] if each != "--unshown"]
sys.exit(main(Path(folders[0] if folders else ".").resolve(), "--unshown" in sys.argv))
