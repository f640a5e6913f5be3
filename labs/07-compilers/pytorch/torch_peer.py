"""PyTorch, answering one command on each line of standard input with one line on standard output.

tensor SIZES...                 keeps the 32-bit floats that follow as a tensor of that shape, and says "kept"
program SOURCE                  JSON: Python that defines graph(...), called with the tensors kept; its number: 0, 1, ...
                                where there is a prepare(...), that is called with them once
seconds PROGRAM MODE THREADS N  how long N calls take, eager or compiled; the first with compiling
result PROGRAM MODE             how many numbers it gives, and after that line as many 32-bit floats
start                           how long the first thing to be compiled takes, a very small one
release                         forgets all programs and their tensors, and says "released"

What PyTorch cannot do is said in a line that begins with "cannot: ", and the next command is answered as if nothing had been.
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

kept, programs = [], []


class Program:
    def __init__(self, source, tensors):
        names = {"torch": torch, "F": torch.nn.functional}
        exec(compile(source, "graph", "exec"), names)
        names.get("prepare", lambda *tensors: None)(*tensors)
        self.tensors = tensors
        self.run = {"eager": names["graph"], "compiled": torch.compile(names["graph"])}

    def call(self, mode, threads, times):
        if threads != torch.get_num_threads():
            torch.set_num_threads(threads)
        function, tensors, result = self.run[mode], self.tensors, None
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
    programs.append(Program(json.loads(source), tensors))
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
    begin = time.perf_counter()
    torch.compile(lambda x: x + 1)(torch.zeros(8))
    answer(time.perf_counter() - begin)


def release(_):
    programs.clear()
    answer("released")


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
