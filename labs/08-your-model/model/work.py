"""The work of one operation: FLOPs, functions, and bytes moved. PyTorch's own counter counts the FLOPs of products."""

import math

import torch
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

from .names import ACCUMULATES, EXPONENTIALS, GATHERS, GELUS, MOVES, NORMS, OVERWRITES, REDUCTIONS, RESERVES, SCATTERS

# Powers for which PyTorch multiplies, divides or takes a root.
EASY_POWERS = (-2, -1, -0.5, 0.5, 1, 2, 3)


def name_of(function):
    return function._schema.name.split("::")[-1]


def tensors_in(tree):
    return [each for each in tree_leaves(tree) if isinstance(each, torch.Tensor)]


def storage(tensor):
    """Where its memory begins."""
    return tensor.untyped_storage().data_ptr()


def stored(tensor):
    """How many different numbers a tensor has: one that was expanded repeats them, and windows share them."""
    if tensor.numel() == 0:
        return 0
    steps = [(size, stride) for size, stride in zip(tensor.shape, tensor.stride()) if stride]
    span = 1 + sum((size - 1) * stride for size, stride in steps)
    return min(math.prod(size for size, _ in steps), span)


def bytes_of(tensor):
    return stored(tensor) * tensor.element_size()


def is_view(function, given, results):
    """Whether the results only look at the memory of what was given."""
    if function._schema.is_mutable or not results:
        return False
    homes = {storage(each) for each in given}
    return all(each.numel() and storage(each) in homes for each in results)


def flops(function, args, kwargs, out):
    """The FLOPs of a call: PyTorch's own count for products, else one for each number that is computed."""
    if rule := flop_registry.get(function._overloadpacket):
        return int(rule(*args, **kwargs, out_val=out))
    name, given, results = name_of(function), tensors_in((args, kwargs)), tensors_in(out)
    if name in MOVES or not results or not given:
        return 0
    if name == "_native_multi_head_attention":
        return flops_of_attention(args[0], args[1])
    if name in ("mv", "addmv", "dot", "vdot"):
        return 2 * max(each.numel() for each in given)
    if name in NORMS:
        return NORMS[name] * given[0].numel()
    if name.startswith("max_pool"):
        return math.prod(args[1]) * results[0].numel()
    return (given if name in REDUCTIONS else results)[0].numel()


def flops_of_attention(query, key):
    """The products of a whole layer of attention: four with a square matrix of weights, and two with the scores."""
    users, tokens, width = query.shape
    others = key.shape[1]
    return 2 * users * width * (2 * width * (tokens + others) + 2 * tokens * others)


def numbers_through(function, args, out):
    """The function that numbers go through, and how many: ("exp", 768), or None."""
    name = name_of(function)
    if name == "_native_multi_head_attention":
        (users, tokens, _), others, heads = args[0].shape, args[1].shape[1], args[4]
        return "exp", users * heads * tokens * others
    if "scaled_dot_product" in name:
        query, key = args[0], args[1]
        return "exp", math.prod(query.shape[:-1]) * key.shape[-2]
    if name == "pow" and any(
        args[1] is power or args[1] == power for power in EASY_POWERS if not isinstance(args[1], torch.Tensor)
    ):
        return None
    for roof, names in ("exp", EXPONENTIALS), ("gelu", GELUS):
        if name in names or name.removesuffix("_") in names:
            return roof, tensors_in(out)[0].numel()
    return None


def traffic(function, args, kwargs, out):
    """The memory that a call reads, and that it writes: two lists of (storage, bytes)."""
    name, given, results = name_of(function), tensors_in((args, kwargs)), tensors_in(out)
    if name in RESERVES or is_view(function, given, results):
        return [], []
    targets = targets_of(function, args, kwargs)
    unread = targets if name in OVERWRITES | SCATTERS else targets_of(function, {}, kwargs)  # out=
    reads = [(storage(each), bytes_of(each)) for each in distinct(given) if not any(each is other for other in unread)]
    if name in GATHERS:
        reads[0] = storage(given[0]), min(bytes_of(given[0]), gathered(name, args, results[0]))
    if name in SCATTERS:
        writes = [(storage(targets[0]), given[-1].numel() * targets[0].element_size())]
        return reads + (writes if name in ACCUMULATES else []), writes
    homes = {storage(each) for each in targets}
    fresh = [each for each in results if storage(each) not in homes]
    return reads, [(storage(each), bytes_of(each)) for each in targets + fresh if each.numel()]


def distinct(tensors):
    """Each view of memory once: x * x reads x once."""
    views = {(storage(each), each.storage_offset(), each.shape, each.stride()): each for each in reversed(tensors)}
    return list(reversed(views.values()))


def gathered(name, args, result):
    """The bytes of the numbers that are read. A row that is asked for twice comes from memory once."""
    if name not in ("embedding", "index_select"):
        return result.numel() * result.element_size()
    source, asked = args[0], args[-1] if name == "index_select" else args[1]
    dimension = args[1] if name == "index_select" else 0
    return asked.unique().numel() * (source.numel() // source.shape[dimension]) * source.element_size()


def targets_of(function, args, kwargs):
    """The tensors that the call writes to, as the schema says."""
    written = {each.name: each for each in function._schema.arguments if each.alias_info and each.alias_info.is_write}
    by_place = [value for value, argument in zip(args, function._schema.arguments) if argument.name in written]
    return tensors_in(by_place) + tensors_in([value for key, value in kwargs.items() if key in written])
