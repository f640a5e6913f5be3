"""Tables made from data."""

import html

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


def written_table(heads: list[str], rows: list[list[str]], numbers: range, *classes: str) -> nodes.raw:
    """The same, already written, for pages with a table for each of hundreds of machines, whose trees fill the memory. Heads
    and cells are HTML, and the columns `numbers` have numbers."""
    def line(tag: str, cells: list[str], place: int) -> str:
        kind = {"th": "head "}.get(tag, "")
        right = lambda column: f"{kind}{'text-right' * (column in numbers)}".strip()
        written = (f'<{tag} class="{right(column)}"><p>{cell}</p></{tag}>'.replace(' class=""', "")
                   for column, cell in enumerate(cells))
        return f'<tr class="row-{"even" if place % 2 else "odd"}">{"".join(written)}</tr>\n'

    names = html.escape(" ".join(["hf-table", *classes, "docutils", "align-default"]))
    body = "".join(line("td", cells, place) for place, cells in enumerate(rows, 1))
    return nodes.raw("", f'<div class="hf-scroll"><table class="{names}">\n<thead>\n{line("th", heads, 0)}</thead>\n'
                         f"<tbody>\n{body}</tbody>\n</table></div>\n", format="html")


def fields(rows: list[tuple[str, *tuple[nodes.Element | list[nodes.Node], ...]]]) -> nodes.field_list:
    """Terms and their descriptions, each of one or more lines, one below the other; a description that is not a list is used as
    one block."""
    block = lambda line: nodes.paragraph("", "", *line) if isinstance(line, list) else line
    return nodes.field_list("", *(
        nodes.field("", nodes.field_name("", name), nodes.field_body("", *map(block, lines))) for name, *lines in rows))
