"""Machines that readers borrow: the Colab notebook and the development container."""

import json
import os
import re
import urllib.request

import pytest


def test_the_notebook_has_two_cells_of_code_and_was_saved_without_results(root):
    notebook = json.loads((root / "colab.ipynb").read_text())
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(code) == 2 and not any(cell["outputs"] or cell["execution_count"] for cell in code)
    assert "./primer site BUDGET=quick" in "".join(code[0]["source"])


def test_the_container_measures_and_then_shows_the_page_that_measures_a_browser(root):
    text = (root / ".devcontainer/devcontainer.json").read_text()
    container = json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.M))
    assert container["postCreateCommand"] == "./primer site BUDGET=quick"
    page = re.fullmatch(r"make serve PAGE=(\w+)\.html", container["postAttachCommand"])[1]
    assert "{measure-here}" in (root / f"chapters/{page}.md").read_text()
    port = int(re.search(r"^PORT \?= (\d+)$", (root / "Makefile").read_text(), re.M)[1])
    assert container["forwardPorts"] == [port] and container["portsAttributes"][str(port)]["onAutoForward"] == "openPreview"


@pytest.mark.slow
def test_the_notebook_gets_the_project_and_shows_the_book(root, tmp_path, monkeypatch):
    """It runs as in Colab, as a notebook, from a clone; but the book is that of the published records, since other tests measure."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    for name, value in {"HARDWARE_FIRST_SOURCE": root.as_uri(), "MEASURE": "no", "GIT_CONFIG_COUNT": "1",
                        "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}.items():  # fmt: skip
        monkeypatch.setitem(os.environ, name, value)
    notebook = nbformat.read(root / "colab.ipynb", as_version=4)
    nbformat.validate(notebook)
    stop = nbformat.v4.new_code_cell("server.terminate()")
    notebook.cells.append(stop)
    client = nbclient.NotebookClient(notebook, timeout=3600, resources={"metadata": {"path": str(tmp_path)}})
    with client.setup_kernel():
        for place, cell in enumerate(notebook.cells[:-1]):
            client.execute_cell(cell, place)
        said = "".join(output.get("text", "") for output in notebook.cells[1]["outputs"])
        assert f"The book: {tmp_path}/hardware-first/build/site/index.html" in said
        shown = notebook.cells[2]["outputs"][0]["data"]["text/html"]
        with urllib.request.urlopen(re.search(r'src="(http[^"]+index\.html)"', shown)[1]) as page:
            assert "<title>Hardware First</title>" in page.read().decode()
        client.execute_cell(stop, len(notebook.cells) - 1)
