"""``torch.vmap`` in Python: the function is called for each example, and results are stacked."""

import torch


def one_way(place, own, function, *arguments, **keywords):
    """Call a function that must do the same for all examples; the evaluator sees to that.

    ``own`` are the tensors that each example has one of.
    """
    return function(*arguments, **keywords)


def no_examples():
    """Refuse a batch without examples: PyTorch gives nothing for some functions, or raises."""


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """``torch.vmap``; in chunks or not, results are the same."""
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. "
            f"Got {randomness}"
        )
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    def mapped(*args, **kwargs):
        return vectorized(func, in_dims, out_dims, args, kwargs)

    return mapped


def vectorized(func, in_dims, out_dims, args, kwargs):
    """Return what a function gives for each example, along ``out_dims`` of the results."""
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(f"expected `in_dims` to be int or a tuple, got: {type(in_dims)}.")
    if len(args) == 0:
        raise ValueError("got no inputs. Maybe you forgot to add inputs")
    dims = _spread(in_dims, args, "in_dims")
    sizes = []
    _sizes(args, dims, sizes)
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    for size in sizes:
        if size != sizes[0]:
            raise ValueError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, "
                f"got sizes {sizes} for the mapped dimension"
            )
    if sizes[0] == 0:
        no_examples()
    results = []
    for place in range(sizes[0]):
        own = []
        example = _example(args, dims, place, own)
        results.append(one_way(place, own, func, *example, **kwargs))
    return _stacked(results, _spread(out_dims, results[0], "out_dims"))


def _spread(dims, tree, name):
    """Return the dimension for each leaf of a tree, given for parts of it."""
    if isinstance(tree, dict):
        given = isinstance(dims, dict)
        if given and list(dims) != list(tree):
            raise ValueError(f"{name} is not compatible with the structure")
        return {
            key: _spread(dims[key] if given else dims, part, name) for key, part in tree.items()
        }
    if isinstance(tree, (list, tuple)):
        given = isinstance(dims, (list, tuple))
        if given and (len(dims) != len(tree) or isinstance(dims, list) != isinstance(tree, list)):
            raise ValueError(f"{name} is not compatible with the structure")
        parts = [
            _spread(dims[place] if given else dims, part, name) for place, part in enumerate(tree)
        ]
        return parts if isinstance(tree, list) else tuple(parts)
    if isinstance(dims, tuple) and len(dims) == 1 and name == "out_dims":
        return dims[0]
    if not (dims is None or isinstance(dims, int)):
        raise ValueError(f"{name} is not compatible with the structure")
    return dims


def _sizes(tree, dims, found):
    if isinstance(tree, dict):
        for key, part in tree.items():
            _sizes(part, dims[key], found)
    elif isinstance(tree, (list, tuple)):
        for place, part in enumerate(tree):
            _sizes(part, dims[place], found)
    elif dims is not None:
        if not isinstance(tree, torch.Tensor):
            raise ValueError(
                f"Got in_dim={dims} for an input but the input is of type {type(tree)}. We cannot "
                "vmap over non-Tensor arguments, please use None as the respective in_dim"
            )
        if not -tree.dim() <= dims < tree.dim():
            raise ValueError(
                f"Got in_dim={dims} for some input, but that input is a Tensor of dimensionality "
                f"{tree.dim()} so expected in_dim to satisfy "
                f"-{tree.dim()} <= in_dim < {tree.dim()}."
            )
        found.append(tree.size(dims))


def _example(tree, dims, place, own):
    """Return what one example has of the arguments; put what is its own into a list."""
    if isinstance(tree, dict):
        return {key: _example(part, dims[key], place, own) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        parts = [_example(part, dims[number], place, own) for number, part in enumerate(tree)]
        if isinstance(tree, list):
            return parts
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    if dims is None:
        return tree
    own.append(tree.select(dims, place))
    return own[-1]


def _stacked(results, dims):
    first = results[0]
    if isinstance(first, dict):
        return {key: _stacked([each[key] for each in results], dims[key]) for key in first}
    if isinstance(first, (list, tuple)):
        parts = [
            _stacked([each[place] for each in results], dims[place]) for place in range(len(first))
        ]
        if isinstance(first, list):
            return parts
        return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
    if dims is None:
        if isinstance(first, torch.Tensor):
            raise ValueError(
                "vmap: the function can not return a BatchedTensor when out_dim is None"
            )
        return first
    if not isinstance(first, torch.Tensor):
        raise ValueError(
            f"vmap: the function must only return Tensors, got type {type(first)}. "
            "Did you mean to set out_dims= to None for output?"
        )
    return torch.movedim(torch.stack(results), 0, dims)
