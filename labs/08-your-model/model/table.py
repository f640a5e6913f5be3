"""The result in a terminal: the rows, worst loss first, and what all of them are together."""

from statistics import median, quantiles

from .advice import NEAR, advice_for
from .refusal import Refusal


def console():
    try:
        from rich.console import Console
    except ImportError:
        raise Refusal("python3 cannot import rich; install it with: python3 -m pip install rich, or choose --json") from None
    found = Console(highlight=False)
    return found if found.is_terminal else Console(highlight=False, width=160)


def show(result, limit):
    from_here = console()
    from_here.print(rows_as_table(result["rows"][:limit], "whole" in result))
    left = len(result["rows"]) - limit
    if left > 0:
        from_here.print(f"{left} more rows: --rows {len(result['rows'])} shows them")
    for line in summary(result):
        from_here.print(line)
    for each in result["batches"]:
        from_here.print(batch(each))
    if result["batches"]:
        from_here.print(turning_point(result["batches"]))


def rows_as_table(rows, timed):
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("module, line", ratio=3, overflow="fold")
    table.add_column("operation", ratio=2, overflow="fold")
    table.add_column("shapes", ratio=3, overflow="fold")
    for name in ("calls", "predicted") + (("measured", "miss") if timed else ()):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("waits for", no_wrap=True)
    table.add_column("try", ratio=4)
    for row in rows:
        numbers = [str(row.calls), in_seconds(row.predicted)]
        if timed:
            numbers += [in_seconds(row.seconds), f"{row.miss:.1f}×"]
        where = f"{row.module or '(the model)'} {row.line}".strip()
        table.add_row(where, row.operation, row.shapes, *numbers, row.waits, str(advice_for(row)))
    return table


def summary(result):
    threads = f", {counted(result['threads'], 'thread')}" if result["threads"] else ""
    yield f"{result['file']} on {result['machine']}{threads}; its weights take {in_bytes(result['weights'])}"
    if result["differs"]:
        yield "the shapes differ from run to run; the rows show those of the last run that was counted"
    if result["changes_inputs"]:
        yield "the model writes to its inputs, so they are put back before each run"
    if "whole" in result:
        yield from measured(result)
    else:
        yield f"predicted: {in_seconds(result['predicted'])}"
    if "compiled" in result:
        yield f"compiled: {spread(result['compiled'])}, {median(result['whole']) / median(result['compiled']):.2f}× as fast"
    yield f"a call costs {in_seconds(result['prices'].call)}, a page of new memory {in_seconds(result['prices'].page)}"


def measured(result):
    whole, watched, parts = median(result["whole"]), median(result["watched"]), sum(row.seconds for row in result["rows"])
    near = sum(row.seconds for row in result["rows"] if 1 / NEAR <= row.miss <= NEAR)
    predicted = result["predicted"]
    yield f"measured: {spread(result['whole'])}, {whole / predicted:.1f}× the predicted {in_seconds(predicted)}"
    yield f"its operations: {in_seconds(parts)}, {parts / whole:.0%} of the whole; with the clock: {in_seconds(watched)}"
    yield f"{near / parts:.0%} of their time is in rows within {NEAR}× of their prediction"
    if result["dropped"]:
        yield f"{counted(result['dropped'], 'round')} called other operations and was left out"


def batch(told):
    """One line about a batch: its time, that of one item, and what most of it waits for."""
    most = max(told["waits"], key=told["waits"].get)
    whole = median(told["samples"]) if told["samples"] else told["predicted"]
    measured = f"{spread(told['samples'])}, predicted " if told["samples"] else "predicted "
    share = f"{told['waits'][most] / told['predicted']:.0%}"
    times = f"{measured}{in_seconds(told['predicted'])}, each {in_seconds(whole / told['batch'])}"
    return f"batch {told['batch']}: {times}; {share} waits for {most}"


def turning_point(batches):
    """Where the arithmetic outweighs the delivery of weights and all else."""
    computing = [each["batch"] for each in batches if max(each["waits"], key=each["waits"].get) in ("arithmetic", "function")]
    if not computing:
        return "no batch here waits for arithmetic more than for anything else"
    return f"from batch {min(computing)} on, the model waits for arithmetic more than for anything else"


def counted(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def spread(samples):
    """The median, and the middle half of the samples."""
    if len(samples) < 4:
        return in_seconds(median(samples))
    low, _, high = quantiles(samples, n=4)
    return f"{in_seconds(median(samples))} ({in_seconds(low)} to {in_seconds(high)})"


def in_seconds(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds < 1000 * size else f"{seconds / size:.0f} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def in_bytes(size):
    for unit, one in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= one:
            return f"{size / one:.3g} {unit}"
    return f"{size} B"
