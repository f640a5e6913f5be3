"""Runs a model: counts it, predicts it, times it."""

import copy

import torch

from .count import count
from .load import only_the_readers_traceback
from .predict import predict
from .refusal import Refusal
from .rows import rows_of
from .timing import time_rounds
from .work import tensors_in

COMPILED_ROUNDS, BATCH_ROUNDS = 15, 7


class Run:
    """One run of the model, which can be repeated: inputs that a run writes to are put back before the next."""

    def __init__(self, subject, backward):
        self.subject, self.backward = subject, backward
        self.originals = [(each, each.detach().clone()) for each in subject.tensors()]
        versions = [each._version for each, _ in self.originals]
        self()
        self.changes_inputs = any(each._version != version for (each, _), version in zip(self.originals, versions))

    def __call__(self):
        with only_the_readers_traceback(self.subject.file), torch.set_grad_enabled(self.backward):
            out = self.subject.run()
            if self.backward:
                self.differentiate(out)

    def differentiate(self, out):
        outputs = [each for each in tensors_in(out) if each.requires_grad]
        if not outputs:
            raise Refusal(f"{self.subject.file.name}: no output of the model has a gradient; leave --backward out")
        torch.autograd.backward([each.sum() for each in outputs])
        self.subject.model.zero_grad(set_to_none=True)

    def put_back(self):
        if self.changes_inputs:
            with torch.no_grad():
                for each, original in self.originals:
                    each.copy_(original)

    def counted(self):
        """The operations of two runs: what the first leaves in the caches, the second finds there."""
        runs = []
        for _ in range(2):
            self.put_back()
            runs.append(count(self.subject, self))
        return runs

    def samples(self, rounds):
        found = []
        for _ in range(rounds):
            self.put_back()
            found.append(self.subject.device.timed(self))
        return found


def study(subject, roofs, prices, options):
    """All that is known of the model: what the table and the JSON show."""
    run = Run(subject, options.backward)
    runs = run.counted()
    predictions = predict(runs, roofs, prices)
    result = {
        "file": subject.file.name,
        "machine": roofs.machine,
        "threads": roofs.threads,
        "prices": prices,
        "weights": sum(each.numel() * each.element_size() for each in subject.model.parameters()),
        "changes_inputs": run.changes_inputs,
        "differs": [each.shapes for each in runs[0]] != [each.shapes for each in runs[1]],
        "predicted": sum(each.seconds for each in predictions),
    }
    if options.predict_only:
        return result | {"rows": rows_of(runs[-1], predictions)}
    timings = time_rounds(run, [each.name for each in runs[-1]], options.seconds)
    if not timings.whole:
        raise Refusal(f"{subject.file.name}: each run calls other operations; make its choices the same in each run")
    result |= {"whole": timings.whole, "watched": timings.watched, "dropped": timings.dropped}
    result["rows"] = rows_of(runs[-1], predictions, timings.each, prices.watching)
    if options.compile:
        result["compiled"] = compiled(subject, options.backward).samples(COMPILED_ROUNDS)
    return result


def compiled(subject, backward):
    """The same run by torch.compile; its first run, which compiles, is not among the samples."""
    other = copy.copy(subject)
    other.model = torch.compile(subject.model)
    return Run(other, backward)


def study_batch(subject, size, roofs, prices, options):
    """The model with its inputs repeated to a batch of so many."""
    given = next(each.shape[0] for each in subject.tensors() if each.dim())

    def repeat(tensor):
        if tensor.dim() == 0 or tensor.shape[0] != given:
            return tensor
        return tensor.index_select(0, torch.arange(size, device=tensor.device) % given)

    run = Run(subject.with_inputs(repeat), options.backward)
    waits = {}
    for each in predict(run.counted(), roofs, prices):
        waits[each.waits] = waits.get(each.waits, 0) + each.seconds
    samples = [] if options.predict_only else run.samples(BATCH_ROUNDS)
    return {"batch": size, "predicted": sum(waits.values()), "waits": waits, "samples": samples}
