"""Torch's control flow operators in Python: what they do in eager mode, on nested arguments."""

import torch


def _leaves(tree):
    if isinstance(tree, dict):
        return [leaf for part in tree.values() for leaf in _leaves(part)]
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in _leaves(part)]
    return [tree]


def _map(function, tree, others):
    """Return the tree of what the function gives for each leaf and those at its place."""
    if isinstance(tree, dict):
        return {key: _map(function, part, [o[key] for o in others]) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        parts = [_map(function, part, [o[i] for o in others]) for i, part in enumerate(tree)]
        if isinstance(tree, list):
            return parts
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    return function(tree, *others)


def _copied(leaf):
    return leaf.clone() if isinstance(leaf, torch.Tensor) else leaf


def traced(function, *arguments):
    """Call a function that PyTorch calls once, on what stands for every row."""
    return function(*arguments)


def traced_step(function, carry, row):
    """Call a function that gives the next carry, as if for every row at once."""
    return function(carry, row)


def called_more_often(function, *arguments):
    """Call a function that PyTorch calls on many rows together, as often as it takes."""
    return function(*arguments)


def while_loop(cond_fn, body_fn, carried_inputs):
    """Return the values carried by a loop that runs while the condition holds."""
    carried = carried_inputs
    if not cond_fn(*carried):
        return _map(_copied, tuple(carried), [])
    carried = body_fn(*carried)
    while cond_fn(*carried):
        carried = body_fn(*carried)
    return carried


def while_loop_op(cond_fn, body_fn, carried_inputs, additional_inputs=()):
    """Do the same with arguments for both functions that stay as they are."""
    return while_loop(
        lambda *carried: cond_fn(*carried, *additional_inputs),
        lambda *carried: body_fn(*carried, *additional_inputs),
        carried_inputs,
    )


def while_loop_list(cond_fn, body_fn, carried_inputs, additional_inputs=()):
    """Do the same where the body gives a list."""
    return list(while_loop_op(cond_fn, body_fn, carried_inputs, additional_inputs))


def while_loop_bare(cond_fn, body_fn, carried_inputs, additional_inputs=()):
    """Do the same where the body gives the one value that is carried."""
    return while_loop_op(
        cond_fn, lambda *values: (body_fn(*values),), carried_inputs, additional_inputs
    )[0]


def _rows(xs, dim):
    sizes = [leaf.shape[dim] for leaf in _leaves(xs)]
    if sizes[0] == 0:
        raise RuntimeError(
            "All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0"
        )
    return sizes[0]


def _stacked(rows, dim):
    return _map(
        lambda *parts: parts[0] if parts[0] is None else torch.movedim(torch.stack(parts), 0, dim),
        rows[0],
        rows[1:],
    )


def scan(combine_fn, init, xs, *, dim=0, reverse=False):
    """Return the last carry, and what the function gave for the rows, stacked."""
    if not _leaves(xs):
        return init, []
    for leaf in _leaves(init):
        if not isinstance(leaf, torch.Tensor):
            raise RuntimeError(f"All init leaves must be a Tensor but got {leaf}")
    count = _rows(xs, dim)
    carry = init
    results = []
    for number in range(count):
        place = count - 1 - number if reverse else number
        row = _map(lambda x: x.select(dim, place), xs, [])  # noqa: B023
        carry, result = traced_step(combine_fn, carry, row)
        results.append(result)
    if reverse:
        results.reverse()
    return carry, _stacked(results, dim)


def scan_op(combine_fn, init, xs, additional_inputs):
    """Do the same for plain lists of tensors; carries and results come in one tuple."""
    if not xs:
        return init, []

    def step(carry, row):
        given = combine_fn(*carry, *row, *additional_inputs)
        return list(given[: len(init)]), list(given[len(init) :])

    carry, results = scan(step, list(init), list(xs))
    return (*carry, *results)


def associative_scan(combine_fn, xs, dim, reverse=False, combine_mode="pointwise"):
    """Return what the rows so far come to, stacked."""
    if combine_mode == "pointwise":
        raise ValueError(
            "For combine_mode='pointwise', all input tensors need to be on CUDA or XPU"
        )
    count = _rows(xs, dim)
    results = []
    for number in range(count):
        place = count - 1 - number if reverse else number
        row = _map(lambda x: x.select(dim, place), xs, [])  # noqa: B023
        results.append(called_more_often(combine_fn, results[-1], row) if results else row)
    if reverse:
        results.reverse()
    return _stacked(results, dim)


def map_rows(function, xs, *arguments):
    """Return what the function gives for each row, stacked."""
    leaves = _leaves(xs)
    if leaves[0].shape[0] == 0:
        raise RuntimeError("Leading dimensions of mapped xs cannot be 0.")
    if any(leaf.shape[0] != leaves[0].shape[0] for leaf in leaves):
        shapes = [leaf.shape for leaf in leaves]
        raise RuntimeError(
            f"Leading dimensions of mapped xs must be consistent. Got shapes {shapes}."
        )
    results = [
        traced(function, _map(lambda x: x[place], xs, []), *arguments)  # noqa: B023
        for place in range(leaves[0].shape[0])
    ]
    return _stacked(results, 0)


def wrap(function, *arguments, **keywords):
    """Call a function."""
    return function(*arguments, **keywords)


def assert_(condition, message):
    """``torch._assert``."""
    if not condition:
        raise AssertionError(message)


def sym_ite(b, t, f):
    """``torch.sym_ite``: one of two numbers of a type."""
    if not isinstance(b, bool):
        raise AssertionError(f"expected SymBool or bool, got {type(b)}")
    if type(t) is not type(f):
        raise AssertionError(f"type mismatch: {type(t)} vs {type(f)}")
    return t if b else f


def assert_async(input, assert_msg="Expected Tensor with single nonzero value, but got zero"):
    """``torch._assert_async``."""
    if not input:
        raise RuntimeError(assert_msg or "Assertion is failed")


def unpack_dual(tensor, *, level=None):
    """``torch.autograd.forward_ad.unpack_dual``: what is compiled has no tangents."""
    return torch.autograd.forward_ad.UnpackedDualTensor(tensor, None)
