"""{price-a-model}: the calculator that prices a language model from its config.json.

    ```{price-a-model}
    :name: fig-live-price
    The takeaway, one paragraph.

    What a reader without JavaScript sees above the table of the models: words, perhaps with {measured} numbers.
    ```

models.json has ten models, each with its source. The measured machines' numbers come from their records of labs 01, 03 and 06,
the quoted ones from the planner's table.
"""

from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from press.domain import press
from press.measurements.measured import citation
from press.measurements.record import Machine, Record
from press.measurements.record_files import read_data
from press.measurements.records import Records
from press.page.tables import scrolling_table
from sphinx.application import Sphinx

from .widgets import Calculator, called, planner_tables

MODELS = Path(__file__).with_name("models.json")
ROOFLINE, GPU, PRECISION = "01-roofline", "03-gpu", "06-precision"
FIRST = "llama-3.1-8b"  # the model shown first
WROTE = {"16": "bf16", "8.5": "Q8_0", "4.5": "Q4_0"}  # {bits of a weight, with scales: chapter 06's format}
CONTEXT = 100  # tokens before the one that lab 06 times; newer records say so
QUOTED = ("mlengineering", "scalingbook", "googletpu")  # the sources of the planner's chips
# (formula, title of its section, where that is)
SECTIONS = (
    ("bytes of a token = weights that it goes through + its text’s KV cache; tokens per second ≤ bandwidth ÷ bytes",
     "one division", "00-workload.html#one-division-predicts-the-speed-of-writing"),
    ("cache of a token = 2 × layers × key heads × head size", "keys and values are kept",
     "00-workload.html#keys-and-values-are-kept"),
    ("FLOPs of a token = 2 × weights that it goes through + attention’s", "nearly all FLOPs are matrix products",
     "00-workload.html#nearly-all-flops-are-matrix-products"),
    ("a batch waits for the longer of delivery and arithmetic", "the roof", "01-roofline.html#the-roof"),
    ("batch at the ridge = weights ÷ (arrivals − cache)", "one delivery serves many users",
     "00-workload.html#one-delivery-serves-many-users"),
    ("users that fit = (memory − weights) ÷ cache", "what users cannot share", "05-scaling.html#what-users-cannot-share"),
    ("bits of a weight = its own + its share of a scale", "a ruler for each drawer",
     "06-precision.html#a-ruler-for-each-drawer"),
)


class PriceAModel(Calculator):
    widget, source = "price", "site/book/static/formulas-price.js"

    def data(self) -> dict:
        domain = press(self.env)
        domain.note_all_labs()
        domain.note_file(MODELS)
        machines = [*measured_machines(domain.records), *quoted_machines()]
        return {"first": FIRST, "models": models(), "machines": machines}

    def rows(self, data: dict) -> int:
        return sum(1 + 2 * ("wrote" in machine) for machine in data["machines"])

    def without_script(self) -> list[nodes.Node]:
        return [scrolling_table(["model", "weights", "of which a token needs", "source"], [
            [model["called"], billions(model["weights"]), billions(model.get("active", model["weights"])),
             nodes.reference("", model["source"], refuri=f"https://{model['source']}")] for model in models()])]

    def sources(self) -> list[nodes.Node]:
        formulas = nodes.bullet_list(classes=["hf-formulas"])
        quoted = nodes.paragraph("", "Quoted numbers:", classes=["hf-formulas"])
        for formula, title, place in SECTIONS:
            formulas += nodes.list_item("", nodes.paragraph("", "", nodes.Text(f"{formula}: "),
                                                            nodes.reference("", title, refuri=place)))
        for key in QUOTED:
            quoted += citation(self.env, {"source": key}, self.lineno, self.state.inliner)
        return [formulas, quoted]


def models() -> list[dict]:
    return read_data(MODELS, MODELS.parents[2])["models"]


def billions(count: float) -> str:
    """As the source rounds it: "7.61 billion", "124 million"."""
    return f"{count:g} billion" if count >= 1 else f"{1e3 * count:g} million"


def own_record(records: Records, lab: str, machine: Machine) -> Record | None:
    """The machine's own record of a lab, if it has one."""
    valid = records.all(lab)[0] if lab in records.labs() else []
    return next((record for record in valid if record.slug == machine.slug), None)


def measured_machines(records: Records) -> Iterator[dict]:
    """The processors and GPUs that this project has measured, per second and in bytes."""
    measured = {record.slug for lab in (ROOFLINE, GPU) if lab in records.labs() for record in records.all(lab)[0]}
    for machine in records.few([machine for machine in records.machines() if machine.slug in measured]):
        roofs, gpu = own_record(records, ROOFLINE, machine), own_record(records, GPU, machine)
        if roofs:
            yield {"kind": "measured", "name": machine.short, "capacity": roofs.data["machine"]["memory_bytes"],
                   **roofs_of(roofs, 1e9, "peak_fp32_all_gflops", "bandwidth_dram_all_gbs"),
                   **written(own_record(records, PRECISION, machine))}
        if gpu and gpu.value("dot_gbs") and (devices := gpu.data["machine"].get("gpus")):
            yield {"kind": "measured", "name": devices[0]["name"], "capacity": devices[0]["memory_bytes"],
                   **roofs_of(gpu, 1e12, "bf16_best_tflops_8192", "dot_gbs")}


def roofs_of(record: Record, scale: float, peak: str, bandwidth: str) -> dict:
    """Operations and bytes read per second; None for one that the record lacks."""
    found = lambda name, unit: value["value"] * unit if (value := record.value(name)) else None
    return {"peak": found(peak, scale), "bandwidth": found(bandwidth, 1e9)}


def written(record: Record | None) -> dict:
    """The tokens per second that chapter 06's model wrote, and that its lab predicted."""
    tokens = of_formats(record, "decode_tokens") if record else {}
    if not tokens:
        return {}
    context = record.value("decode_context")
    return {"wrote": {"context": context["value"] if context else CONTEXT, "tokens": tokens,
                      "predicted": of_formats(record, "decode_tokens_predicted")}}


def of_formats(record: Record, name: str) -> dict[str, float]:
    """A series of formats, by the bits of a weight."""
    points = {point.get("label"): point["median"] for point in (record.series(name) or {"points": []})["points"]}
    return {bits: points[label] for bits, label in WROTE.items() if label in points}


def quoted_machines() -> Iterator[dict]:
    for chip in planner_tables()["chips"]:
        yield {"kind": "quoted", "name": called(chip["name"]), "peak": chip["peak"], "bandwidth": chip["bandwidth"],
               "capacity": chip["capacity"]}


def add_to(app: Sphinx) -> None:
    app.add_directive("price-a-model", PriceAModel)
