"""What CONTRIBUTING.md lists is what there is."""

import json


def test_every_unit_of_a_record_is_listed(root):
    units = json.loads((root / "labs/record/schema.json").read_text())["definitions"]["unit"]["enum"]
    section = (root / "CONTRIBUTING.md").read_text().split("### Names and units")[1].split("\n#")[0]
    words = set(section.replace(",", " ").replace("|", " ").split())
    assert set(units) - words == set()
