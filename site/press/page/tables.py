"""Tables made from data."""

from docutils import nodes


def scrolling_table(heads: list[str | nodes.Node], rows: list[list[str | nodes.Node]]) -> nodes.table:
    """A table of words and inline nodes with one heading row."""
    table = nodes.table("", classes=["hf-table"])
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in heads), cols=len(heads))
    group += nodes.thead("", _row(heads))
    group += nodes.tbody("", *(_row(row) for row in rows))
    table += group
    return table


def _row(cells: list[str | nodes.Node]) -> nodes.row:
    inline = (nodes.Text(cell) if isinstance(cell, str) else cell for cell in cells)
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in inline))


def fields(rows: list[tuple[str, *tuple[nodes.Element | list[nodes.Node], ...]]]) -> nodes.field_list:
    """Terms and their descriptions, each of one or more lines, one below the other; a description that is not a list is used as
    one block."""
    block = lambda line: nodes.paragraph("", "", *line) if isinstance(line, list) else line
    return nodes.field_list("", *(
        nodes.field("", nodes.field_name("", name), nodes.field_body("", *map(block, lines))) for name, *lines in rows))
