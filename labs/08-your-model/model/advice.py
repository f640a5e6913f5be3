"""What the book would try for a row, and the section that says why."""

from dataclasses import dataclass

from .names import kind_of

NEAR = 1.5  # a row that takes at most so many times its prediction is as fast as its roof lets it be
FEW_ROWS = 32


@dataclass(frozen=True)
class Advice:
    text: str
    chapter: str
    section: str

    def __str__(self):
        return f"{self.text} ({self.chapter}, {self.section})"


COMPILE = Advice("fewer calls: batch or compile", "07", "When compiling pays")
KEEP = Advice("write into memory that you have: in place, or fuse", "07", "One trip through the door")
BATCH = Advice("batch: more rows for the same weights", "00", "One delivery serves many users")
NARROW = Advice("fewer bytes: narrower weights", "06", "Bytes become tokens")
LIBRARY = Advice("another library, or another number of rows", "02", "A race against the libraries")
AT_ROOF = Advice("at its roof: ask for fewer FLOPs", "01", "Move right, or buy bandwidth")
CHANNELS = Advice("another layout: channels_last", "02", "Going down a column")
FUSE = Advice("fuse with its neighbours", "07", "One trip through the door")
FORMULA = Advice("another formula or kernel for the function", "07", "The roof that was missing")
FLASH = Advice("attention in one operation, more tokens a call", "07", "An idea that took a person")
STAY = Advice("leave the copy out: keep the layout", "01", "What a stride costs")


def advice_for(row):
    """What to try for a row that was timed, or that is only predicted."""
    kind, far = kind_of(row.operation), bool(row.samples) and row.miss > NEAR
    if row.is_view or row.waits == "call":
        return COMPILE
    if kind in ("convolution", "pool"):
        return CHANNELS if far else AT_ROOF if row.waits == "arithmetic" else FUSE
    if row.waits == "new memory":
        return KEEP
    if kind == "attention":
        return FLASH
    if kind == "product":
        return product(row, far)
    if kind == "move":
        return STAY
    if row.waits == "function":
        return FORMULA if far else FUSE
    return FUSE


def product(row, far):
    if row.waits == "arithmetic":
        return LIBRARY if far else AT_ROOF
    if far:
        return LIBRARY
    return BATCH if row.flops < 2 * FEW_ROWS * row.bytes / 4 else NARROW
