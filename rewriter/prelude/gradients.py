"""``torch.autograd.grad`` and ``torch.func`` in Python, by one operation: ``derivatives``."""

import torch


def derivatives(outputs, inputs, weights, keep, create_graph, allow_unused):
    """Return the gradients of tensors: what PyTorch's engine computes. The evaluator has a rule."""


def refuse(what):
    """Refuse the program, for what is not supported. The evaluator has a rule."""


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
):
    """``torch.autograd.grad``."""
    if is_grads_batched:
        refuse("gradients are computed in batches (is_grads_batched)")
    if not only_inputs:
        refuse("torch.autograd.grad warns of only_inputs, which it ignores")
    if isinstance(inputs, dict):
        refuse("torch.autograd.grad is asked for gradients with regard to a dict")
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, "
            "but got: allow_unused=False."
        )
    results = _tensors(outputs)
    sources = _tensors(inputs)
    if len(sources) == 0:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    weights = (None,) * len(results) if grad_outputs is None else _tensors(grad_outputs)
    keep = create_graph if retain_graph is None else retain_graph
    unused = materialize_grads if allow_unused is None else allow_unused
    found = derivatives(results, sources, weights, keep, create_graph, unused)
    return _materialized(found, sources) if materialize_grads else found


def _tensors(given):
    return (given,) if isinstance(given, torch.Tensor) else tuple(given)


def _materialized(found, sources):
    return tuple(
        torch.zeros_like(source) if gradient is None else gradient
        for gradient, source in zip(found, sources, strict=True)
    )


def of_function(func, argnums=0, has_aux=False):
    """``torch.func.grad``."""

    def derived(*args, **kwargs):
        found, _, aux = _derived(func, argnums, has_aux, args, kwargs)
        return (found, aux) if has_aux else found

    return derived


def of_function_and_value(func, argnums=0, has_aux=False):
    """``torch.func.grad_and_value``."""

    def derived(*args, **kwargs):
        found, value, aux = _derived(func, argnums, has_aux, args, kwargs)
        return (found, (value, aux)) if has_aux else (found, value)

    return derived


def _derived(func, argnums, has_aux, args, kwargs):
    several = isinstance(argnums, tuple)
    places = argnums if several else (argnums,)
    places = [place + len(args) if place < 0 else place for place in places]
    with torch.enable_grad():
        own = [_leaf(arg) if place in places else arg for place, arg in enumerate(args)]
        result = func(*own, **kwargs)
        value, aux = result if has_aux else (result, None)
        if not isinstance(value, torch.Tensor) or value.dim() != 0:
            refuse("torch.func.grad is given a function whose result is no tensor of rank 0")
        sources = tuple(own[place] for place in places)
        found = derivatives((value,), sources, (None,), True, True, True)
        found = _materialized(found, sources)
    return (found if several else found[0]), value, aux


def _leaf(arg):
    """Return a tensor that asks for gradients, and hands them on to what it was made of."""
    if not isinstance(arg, torch.Tensor):
        refuse("torch.func.grad is asked for gradients with regard to what is no tensor")
    return arg.view_as(arg).requires_grad_()


def vjp(func, *primals, has_aux=False):
    """``torch.func.vjp``."""
    with torch.enable_grad():
        own = tuple(_leaf(arg) for arg in primals)
        result = func(*own)
    value, aux = result if has_aux else (result, None)
    results = _tensors(value)

    def back(cotangents):
        with torch.enable_grad():
            found = derivatives(results, own, _tensors(cotangents), True, True, True)
            return _materialized(found, own)

    return (value, back, aux) if has_aux else (value, back)


_MOST_ROWS = 64


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    """``torch.func.jacrev``: of one output, with regard to one argument, row by row."""
    if has_aux or not isinstance(argnums, int):
        refuse("torch.func.jacrev is asked for more than one argument's derivatives")

    def derived(*args):
        place = argnums + len(args) if argnums < 0 else argnums
        source = args[place]

        def of_one(given):
            return func(*args[:place], given, *args[place + 1 :])

        value, back = vjp(of_one, source)
        if not isinstance(value, torch.Tensor) or value.numel() > _MOST_ROWS or not value.numel():
            refuse("torch.func.jacrev gives too many rows, or none, or is of more than a tensor")
        rows = []
        for each in range(value.numel()):
            chosen = torch.zeros(value.numel(), dtype=value.dtype)
            chosen[each] = 1
            rows.append(back(chosen.view(value.shape))[0])
        return torch.stack(rows).view(value.shape + source.shape)

    return derived
