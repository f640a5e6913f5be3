"""The calculator that prices a language model: its counts against published sizes, counts by hand and the labs' records, and
its page in a browser."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from book import model_price
from conftest import Site, drop_value
from playwright.sync_api import Browser, Locator, Page, expect
from whole import PROJECT, Visit

STATIC = PROJECT / "site" / "book" / "static"
RECORDS = PROJECT / "figures" / "records"
MODELS = {model["name"]: model for model in json.loads(model_price.MODELS.read_text(encoding="utf-8"))["models"]}
WITH_TABLE = {"mixtral-8x7b", "qwen3-30b-a3b"}  # their makers count the table of the input among the active weights
LLAMA = {"model_type": "llama", "hidden_size": 8, "intermediate_size": 20, "num_hidden_layers": 3, "num_attention_heads": 4,
         "num_key_value_heads": 2, "vocab_size": 100}

# Keys of the ten models' files, as they are published, that change no size.
HARMLESS = """architectures attn_logit_softcapping auto_map aux_loss_alpha bos_token_id cache_implementation embd_pdrop ep_size
    hidden_act initial_context_length initializer_range max_position_embeddings n_group norm_topk_prob pretraining_tp
    quantization_config query_pre_attn_scalar reorder_and_upcast_attn resid_pdrop rms_norm_eps rope_scaling rope_theta
    routed_scaling_factor router_aux_loss_coef scale_attn_weights scoring_func seq_aux summary_type swiglu_limit
    task_specific_params topk_group topk_method transformers_version use_cache use_mrope"""


@pytest.fixture(scope="module")
def formulas(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    page.add_script_tag(path=STATIC / "formulas-price.js")
    yield page
    page.close()


def asked(page: Page, config: dict, what: str, more: object = None) -> object:
    """The value of an expression with `p`, the formulas; `s`, the shape of a config; and `more`."""
    return page.evaluate("""([text, what, more]) => { const p = press.price, {shape: s, left, guessed} = p.understand(text);
        return Function("p", "s", "left", "guessed", "more", `return ${what}`)(p, s, left, guessed, more); }""",
                         [json.dumps(config), what, more])


def problem(page: Page, text: str) -> str:
    return page.evaluate("""text => {
        try { press.price.understand(text); return ""; } catch (error) { return error.message; } }""", text)


def record(machine: str, lab: str) -> tuple[dict, dict]:
    """A published record's values, and its series as {id: {label: median}}."""
    found = json.loads((RECORDS / machine / f"{lab}.json").read_text(encoding="utf-8"))
    return ({value["id"]: value.get("value") for value in found["values"]},
            {series["id"]: {point.get("label"): point["median"] for point in series["points"]} for series in found["series"]})


HAVING = sorted(path.parent.name for path in RECORDS.glob("*/06-precision.json"))


def test_there_are_ten_models_each_with_its_source():
    assert len(MODELS) == 10
    assert all(re.fullmatch(r"(huggingface\.co|arxiv\.org|mistral\.ai)/\S+", model["source"]) for model in MODELS.values())


@pytest.mark.parametrize("name", MODELS)
def test_a_model_has_as_many_weights_as_its_makers_say(formulas, name):
    model = MODELS[name]
    assert asked(formulas, model["config"], "p.numbers(p.weights(s)) / 1e9") == pytest.approx(model["weights"], rel=.01)
    assert asked(formulas, model["config"], "[left, guessed]") == [[], ""]


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if "active" in model])
def test_a_token_goes_through_as_many_weights_as_its_makers_say(formulas, name):
    config = MODELS[name]["config"]
    table = config["vocab_size"] * config["hidden_size"] * (name in WITH_TABLE)
    active = (asked(formulas, config, "p.numbers(p.active(s))") + table) / 1e9
    assert active == pytest.approx(MODELS[name]["active"], rel=.02)  # two digits are published


def test_small_models_are_counted_by_hand(formulas):
    attention, ffn, table = 8 * 8 + 2 * 8 * 4 + 8 * 8, 3 * 8 * 20, 100 * 8  # heads of 2, two of which have keys
    count = "p.weights(s)"
    plain = {"matrices": 3 * (attention + ffn) + 2 * table, "vectors": 3 * 2 * 8 + 8}
    assert asked(formulas, LLAMA, count) == plain
    assert asked(formulas, {**LLAMA, "tie_word_embeddings": True}, count) == {**plain, "matrices": plain["matrices"] - table}
    biased = {**LLAMA, "attention_bias": True, "mlp_bias": True}
    assert asked(formulas, biased, count) == {**plain, "vectors": plain["vectors"] + 3 * (8 + 4 + 4 + 8 + 20 + 20 + 8)}
    queries = {**LLAMA, "model_type": "qwen2"}
    assert asked(formulas, queries, count) == {**plain, "vectors": plain["vectors"] + 3 * (8 + 4 + 4)}
    wide = {**LLAMA, "head_dim": 16}  # heads wider than the model
    assert asked(formulas, wide, count)["matrices"] == 3 * (8 * 64 + 2 * 8 * 32 + 64 * 8 + ffn) + 2 * table
    gpt2 = {"model_type": "gpt2", "n_embd": 8, "n_layer": 3, "n_head": 2, "n_positions": 10, "vocab_size": 100}
    assert asked(formulas, gpt2, count) == {"matrices": 3 * (8 * 24 + 8 * 8 + 2 * 8 * 32) + table + 10 * 8,
                                            "vectors": 3 * (24 + 8 + 32 + 8 + 4 * 8) + 2 * 8}


def test_experts_are_counted_by_hand(formulas):
    attention, each, table = 8 * 8 + 2 * 8 * 4 + 8 * 8, 3 * 8 * 5, 100 * 8
    config = {**LLAMA, "model_type": "deepseek_v3", "moe_intermediate_size": 5, "n_routed_experts": 6, "n_shared_experts": 2,
              "num_experts_per_tok": 3, "first_k_dense_replace": 1}
    router = 8 * 6
    assert asked(formulas, config, "p.weights(s).matrices") == (
        3 * attention + 3 * 8 * 20 + 2 * (router + (2 + 6) * each) + 2 * table)
    assert asked(formulas, config, "p.active(s).matrices") == (
        3 * attention + 3 * 8 * 20 + 2 * (router + (2 + 3) * each) + table + 8)
    two = 6 * (1 - (1 - 3 / 6) ** 2)  # the experts that two tokens need, if each chooses evenly
    assert asked(formulas, config, "p.parts(s, 2).ffn.matrices") == 3 * 8 * 20 + 2 * (router + (2 + two) * each)
    every_second = {**LLAMA, "model_type": "qwen3_moe", "num_experts": 6, "num_experts_per_tok": 3, "decoder_sparse_step": 2,
                    "mlp_only_layers": [0]}
    assert asked(formulas, every_second, "[s.sparseLayers, s.layers]") == [1, 3]


def test_latent_attention_is_counted_by_hand(formulas):
    config = {**LLAMA, "model_type": "deepseek_v3", "q_lora_rank": 6, "kv_lora_rank": 5, "qk_rope_head_dim": 2,
              "qk_nope_head_dim": 3, "v_head_dim": 4}
    query, keys, output = 8 * 6 + 6 * 4 * (3 + 2), 8 * (5 + 2) + 5 * 4 * (3 + 4), 4 * 4 * 8
    assert asked(formulas, config, "s.attention.matrices") == query + keys + output
    assert asked(formulas, config, "[p.cachePerToken(s), p.cache(s, 10)]") == [3 * (5 + 2) * 2, 10 * 3 * (5 + 2) * 2]
    without = {**config, "q_lora_rank": None}
    assert asked(formulas, without, "s.attention.matrices") == 8 * 4 * (3 + 2) + keys + output


@pytest.mark.parametrize(("name", "context", "cached"), [
    ("gpt2", 1, 2 * 12 * 12 * 64 * 2), ("llama-3.1-8b", 1, 2 * 32 * 8 * 128 * 2), ("deepseek-v3", 1, 61 * (512 + 64) * 2),
    ("llama-3.1-70b", 4096, 4096 * 2 * 80 * 8 * 128 * 2), ("mistral-7b", 32768, 4096 * 2 * 32 * 8 * 128 * 2),
    ("gemma-2-9b", 8192, (8192 + 4096) * 2 * 21 * 8 * 256 * 2), ("gpt-oss-20b", 1000, (1000 + 128) * 2 * 12 * 8 * 64 * 2),
    ("qwen2.5-7b", 100, 100 * 2 * 28 * 4 * 128 * 2),
])
def test_a_cache_has_the_bytes_of_a_pencil(formulas, name, context, cached):
    assert asked(formulas, MODELS[name]["config"], "p.cache(s, more)", context) == cached


@pytest.mark.parametrize("name", ["llama3-8b", "llama3-70b"])
def test_the_planner_counts_the_same_layers(formulas, name):
    shape = next(model for model in json.loads((PROJECT / "labs/05-scaling/data/planner.json").read_text())["models"]
                 if model["name"] == name)
    width, head = shape["hidden"], shape["headSize"]
    layer = width * head * (2 * shape["heads"] + 2 * shape["kvHeads"]) + 3 * width * shape["ffn"]
    mine = asked(formulas, MODELS[name.replace("llama3", "llama-3.1")]["config"], "s.attention.matrices + s.dense.matrices")
    assert mine == layer


@pytest.mark.parametrize("machine", HAVING)
def test_gpt2_reads_the_bytes_that_the_labs_count(formulas, machine):
    config = MODELS["gpt2"]["config"]
    workload, precision = record(machine, "00-workload")[0], record(machine, "06-precision")[0]
    read = lambda bits, context: asked(formulas, config, "p.bytes(p.active(s), more[0], 4) + p.cache(s, more[1], 4)",
                                       [bits, context])  # fmt: skip
    assert read(32, 100) == pytest.approx(precision["decode_fp32_bytes"], rel=2e-3)
    assert read(4.5, 100) == pytest.approx(precision["decode_q4_0_bytes"], rel=2e-3)
    assert read(32, 516) == pytest.approx(workload["decode_bytes_per_token"], rel=2e-3)
    assert asked(formulas, config, "p.cachePerToken(s, 4)") == workload["kv_cache_bytes_per_token"]
    assert asked(formulas, config, "p.flops(s, 516)") == pytest.approx(workload["flops_decode"], rel=.02)  # softmax left out


@pytest.mark.parametrize("machine", HAVING)
def test_gpt2_has_the_ridge_batch_of_chapter_00(formulas, machine):
    values, series = record(machine, "00-workload")
    if "batch_at_ridge_predicted" not in values or not values.get("bandwidth_during_batches_gbs"):
        pytest.skip("this record has no ridge batch")
    one = next(speed for label, speed in series["batch_flops"].items())  # tokens per second that the peak allows one user
    flops = asked(formulas, MODELS["gpt2"]["config"], "p.flops(s, 33)")
    chip = {"peak": one * flops, "bandwidth": values["bandwidth_during_batches_gbs"] * 1e9 / 2}  # of bytes for 16 bits, not 32
    turn = asked(formulas, MODELS["gpt2"]["config"], "p.turn(more, s, 16, 33)", chip)
    assert turn["by"] == "arithmetic"
    assert turn["batch"] == pytest.approx(values["batch_at_ridge_predicted"], rel=.02, abs=1)


@pytest.mark.parametrize("machine", HAVING)
def test_gpt2_is_predicted_as_chapter_06_predicts_and_times_it(formulas, machine):
    """With the bandwidth that lab 06's own prediction implies; the lab adds the time between products."""
    values, series = record(machine, "06-precision")
    predicted, between = series["decode_tokens_predicted"], values["decode_between_us"] * 1e-6
    for bits, name in model_price.WROTE.items():
        config, bits = MODELS["gpt2"]["config"], float(bits)
        read = asked(formulas, config, "p.delivery(s, more, 100)", bits)
        chip = {"peak": 1e15, "bandwidth": read / (1 / predicted[name] - between)}
        told = 1 / (1 / asked(formulas, config, "p.tokens(more[0], s, more[1], 100)", [chip, bits]) + between)
        assert told == pytest.approx(predicted[name], rel=1e-6)
        assert .6 < told / series["decode_tokens"][name] < 1.7


def test_what_machines_make_of_a_model_follows_by_division(formulas):
    chip = {"peak": 989e12, "bandwidth": 3.35e12, "capacity": 80 * 2**30}
    config, of = MODELS["llama-3.1-8b"]["config"], lambda what: asked(formulas, MODELS["llama-3.1-8b"]["config"], what, chip)
    rows = config["hidden_size"]
    matrices = 32 * (4096 * (2 * 4096 + 2 * 1024) + 3 * 4096 * 14336) + 128256 * 4096
    vectors, cache = 65 * 4096, 4096 * 131072
    assert of("p.bytes(p.weights(s), 16)") == 2 * (matrices + 128256 * 4096 + vectors)
    assert of("p.bytes(p.active(s), 4.5)") == (matrices + rows) * 4.5 / 8 + 2 * vectors
    assert of("p.flops(s, 4096)") == 2 * matrices + 4 * 4096 * 4096 * 32
    assert of("p.tokens(more, s, 16, 4096)") == pytest.approx(3.35e12 / (2 * (matrices + rows + vectors) + cache))
    assert of("p.users(more, s, 16, 4096)") == (80 * 2**30 - 2 * (matrices + 128256 * 4096 + vectors)) // cache
    arrivals = of("p.flops(s, 16)") / 989e12 * 3.35e12 - 16 * 131072
    turn = of("p.turn(more, s, 16, 16)")
    assert turn["by"] == "arithmetic"
    assert turn["batch"] == pytest.approx(2 * (matrices + vectors + rows) / arrivals, abs=1)
    assert of("p.turn(more, s, 16, 4096).by") == "caches"
    assert not asked(formulas, MODELS["llama-3.1-70b"]["config"], "p.fits(more, s, 16)", chip)
    assert asked(formulas, MODELS["llama-3.1-70b"]["config"], "p.users(more, s, 16, 4096)", chip) == 0


@pytest.mark.parametrize(("more", "named"), [
    ({"num_nextn_predict_layers": 1}, ["num_nextn_predict_layers"]), ({"cross_attention_layers": [3], "rope_theta": 1e4},
     ["cross_attention_layers"]), ({"torch_dtype": "bfloat16", "eos_token_id": [1, 2], "attention_dropout": 0}, []),
    (dict.fromkeys(HARMLESS.split(), 1), []),
])
def test_a_key_that_could_count_is_named_and_a_harmless_one_is_not(formulas, more, named):
    assert asked(formulas, {**LLAMA, **more}, "left") == named


def test_a_family_that_is_not_known_is_said_to_be_counted_as_a_llama(formulas):
    assert asked(formulas, {**LLAMA, "model_type": "novel"}, "guessed") == "novel"
    inside = {"model_type": "gemma3", "text_config": {**LLAMA, "model_type": "gemma3_text"}, "vision_config": {}}
    assert asked(formulas, inside, "[s.hidden, left, guessed]") == [8, ["vision_config"], ""]


@pytest.mark.parametrize(("text", "where"), [
    ("{", (1, 2)), ('{"a": 1,}', (1, 9)), ('{"a": 01}', (1, 8)), ("abc", (1, 1)), ('{"a":\n  nul}', (2, 3)),
    ('{"a" 1}', (1, 6)), ('{"a":1} x', (1, 9)), ('{"a":[1,2}', (1, 10)), ('{"a":"\\x"}', (1, 6)), ("{'a': 1}", (1, 2)),
])
def test_broken_json_is_told_with_its_place(formulas, text, where):
    assert problem(formulas, text).startswith("config.json, line {}, column {}: ".format(*where))


@pytest.mark.parametrize(("change", "words"), [
    ({"hidden_size": -8}, "hidden_size: expected a whole number from 1 to 1000000, not -8"),
    ({"num_hidden_layers": 1e6}, "num_hidden_layers: expected a whole number from 1 to 10000, not 1000000"),
    ({"num_hidden_layers": 0}, "not 0"), ({"vocab_size": "many"}, 'not "many"'), ({"hidden_size": 8.5}, "not 8.5"),
    ({"vocab_size": None}, "lacks vocab_size"), ({"num_key_value_heads": 3}, "num_key_value_heads: 3 don’t divide 4 heads"),
    ({"num_attention_heads": 3, "num_key_value_heads": 3}, "num_attention_heads: 3 heads don’t divide hidden_size, 8"),
    ({"num_local_experts": 2, "num_experts_per_tok": 3}, "num_experts_per_tok: 3 of 2 experts"),
    ({"kv_lora_rank": 5}, "lacks qk_rope_head_dim"),
])
def test_absurd_numbers_are_refused_in_one_line(formulas, change, words):
    said = problem(formulas, json.dumps({**LLAMA, **change}))
    assert words in said and "\n" not in said
    assert "expected an object" in problem(formulas, "[1]") and "Paste a model" in problem(formulas, " ")
    assert "a config.json is shorter" in problem(formulas, " " * 200_000 + "{}")


# ---- The page ----
PAGE = """# Page

```{price-a-model}
:name: fig-live-price
The takeaway.

Without scripts, these words.
```
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory, record_tool) -> Path:
    """A book of one page with the calculator, two measured machines and a measured GPU."""
    site = Site(tmp_path_factory.mktemp("price"), record_tool)
    (site.root / "site/book/static").mkdir(parents=True)
    (site.root / "site/book/static/formulas-price.js").touch()
    for lab in ("03-gpu", "06-precision"):
        site.lab(lab)
    for name in ("amd-epyc-zen-4-2-cores-vm/01-roofline", "amd-epyc-zen-4-2-cores-vm/06-precision",
                 "intel-xeon-2-cores-vm/01-roofline", "intel-xeon-nvidia-h100-vm/03-gpu"):
        copy = site.root / "figures/records" / f"{name}.json"
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text((RECORDS / f"{name}.json").read_text(encoding="utf-8"), encoding="utf-8")
    site.built(PAGE, html_theme="press", project="Book")
    return site.root / "build/out"


@pytest.fixture
def page(browser, made) -> Iterator[Page]:
    with Visit(browser, f"{made.as_uri()}/index.html#fig-live-price") as visit:
        visit.page.locator("[data-widget=price] form").wait_for()
        yield visit.page
        assert visit.errors == []


def outcome(page: Page) -> Locator:
    return page.locator("[data-widget=price] output")


def chooser(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Model")


def row(page: Page, name: str) -> list[str]:
    """A machine's nine numbers."""
    machine = page.locator(".hf-priced tr", has=page.get_by_role("rowheader", name=name, exact=True))
    return machine.locator("td").all_inner_texts()


def test_each_of_the_ten_can_be_chosen(page):
    for model in MODELS.values():
        chooser(page).select_option(model["called"])
        expect(outcome(page)).to_contain_text(model["called"])
        expect(outcome(page).get_by_role("link")).to_have_attribute("href", f"https://{model['source']}")
    expect(page).to_have_url(re.compile("price=model:deepseek-v3"))


def test_a_pasted_config_is_priced_and_what_is_not_counted_is_named(page):
    field = page.get_by_label("Its config.json")
    field.fill(json.dumps({**MODELS["mixtral-8x7b"]["config"], "num_local_experts": 4, "mystery_layers": 2}))
    expect(page.locator("[name=model]")).to_have_value("own")
    expect(outcome(page)).to_contain_text("This model has 24.2 billion weights")
    expect(outcome(page)).to_contain_text("Not counted: mystery_layers.")
    chooser(page).select_option("GPT-2 small")
    expect(field).to_have_value(re.compile('"n_embd": 768'))


def test_a_faulty_config_leaves_no_old_result(page):
    field, shown = page.get_by_label("Its config.json"), page.locator(".hf-priced")
    field.fill('{"hidden_size": }')
    expect(outcome(page)).to_have_text(re.compile("^config.json, line 1, column 17: "))
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(shown).not_to_be_visible()
    field.fill("<img src=x onerror=alert(1)>")
    expect(outcome(page)).to_contain_text("line 1, column 1")
    chooser(page).select_option("GPT-2 small")
    expect(shown).to_be_visible()
    expect(field).to_have_attribute("aria-invalid", "false")
    page.get_by_label("Context, tokens", exact=True).fill("0")
    expect(outcome(page)).to_contain_text("Context, tokens: enter a whole number from 1 to")


def test_a_dropped_file_is_read(page):
    page.evaluate("""text => { const files = new DataTransfer();
        files.items.add(new File([text], "config.json"));
        document.querySelector("[data-widget=price] textarea")
            .dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true})); }""",
                  json.dumps({**LLAMA, "_name_or_path": "x"}))
    expect(outcome(page)).to_contain_text("This model has")
    expect(page.locator("[name=model]")).to_have_value("own")


def test_measured_machines_come_first_and_quoted_ones_look_different(page):
    groups = page.locator(".hf-priced tbody")
    assert groups.evaluate_all("all => all.map(group => group.className)") == ["hf-measured", "hf-quoted"]
    assert len(row(page, "Zen 4 · 2")) == len(row(page, "NVIDIA H100 80GB HBM3")) == len(row(page, "H100")) == 9
    style = "group => [getComputedStyle(group).fontStyle, getComputedStyle(group).color]"
    assert groups.nth(0).evaluate(style) != groups.nth(1).evaluate(style)


def test_the_table_says_what_the_records_allow(page, formulas):
    values = record("amd-epyc-zen-4-2-cores-vm", "01-roofline")[0]
    chip = {"peak": values["peak_fp32_all_gflops"] * 1e9, "bandwidth": values["bandwidth_dram_all_gbs"] * 1e9}
    config = MODELS["llama-3.1-8b"]["config"]
    for cell, bits in zip(row(page, "Zen 4 · 2"), (16, 8.5, 4.5)):
        speed = asked(formulas, config, "p.tokens(more[0], s, more[1], 4096)", [chip, bits])
        assert float(cell) == pytest.approx(speed, rel=5e-3)
    chooser(page).select_option("Llama 3.1 70B")
    assert row(page, "Zen 4 · 2") == ["–"] * 6 + ["0"] * 3  # it doesn't fit
    timed = record("amd-epyc-zen-4-2-cores-vm", "06-precision")[1]["decode_tokens"]["bf16"]
    expect(page.locator(".hf-more > .hf-scroll").last).to_contain_text(re.compile(rf"\d ÷ {timed:.3g} = \d"))


def test_machines_together_hold_a_model_that_one_cannot(page, formulas):
    chooser(page).select_option("DeepSeek-V3")
    assert row(page, "H200") == ["–"] * 6 + ["0"] * 3
    page.get_by_label("Machines together").fill("8")
    chip = {"peak": 8 * 989e12, "bandwidth": 8 * 4.8e12, "capacity": 8 * 151397597184}
    speed, users = (row(page, "8 × H200")[cell] for cell in (1, 7))
    answer = lambda what: asked(formulas, MODELS["deepseek-v3"]["config"], what, chip)
    assert float(speed) == pytest.approx(answer("p.tokens(more, s, 8.5, 4096)"), rel=5e-3)
    assert float(users.replace(",", "")) == pytest.approx(answer("p.users(more, s, 8.5, 4096)"), rel=5e-3)


def test_a_record_without_a_roof_gives_dashes_and_no_guess(site):
    (site.root / "site/book/static").mkdir(parents=True)
    (site.root / "site/book/static/formulas-price.js").touch()
    site.record(drop_value("bandwidth_dram_all_gbs"))
    site.built(PAGE)
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', site.html(), re.S)[1])
    assert data["machines"][0]["kind"] == "measured" and data["machines"][0]["bandwidth"] is None


def test_the_keyboard_reaches_and_changes_everything(page):
    chooser(page).focus()
    before = outcome(page).inner_text()
    page.keyboard.press("ArrowDown")
    expect(outcome(page)).not_to_have_text(before)
    for name in ("Context, tokens", "Context, tokens, by powers of two", "Machines together", "Its config.json"):
        page.keyboard.press("Tab")
        expect(page.get_by_label(name, exact=name != "Its config.json")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("{}")
    expect(outcome(page)).to_contain_text("config.json lacks hidden_size")


@pytest.mark.parametrize("width", [360, 1280])
def test_its_place_is_kept_whatever_is_chosen(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    place = page.locator("[data-widget=price]")
    kept, needed = place.evaluate("""box => { const kept = parseFloat(getComputedStyle(box).minHeight);
        box.style.minHeight = 0;
        return [kept, box.getBoundingClientRect().height]; }""")
    assert kept == pytest.approx(needed, abs=1)
    for model in MODELS.values():
        chooser(page).select_option(model["called"])
        expect(outcome(page)).to_contain_text(model["called"])
        assert place.evaluate("box => box.getBoundingClientRect().height") == pytest.approx(needed, abs=1), model["called"]


@pytest.mark.parametrize("width", [320, 360, 1440])
def test_only_the_tables_scroll_sideways(browser, made, width):
    with Visit(browser, f"{made.as_uri()}/index.html#fig-live-price", viewport={"width": width, "height": 800}) as visit:
        visit.page.locator(".hf-priced").wait_for()
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
        wide = visit.page.locator("[data-widget=price] :is(label, textarea, output, .hf-note, .hf-bar)").evaluate_all(
            "all => all.filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.className || e.tagName)")
        assert wide == []


def test_without_javascript_the_ten_models_stand_in_its_place(browser, made):
    with Visit(browser, f"{made.as_uri()}/index.html", java_script_enabled=False) as visit:
        place = visit.page.locator(".hf-without-script")
        expect(place).to_contain_text("Without scripts, these words.")
        rows = place.locator("tbody tr")
        expect(rows).to_have_count(10)
        expect(rows.first).to_contain_text("124 million")
        expect(rows.last.get_by_role("link")).to_have_attribute("href", "https://arxiv.org/abs/2412.19437")
        expect(visit.page.locator(".hf-widget-price :is(input, select, textarea)")).to_have_count(0)


def test_each_formula_leads_to_a_section_of_the_book(book, made):
    links = re.findall(r'href="(\d\d-[a-z]+\.html)#([a-z-]+)"', (made / "index.html").read_text(encoding="utf-8"))
    assert len(links) == len(model_price.SECTIONS)
    for file, place in links:
        assert f'id="{place}"' in (book / file).read_text(encoding="utf-8"), (file, place)
