"""The reader's file: reads `model` and `inputs` from it, and refuses what cannot be measured."""

import contextlib
import importlib.util
import sys
import traceback
from pathlib import Path

import torch
from torch.utils._pytree import tree_leaves, tree_map

from .memory import too_large
from .refusal import Refusal

HERE = str(Path(__file__).resolve().parent)


class Subject:
    """A model, what it is called with, and where each of its modules was made."""

    def __init__(self, file, model, inputs, made_at, device):
        self.file, self.model, self.inputs, self.device = file, model, inputs, device
        self.made_at = made_at  # the line of the reader's file, by the module's id
        self.names = {id(module): name for name, module in model.named_modules()}

    def tensors(self):
        return [each for each in tree_leaves(self.inputs) if isinstance(each, torch.Tensor)]

    def run(self):
        return self.model(**self.inputs) if isinstance(self.inputs, dict) else self.model(*self.inputs)

    def with_inputs(self, change):
        """The same model, called with other tensors."""
        inputs = tree_map(lambda each: change(each) if isinstance(each, torch.Tensor) else each, self.inputs)
        return Subject(self.file, self.model, inputs, self.made_at, self.device)

    def cast(self, dtype):
        """The model and its inputs with other floating-point numbers."""
        self.model.to(dtype)
        return self.with_inputs(lambda each: each.to(dtype) if each.is_floating_point() else each)


def load(path, device):
    """Runs the reader's file, and moves what it defines to the device. Raises Refusal if that is no model that can be run."""
    file = Path(path).resolve()
    if not file.is_file():
        raise Refusal(f"{path}: there is no such file; name a Python file that defines model and inputs")
    made_at = {}
    with noting_where(file, made_at), only_the_readers_traceback(file):
        names = run_file(file)
    for name, what in ("model", "a torch.nn.Module"), ("inputs", "what model is called with"):
        if name not in names:
            raise Refusal(f"{path}: it does not define {name}; define {name}, {what}")
    model, inputs = names["model"], names["inputs"]
    if not isinstance(model, torch.nn.Module):
        remedy = "call it, to make one" if isinstance(model, type) else "wrap it in one whose forward calls it"
        raise Refusal(f"{path}: model is a {type(model).__name__}, not a torch.nn.Module; {remedy}")
    subject = Subject(file, model, inputs if isinstance(inputs, (tuple, list, dict)) else (inputs,), made_at, device)
    if not subject.tensors():
        raise Refusal(f"{path}: inputs contains no tensor; give a tensor, a tuple of what model is called with, or a dict")
    with only_the_readers_traceback(file):
        model.to(device.where)
        return subject.with_inputs(lambda each: each.to(device.where))


def run_file(file):
    """The names that the file defines. Its folder is on the path, as it is for a program."""
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location("reader_model", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules["reader_model"] = module  # what is pickled or compiled looks for it there
    spec.loader.exec_module(module)
    return vars(module)


@contextlib.contextmanager
def noting_where(file, made_at):
    """While the file runs, keeps the line on which each module is made: a module of a Sequential is called by no line of it."""
    original = torch.nn.Module.__init__

    def noting(self, *args, **kwargs):
        made_at[id(self)] = line_in(file, sys._getframe(1))
        original(self, *args, **kwargs)

    torch.nn.Module.__init__ = noting
    try:
        yield
    finally:
        torch.nn.Module.__init__ = original


def line_in(file, frame):
    """The innermost line of the file among the callers, such as "gpt2.py:41", or None."""
    while frame is not None:
        if frame.f_code.co_filename == str(file):
            return f"{file.name}:{frame.f_lineno}"
        frame = frame.f_back
    return None


@contextlib.contextmanager
def only_the_readers_traceback(file):
    """An error in the reader's code is shown from the reader's first line on, without the frames of this program."""
    try:
        yield
    except Refusal:
        raise
    except Exception as error:
        if told := too_large(error, file.name):
            raise Refusal(told) from None
        trace = error.__traceback__
        while trace.tb_next and trace.tb_frame.f_code.co_filename.startswith((HERE, "<frozen importlib")):
            trace = trace.tb_next
        traceback.print_exception(type(error), error, trace)
        raise SystemExit(1) from None
