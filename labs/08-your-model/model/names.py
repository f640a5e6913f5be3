"""What is known of PyTorch's operations by their names."""

# Functions for which a processor has no instruction, so that each number through one waits for its roof. All but GELU are
# charged as an exponential, which most of them contain.
EXPONENTIALS = {
    *(
        "exp",
        "exp2",
        "expm1",
        "sigmoid",
        "silu",
        "tanh",
        "softplus",
        "elu",
        "mish",
        "erf",
        "log",
        "log2",
        "log1p",
        "sin",
        "cos",
    ),
    *(
        "pow",
        "_softmax",
        "_log_softmax",
        "logsumexp",
        "log_sigmoid_forward",
        "sigmoid_backward",
        "tanh_backward",
        "silu_backward",
    ),
}
GELUS = {"gelu", "gelu_backward"}

RESERVES = {"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided"}  # memory that nothing is written to yet
OVERWRITES = {"copy_", "fill_", "zero_", "normal_", "uniform_", "bernoulli_", "random_", "exponential_"}
# They read as many numbers of their first tensor as they are asked for, and not the whole.
GATHERS = {"embedding", "index", "index_select", "gather"}
# They write as many numbers as their last tensor has; those that accumulate read the same numbers first.
ACCUMULATES = {"index_add_", "scatter_add_"}
SCATTERS = {"index_put_", "_index_put_impl_", "scatter_", "index_copy_"} | ACCUMULATES

# What only moves numbers computes nothing.
MOVES = {
    *(
        "clone",
        "cat",
        "stack",
        "_to_copy",
        "full",
        "zeros",
        "ones",
        "zeros_like",
        "ones_like",
        "full_like",
        "new_zeros",
        "arange",
    ),
    *("where", "roll", "flip", "repeat", "tril", "triu", "scatter", "masked_fill", "masked_fill_", "constant_pad_nd"),
    *("slice_backward", "select_backward", "upsample_nearest2d", "_local_scalar_dense", "nonzero"),
    *(RESERVES | OVERWRITES | GATHERS | (SCATTERS - ACCUMULATES)),
}
REDUCTIONS = {
    *("sum", "mean", "amax", "amin", "max", "min", "argmax", "argmin", "prod", "any", "all", "linalg_vector_norm", "cumsum"),
    *("topk", "sort", "_adaptive_avg_pool2d", "avg_pool2d"),
}
# The FLOPs for each number of a norm: it subtracts a mean, multiplies by a scale, multiplies, and adds. One that looks at its
# input first also adds up the numbers, their distances from the mean, and the squares of these: 4 more.
NORMS = {
    "native_layer_norm": 8,
    "native_group_norm": 8,
    "native_batch_norm": 4,
    "_native_batch_norm_legit_no_training": 4,
    "_native_batch_norm_legit": 8,
    "_fused_rms_norm": 4,
}
PRODUCTS = {"mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "dot", "vdot"}


def short_name(operation):
    """The name without what says only how PyTorch calls it: "max_pool2d" for "max_pool2d_with_indices"."""
    if "scaled_dot_product" in operation:
        return "attention"
    return operation.replace("native_", "").replace("_with_indices", "").lstrip("_")


def kind_of(operation):
    """The kind of work that an operation is."""
    for part, kind in (("convolution", "convolution"), ("attention", "attention"), ("pool", "pool"), ("batch_norm", "norm")):
        if part in operation:
            return kind
    kinds = (PRODUCTS, "product"), (NORMS, "norm"), (MOVES, "move")
    return next((kind for names, kind in kinds if operation in names), "pointwise")
