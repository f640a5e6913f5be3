// The price of a language model: its weights, and the bytes, FLOPs and KV cache of a token, from its config.json (of Hugging
// Face's transformers), and what machines make of them, by the formulas of chapters 00 and 05. Pure functions;
// tests/site/test_price.py compares them with published sizes, with the labs' records and with counts by hand.
(() => {
  window.press ??= {};

  // ---- The text ----
  const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
  const SCALAR = new RegExp(`${STRING.source}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`, "y");
  const SPACE = /[ \t\r\n]*/y, COLON = /:/y, LONGEST = 200_000;

  // The position of the first fault of a JSON text; browsers don't all tell it.
  const faultOf = (text) => {
    let at = 0;
    const eat = (pattern) => {
      pattern.lastIndex = at;
      if (!pattern.test(text)) throw at;
      at = pattern.lastIndex;
      if (pattern !== SPACE) eat(SPACE);
    };
    const list = (end, item) => {
      at++;
      eat(SPACE);
      for (let first = true; text[at] !== end; first = false) {
        if (!first) eat(/,/y);
        item();
      }
      eat(end === "}" ? /\}/y : /\]/y);
    };
    const pair = () => { eat(STRING); eat(COLON); value(); };
    const value = () => text[at] === "{" ? list("}", pair) : text[at] === "[" ? list("]", value) : eat(SCALAR);
    try { eat(SPACE); value(); } catch (where) { return Number.isInteger(where) ? where : 0; }
    return at;
  };
  const parse = (text) => {
    if (!text.trim()) throw new RangeError("Paste a model’s config.json, or drop the file on the field.");
    if (text.length > LONGEST) throw new RangeError(`The text has over ${LONGEST} characters: a config.json is shorter.`);
    let found;
    try { found = JSON.parse(text); } catch {
      const before = text.slice(0, faultOf(text)).split("\n"), [line, column] = [before.length, before.at(-1).length + 1];
      throw new RangeError(`config.json, line ${line}, column ${column}: this isn’t JSON from here on. Paste the whole file again.`);
    }
    if (found && typeof found === "object" && !Array.isArray(found)) return found;
    throw new RangeError("config.json: expected an object, {…}, with the model’s sizes.");
  };

  // ---- The config ----
  // How families differ from Llama, beyond what their configs say.
  const families = {
    llama: {}, mistral: {}, mixtral: {}, phi3: {}, qwen2: {queryBias: true}, qwen2_moe: {queryBias: true},
    qwen3: {headNorms: true}, qwen3_moe: {headNorms: true}, gemma: {tied: true}, gemma2: {tied: true, norms: 4, wideEvery: 2},
    gemma3_text: {tied: true, norms: 4, headNorms: true, wideEvery: 6}, deepseek_v2: {}, deepseek_v3: {},
    gpt_oss: {sinks: true, expertBias: true, wideEvery: 2}, gpt2: {tied: true},
  };
  // Keys that change neither a size nor a count.
  const HARMLESS = new RegExp(["^_", "dropout", "pdrop$", "_token_ids?$", "^rope_", "^partial_rotary", "initializer", "eps(ilon)?$",
    "^(torch_)?dtype$", "version$", "^architectures$", "^auto_map$", "^(use_)?cache", "^pretraining_tp$", "aux", "^router_",
    "output_router", "^hidden_act", "activation", "softcap", "scal(e|ing)", "_position_embeddings$", "^summary_",
    "^task_specific", "^norm_topk", "^n_group$", "^topk_", "^scoring_func$", "^ep_size$", "^swiglu_limit$", "^quantization",
    "^query_pre_attn", "^initial_context", "^n_ctx$", "^n_special$", "^predict_special", "^use_mrope$", "^id2label$",
    "^label2id$", "^output_", "^sliding_window_size$", "^experts_per_token$", "^qk_head_dim$", "^unsloth", "^reorder_and_upcast",
  ].join("|"));

  // Reads a config and keeps book of the keys that it has read.
  const reader = (config) => {
    const read = new Set(["model_type"]), has = (name) => config[name] !== undefined && config[name] !== null;
    const named = (names) => { names.forEach((name) => read.add(name)); return names.find(has); };
    const whole = (names, otherwise, most = 1e6) => {
      const all = [names].flat(), name = named(all), value = config[name], least = otherwise === 0 ? 0 : 1;
      if (!name && otherwise === undefined) throw new RangeError(`config.json lacks ${all[0]}: add it, a whole number.`);
      if (!name) return otherwise;
      if (Number.isInteger(value) && value >= least && value <= most) return value;
      const range = `from ${least} to ${most}`;
      throw new RangeError(`config.json, ${name}: expected a whole number ${range}, not ${JSON.stringify(value)}.`);
    };
    const yes = (name, otherwise = false) => named([name]) ? Boolean(config[name]) : otherwise;
    const list = (name) => named([name]) && Array.isArray(config[name]) ? config[name] : null;
    const rest = () => Object.keys(config).filter((name) => !read.has(name) && !HARMLESS.test(name));
    return {whole, yes, list, rest};
  };

  // GPT-2: a bias in each product and norm, no gate, and a table of positions.
  const gpt2 = ({whole, yes}) => {
    const hidden = whole("n_embd"), layers = whole("n_layer", undefined, 1e4), heads = whole("n_head");
    const ffn = whole("n_inner", 4 * hidden);
    if (hidden % heads) throw new RangeError(`config.json, n_head: ${heads} heads don’t divide n_embd, ${hidden}.`);
    return {
      hidden, layers, vocabulary: whole("vocab_size", undefined, 1e7), tied: yes("tie_word_embeddings", true),
      positions: whole(["n_positions", "n_ctx"]), windowed: 0, window: 0, cached: 2 * hidden, scored: 4 * hidden,
      attention: {matrices: 4 * hidden ** 2, vectors: 4 * hidden}, norms: 4 * hidden, lastNorm: 2 * hidden,
      dense: {matrices: 2 * hidden * ffn, vectors: ffn + hidden}, sparse: null, sparseLayers: 0,
    };
  };

  // Latent attention caches one short vector for all heads; the heads' products with it are done on the query's side.
  const latent = ({whole, yes}, hidden, heads) => {
    const rank = whole("kv_lora_rank"), queryRank = whole("q_lora_rank", 0), rope = whole("qk_rope_head_dim");
    const nope = whole("qk_nope_head_dim"), value = whole("v_head_dim"), query = heads * (nope + rope);
    const bias = yes("attention_bias") ? queryRank + rank + rope + hidden : 0;
    for (const name of ["num_key_value_heads", "head_dim"]) whole(name, heads); // latent attention has no use for them
    return {
      cached: rank + rope, scored: 2 * heads * (2 * rank + rope),
      attention: {matrices: (queryRank ? queryRank * (hidden + query) : hidden * query) + hidden * (rank + rope) +
                            rank * heads * (nope + value) + heads * value * hidden, vectors: queryRank + rank + bias},
    };
  };
  const grouped = ({whole, yes}, family, hidden, heads) => {
    const groups = whole("num_key_value_heads", heads);
    if (heads % groups) throw new RangeError(`config.json, num_key_value_heads: ${groups} don’t divide ${heads} heads.`);
    const size = whole("head_dim", hidden / heads);
    if (!Number.isInteger(size))
      throw new RangeError(`config.json, num_attention_heads: ${heads} heads don’t divide hidden_size, ${hidden}.`);
    const query = heads * size, keys = groups * size, biased = yes("attention_bias");
    const bias = biased || yes("qkv_bias", Boolean(family.queryBias)) ? query + 2 * keys : 0;
    return {
      cached: 2 * keys, scored: 4 * query,
      attention: {matrices: 2 * hidden * (query + keys),
                  vectors: bias + (biased ? hidden : 0) + (family.headNorms ? 2 * size : 0) + (family.sinks ? heads : 0)},
    };
  };

  // Experts: `sparse` is one layer's, whose router and shared experts every token goes through.
  const experts = ({whole, yes, list}, family, hidden, layers) => {
    const count = whole(["num_local_experts", "num_experts", "n_routed_experts"], 0, 1e5);
    if (!count) return {sparse: null, sparseLayers: 0};
    const chosen = whole(["num_experts_per_tok", "num_experts_per_token", "experts_per_token"]);
    if (chosen > count) throw new RangeError(`config.json, num_experts_per_tok: ${chosen} of ${count} experts can’t be chosen.`);
    const width = whole(["moe_intermediate_size", "intermediate_size"]), shared = whole("n_shared_experts", 0) * width;
    const gated = whole("shared_expert_intermediate_size", 0), first = whole("first_k_dense_replace", 0);
    const every = whole(["decoder_sparse_step", "moe_layer_freq"], 1), dense = new Set(list("mlp_only_layers") ?? []);
    const sparseLayers = Array.from({length: layers}, (_, i) => i)
      .filter((i) => i >= first && !dense.has(i) && (every === 1 || (i + 1) % every === 0)).length;
    return {sparseLayers, sparse: {
      count, chosen, each: {matrices: 3 * hidden * width, vectors: family.expertBias ? 2 * width + hidden : 0},
      always: {matrices: hidden * count + 3 * hidden * (shared + gated) + (gated ? hidden : 0),
               vectors: family.expertBias ? count : 0},
    }};
  };

  // The layers whose attention looks back only at a window of tokens.
  const windows = ({whole, yes, list}, family, layers) => {
    const window = whole("sliding_window", 0, 1e9), used = yes("use_sliding_window", true), types = list("layer_types");
    const every = whole("sliding_window_pattern", family.wideEvery ?? 0), wide = whole("max_window_layers", 0);
    if (!window || !used) return {window: 0, windowed: 0};
    return {window, windowed: types ? types.filter((type) => type === "sliding_attention").length
      : layers - (every ? Math.floor(layers / every) : Math.min(wide, layers))};
  };

  const llama = (from, family) => {
    const {whole, yes} = from, hidden = whole("hidden_size"), layers = whole("num_hidden_layers", undefined, 1e4);
    const heads = whole("num_attention_heads"), ffn = whole("intermediate_size"), biased = yes("mlp_bias");
    const isLatent = whole("kv_lora_rank", 0) > 0;
    return {
      hidden, layers, vocabulary: whole("vocab_size", undefined, 1e7), tied: yes("tie_word_embeddings", Boolean(family.tied)),
      positions: 0, norms: (family.norms ?? 2) * hidden, lastNorm: hidden,
      dense: {matrices: 3 * hidden * ffn, vectors: biased ? 2 * ffn + hidden : 0},
      ...(isLatent ? latent(from, hidden, heads) : grouped(from, family, hidden, heads)),
      ...experts(from, family, hidden, layers), ...windows(from, family, layers),
    };
  };

  // {shape, left: keys that weren't understood, guessed: a family that isn't known}, or throws a RangeError that says what is wrong.
  const understand = (text) => {
    const all = parse(text), inner = all.text_config && !("hidden_size" in all) ? all.text_config : all;
    const family = String(inner.model_type ?? "none"), known = Object.hasOwn(families, family), from = reader(inner);
    const shape = family === "gpt2" ? gpt2(from) : llama(from, known ? families[family] : {});
    const outer = inner === all ? [] : reader({...all, text_config: undefined}).rest().filter((name) => name !== "text_config");
    return {shape, left: [...from.rest(), ...outer], guessed: known ? "" : family};
  };

  // ---- Counts: {matrices, vectors}, since formats of few bits keep norms and biases in 16 ----
  const none = {matrices: 0, vectors: 0};
  const plus = (...all) => all.reduce((a, b) => ({matrices: a.matrices + b.matrices, vectors: a.vectors + b.vectors}), none);
  const times = (many, a) => ({matrices: many * a.matrices, vectors: many * a.vectors});
  const numbers = (a) => a.matrices + a.vectors;
  const denseLayers = (s) => s.layers - s.sparseLayers;
  const rows = (s) => s.hidden * (s.positions ? 2 : 1);

  const weights = (s) => plus(times(s.layers, s.attention), times(denseLayers(s), s.dense),
    s.sparse ? times(s.sparseLayers, plus(s.sparse.always, times(s.sparse.count, s.sparse.each))) : none,
    {matrices: (s.tied ? 1 : 2) * s.vocabulary * s.hidden + s.positions * s.hidden, vectors: s.layers * s.norms + s.lastNorm});

  // The weights that one step reads for a batch of users, in parts. Each user's token chooses its experts, which an even choice
  // spreads out. Of the tables of the input, a token needs one row each.
  const parts = (s, batch = 1) => {
    const touched = s.sparse ? s.sparse.count * (1 - (1 - s.sparse.chosen / s.sparse.count) ** batch) : 0;
    return {
      attention: plus(times(s.layers, s.attention), {matrices: 0, vectors: s.layers * s.norms + s.lastNorm}),
      ffn: plus(times(denseLayers(s), s.dense),
                s.sparse ? times(s.sparseLayers, plus(s.sparse.always, times(touched, s.sparse.each))) : none),
      table: {matrices: s.vocabulary * s.hidden + rows(s), vectors: 0},
    };
  };
  const active = (s, batch = 1) => plus(...Object.values(parts(s, batch)));
  const bytes = (count, bits, ofVector = 2) => count.matrices * bits / 8 + count.vectors * ofVector;

  // The tokens that all layers together look back at, or keep: a windowed layer only its window.
  const lookedAt = (s, context) => (s.layers - s.windowed) * context + s.windowed * Math.min(context, s.window || context);
  const cachePerToken = (s, size = 2) => s.layers * s.cached * size;
  const cache = (s, context, size = 2) => s.cached * size * lookedAt(s, context);
  // Two for each number of a matrix that a token goes through, and those of attention. (A row of a table costs none.)
  const flops = (s, context) => 2 * (active(s).matrices - rows(s)) + s.scored * lookedAt(s, context);

  // ---- Machines: {peak, bandwidth, capacity}, per second and in bytes ----
  const delivery = (s, bits, context, batch = 1) => bytes(active(s, batch), bits) + batch * cache(s, context);
  const fits = (chip, s, bits) => bytes(weights(s), bits) < chip.capacity;
  const tokens = (chip, s, bits, context) =>
    1 / Math.max(delivery(s, bits, context) / chip.bandwidth, flops(s, context) / chip.peak);
  const users = (chip, s, bits, context) =>
    Math.max(0, Math.floor((chip.capacity - bytes(weights(s), bits)) / cache(s, context)));

  // The smallest batch from which something other than the weights decides: the arithmetic takes as long as the delivery, as in
  // chapter 00, or the caches outweigh the weights. (More users touch more experts, but fewer each.)
  const turn = (chip, s, bits, context) => {
    const arrivals = flops(s, context) / chip.peak * chip.bandwidth, own = cache(s, context), gain = Math.max(own, arrivals - own);
    const decided = (batch) => batch * gain >= bytes(active(s, batch), bits);
    let [low, high] = [0, 1];
    while (!decided(high)) [low, high] = [high, 2 * high];
    while (high - low > Math.max(1, high / 1e6)) {
      const middle = Math.floor((low + high) / 2);
      if (decided(middle)) high = middle; else low = middle;
    }
    return {batch: high, by: arrivals - own >= own ? "arithmetic" : "caches"};
  };

  press.price = {active, bytes, cache, cachePerToken, delivery, faultOf, fits, flops, numbers, parts, tokens, turn, understand,
                 users, weights};
})();
