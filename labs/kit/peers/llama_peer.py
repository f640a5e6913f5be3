"""llama.cpp, answering one command on each line of standard input with one line on standard output.

load FILE              reads a GGUF file, and says its number: 0, 1, ...
prime MODEL TOKENS...  empties the KV cache, decodes these tokens, and says "primed"
logits MODEL           of the last token decoded: how many, and after that line as many 32-bit floats
prompt MODEL THREADS N N times empties the KV cache and decodes the primed tokens again, all at once, and says how many
                       seconds that took
step MODEL THREADS N   N times decodes one more token and drops it from the cache again, and says how many seconds that took
"""

import ctypes
import os
import time

from python_peer import answer, serve

try:
    import llama_cpp as llama
except Exception as error:
    answer(f"error: python3 cannot import llama_cpp ({error}); pip install llama-cpp-python")
    raise SystemExit(1) from None

quiet = llama.llama_log_callback(lambda *ignored: None)
llama.llama_log_set(quiet, ctypes.c_void_p(0))
llama.llama_backend_init()
cores = len(os.sched_getaffinity(0))
contexts, primed = [], {}


def tokens_of(numbers):
    return (llama.llama_token * len(numbers))(*numbers)


def decode(context, tokens):
    batch = llama.llama_batch_get_one(tokens, len(tokens))
    start = time.perf_counter()
    status = llama.llama_decode(context, batch)
    llama.llama_synchronize(context)
    seconds = time.perf_counter() - start
    if status != 0:
        raise RuntimeError(f"llama_decode gave {status}")
    return seconds


def load(path):
    settings = llama.llama_model_default_params()
    settings.n_gpu_layers = 0  # on the processor
    settings.use_mmap = False  # in memory of its own, on huge pages: the field of older versions
    settings.load_mode = 0  # and that of newer ones
    model = llama.llama_model_load_from_file(path.encode(), settings)
    if not model:
        raise RuntimeError(f"llama.cpp cannot read {path}")
    settings = llama.llama_context_default_params()
    settings.n_ctx = 0  # as many tokens as the model has positions for
    settings.flash_attn_type = 1  # with it, and the KV cache in fp16 as it is by default, it is fastest here
    context = llama.llama_init_from_model(model, settings)
    if not context:
        raise RuntimeError("llama.cpp makes no context")
    contexts.append((context, llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(model))))
    answer(len(contexts) - 1)


def prime(index, *tokens):
    context, _ = contexts[index]
    llama.llama_memory_clear(llama.llama_get_memory(context), True)
    llama.llama_set_n_threads(context, cores, cores)
    decode(context, tokens_of(tokens))
    primed[index] = tokens
    answer("primed")


def logits(index):
    context, vocabulary = contexts[index]
    numbers = llama.llama_get_logits(context)
    answer(vocabulary, ctypes.string_at(numbers, 4 * vocabulary))


def step(index, threads, times):
    context, _ = contexts[index]
    llama.llama_set_n_threads(context, threads, threads)
    seconds = 0.0
    for _ in range(times):
        seconds += decode(context, tokens_of([1]))
        llama.llama_memory_seq_rm(llama.llama_get_memory(context), 0, len(primed[index]), -1)
    answer(seconds)


def prompt(index, threads, times):
    context, _ = contexts[index]
    llama.llama_set_n_threads(context, threads, threads)
    seconds = 0.0
    for _ in range(times):
        llama.llama_memory_clear(llama.llama_get_memory(context), True)
        seconds += decode(context, tokens_of(primed[index]))
    answer(seconds)


def numbers(command):
    return lambda words: command(*map(int, words.split()))


serve(llama.__version__, {"load": load, "prime": numbers(prime), "logits": numbers(logits), "step": numbers(step),
                          "prompt": numbers(prompt)})
