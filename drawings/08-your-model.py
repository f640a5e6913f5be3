"""Draws 08-procedure: the same three operations sorted by their time, and by what they lose."""

from sketch import Sketch, write_all

# An operation, its measured time, and its predicted time, in units of the drawing. They are examples, not measurements.
OPERATIONS = (("product", 200, 185), ("pooling", 120, 12), ("activation", 60, 30))


def procedure():
    """Two lists of bars. The part of a bar beyond the prediction's mark is the loss."""
    sketch = Sketch("08-procedure", 236, "Three operations, sorted by time and by loss",
                    """On the left, sorted by time, a product comes before a pooling and an activation. A mark on each bar shows
                    the predicted time. On the right, sorted by the part beyond the mark, the pooling comes first and the
                    product last.""")
    lists = (("sorted by time", 0, OPERATIONS),
             ("sorted by loss", 280, sorted(OPERATIONS, key=lambda each: each[2] - each[1])))
    for title, left, operations in lists:
        sketch.text(left, 18, title, "bold")
        for at, (name, measured, predicted) in enumerate(operations):
            bar(sketch, left, 42 + 52 * at, name, measured, predicted)
    sketch.rect(0, 204, 22, 12, "s-blue t-blue")
    sketch.text(28, 216, "predicted")
    sketch.rect(120, 204, 22, 12, "s-orange t-orange")
    sketch.text(148, 216, "lost")
    return sketch


def bar(sketch, x, y, name, measured, predicted):
    sketch.text(x, y + 12, name)
    sketch.rect(x, y + 18, predicted, 18, "s-blue t-blue")
    sketch.rect(x + predicted, y + 18, measured - predicted, 18, "s-orange t-orange")


write_all(procedure())
