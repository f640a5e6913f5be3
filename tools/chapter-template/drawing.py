"""Draws @N@-waiting: a four-step adder with one chain, and with four."""

from sketch import Sketch, write_all

STEPS, SLOTS, SIDE = 4, 16, 26  # steps of the adder; slots drawn; units per slot


def waiting():
    """The slots that one chain fills, and those that four fill. Text is at least 16 units high, so that a phone shows it at 9
    pixels."""
    sketch = Sketch("@N@-waiting", 126, "An adder of four steps: one chain fills one slot in four",
                    "Sixteen slots of time in two rows. With one chain every fourth is filled, with four chains every one.")
    for y, chains, words in ((24, 1, "one chain"), (90, 4, "four chains")):
        sketch.text(0, y - 8, words)
        for slot in range(SLOTS):
            works = slot % STEPS < chains
            sketch.rect(slot * SIDE, y, SIDE - 3, SIDE - 3, "s-blue t-blue" if works else "s-grid f-paper", rx=2)
    sketch.text(SLOTS * SIDE + 8, 40, "time")
    sketch.arrow(SLOTS * SIDE + 48, 35, SLOTS * SIDE + 96, 35, "quiet")
    return sketch


write_all(waiting())
