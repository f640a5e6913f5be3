"""Counts a run: each operation's FLOPs, functions and bytes, its module, and the reader's line that asked for it."""

import resource
import sys
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils._python_dispatch import TorchDispatchMode

from . import work
from .load import HERE, line_in

LIBRARY = str(Path(torch.__file__).parent)


@dataclass
class Operation:
    name: str
    module: str
    line: str
    shapes: str
    dtype: str | None  # of the numbers it computes with
    is_view: bool
    flops: int
    function: tuple | None  # ("exp", how many numbers)
    reads: list = field(default_factory=list)  # (storage, bytes)
    writes: list = field(default_factory=list)
    pages: int = 0  # that the system had to provide

    @property
    def bytes(self):
        return sum(size for _, size in self.reads + self.writes)


class Counter(TorchDispatchMode):
    """While it is active, keeps an Operation for each call of PyTorch's."""

    def __init__(self, subject):
        super().__init__()
        self.subject, self.operations = subject, []
        self.inside = []  # the modules that are being called, outermost first
        self.places = {}  # where the call was made whose gradient has this number: the backward pass has no lines

    def __enter__(self):
        self.hooks = [
            register_module_forward_pre_hook(lambda module, args: self.inside.append(module)),
            register_module_forward_hook(lambda module, args, out: self.inside.pop() and None, always_call=True),
        ]
        return super().__enter__()

    def __exit__(self, *error):
        for hook in self.hooks:
            hook.remove()
        return super().__exit__(*error)

    # [begin: count]
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        module, line = self.place()
        before = pages_so_far()
        out = function(*args, **kwargs)
        pages = pages_so_far() - before
        given, results = work.tensors_in((args, kwargs)), work.tensors_in(out)
        view = work.is_view(function, given, results)
        reads, writes = work.traffic(function, args, kwargs, out)
        numbers = None if view else work.numbers_through(function, args, out)
        self.operations.append(
            Operation(
                name=work.name_of(function),
                module=module,
                line=line,
                shapes=shapes(given, results),
                dtype=dtype_of(results + given),
                is_view=view,
                flops=0 if view else work.flops(function, args, kwargs, out),
                function=numbers,
                reads=reads,
                writes=writes,
                pages=pages,
            )
        )
        return out
    # [end: count]

    def place(self):
        """The module and the line of the call. A gradient has those of the call that it belongs to."""
        node = torch._C._current_autograd_node()
        if node is not None and not self.inside:
            module, line = self.places.get(node._sequence_nr(), ("", ""))
            return f"{module} ←", line
        innermost = next((each for each in reversed(self.inside) if id(each) in self.subject.names), None)
        module = self.subject.names.get(id(innermost), "") if innermost is not None else ""
        line = self.line(innermost)
        self.places[torch._C._autograd._get_sequence_nr() - 1] = module, line
        return module, line

    def line(self, module):
        """Of the reader's file: the line that calls, or the one that made the module. Else the library's line that calls."""
        frame = sys._getframe(2)
        return line_in(self.subject.file, frame) or self.subject.made_at.get(id(module)) or line_of_a_library(frame)


def dtype_of(tensors):
    """The kind of floating-point numbers among them, such as "bfloat16", or None."""
    return next((str(each.dtype).removeprefix("torch.") for each in tensors if each.is_floating_point()), None)


def line_of_a_library(frame):
    """The innermost line that is neither PyTorch's nor this program's."""
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith((LIBRARY, HERE, "<")):
            return f"{Path(file).name}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def pages_so_far():
    """How many pages of memory the system has provided to this process without reading a disk."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def shapes(given, results):
    """The shapes of what is given, such as "1×768 · 768×3072"; of the result if nothing is."""
    return " · ".join("×".join(map(str, each.shape)) or "1" for each in (given or results)[:3])


def count(subject, run):
    """The operations of one run."""
    with Counter(subject) as counter:
        run()
    return counter.operations
