"""PyTorch, answering one command on each line of standard input with one line on standard output.

tensor SIZES...                 keeps the 32-bit floats that follow as a tensor of that shape, and says "kept"
program JSON                    {"source": Python that defines graph(...), called with the tensors kept, "parameters": which of
                                them a module would hold as its own}; its number: 0, 1, ...
                                where there is a prepare(...), that is called with the tensors once
seconds PROGRAM MODE THREADS N  how long N calls take; the first with compiling
result PROGRAM MODE             how many numbers it gives, and after that line as many 32-bit floats
start                           compiles a first, very small thing, and says "started"
release                         forgets all programs, their tensors and what was compiled for them, and says "released"

A MODE is "eager" or one of the settings below; a program is called in one mode only. What PyTorch cannot do is said in a line
that begins with "cannot: ", and the next command is answered as if nothing had been.
"""

import ctypes
import functools
import json
import time

from python_peer import answer, one_line, read_into, serve

try:
    import torch
except Exception as error:
    answer(f"error: python3 cannot import torch ({one_line(error)}); pip install torch")
    raise SystemExit(1) from None

# [begin: torch-compile-settings]
SETTINGS = {
    "default": {},
    "freezing": {"freezing": True},  # weights are constants
    "max_autotune": {"freezing": True, "max_autotune": True},  # and tuned products
    "cpp_wrapper": {"cpp_wrapper": True},  # no Python between the loops
}
# [end: torch-compile-settings]

kept, programs, programs_so_far = [], [], 0  # names are not used again


class Program:
    """A program has a file and a name of its own: Dynamo remembers by both which sizes one was called with before."""

    def __init__(self, source, parameters, tensors):
        global programs_so_far
        programs_so_far += 1
        self.name = f"graph_{programs_so_far}"
        self.names = {"torch": torch, "F": torch.nn.functional}
        self.define(source.replace("def graph(", f"def {self.name}("))
        self.names.get("prepare", lambda *tensors: None)(*tensors)
        self.function, self.parameters, self.tensors, self.mode = self.names[self.name], parameters, tensors, None

    def define(self, source):
        exec(compile(source, f"<{self.name}>", "exec"), self.names)

    def as_module(self):
        """What is to be frozen has to be a module's own."""
        given = [f"x{at}" for at in range(len(self.tensors)) if at not in self.parameters]
        all = [f"self.p{at}" if at in self.parameters else f"x{at}" for at in range(len(self.tensors))]
        self.define(
            f"class Module(torch.nn.Module):\n"
            f"    def forward(self, {', '.join(given)}):\n"
            f"        return {self.name}({', '.join(all)})\n"
        )
        module = self.names["Module"]()
        for at in self.parameters:
            module.register_parameter(f"p{at}", torch.nn.Parameter(self.tensors[at], requires_grad=False))
        self.tensors = [tensor for at, tensor in enumerate(self.tensors) if at not in self.parameters]
        return module

    def prepare(self, mode):
        self.mode, self.settings = mode, SETTINGS.get(mode, {})
        if mode == "eager":
            return
        if self.settings.get("freezing") and self.parameters:
            self.function = self.as_module()
        self.function = torch.compile(self.function)

    def call(self, mode, threads, times):
        if threads != torch.get_num_threads():
            torch.set_num_threads(threads)
        is_first = self.mode is None
        if is_first:
            self.prepare(mode)
        if mode != self.mode:
            raise ValueError(f"called {mode} after {self.mode}")
        if is_first:
            with torch._inductor.config.patch(**self.settings):
                return self.timed(times)
        return self.timed(times)

    def timed(self, times):
        function, tensors, result = self.function, self.tensors, None
        with torch.inference_mode():
            start = time.perf_counter()
            for _ in range(times):
                result = None  # its memory is there for the next
                result = function(*tensors)
            seconds = time.perf_counter() - start
        return seconds, result


def says_what_it_cannot(command):
    @functools.wraps(command)
    def careful(words):
        try:
            command(words)
        except Exception as error:
            answer(f"cannot: {one_line(error)}")

    return careful


def tensor(words):
    values = torch.empty([int(size) for size in words.split()])
    read_into((ctypes.c_char * (4 * values.numel())).from_address(values.data_ptr()))
    kept.append(values)
    answer("kept")


@says_what_it_cannot
def program(source):
    tensors = kept.copy()
    kept.clear()
    programs.append(Program(tensors=tensors, **json.loads(source)))
    answer(len(programs) - 1)


@says_what_it_cannot
def result(words):
    number, mode = words.split()
    _, numbers = programs[int(number)].call(mode, torch.get_num_threads(), 1)
    numbers = numbers.contiguous()
    answer(numbers.numel(), ctypes.string_at(numbers.data_ptr(), 4 * numbers.numel()))


@says_what_it_cannot
def seconds(words):
    number, mode, threads, times = words.split()
    answer(programs[int(number)].call(mode, int(threads), int(times))[0])


@says_what_it_cannot
def start(_):
    torch.compile(lambda x: x + 1)(torch.zeros(8))
    answer("started")


def release(_):
    programs.clear()
    torch._dynamo.reset()
    answer("released")


# Sizes are static. So it is said here once: torch.compile(dynamic=False) says it again in every call, for some microseconds.
torch._dynamo.config.automatic_dynamic_shapes = False
torch._dynamo.config.error_on_recompile = True  # a program that had to be compiled again would be another
serve(
    torch.__version__,
    {
        "tensor": tensor,
        "program": program,
        "result": result,
        "seconds": seconds,
        "start": start,
        "release": release,
    },
)
