"""Programs of which nothing is to be taken apart go to the exporter as they are.

The exporter decomposes each program, which traces all of it anew: for a small program that is
most of the exporter's time. Where every operator has a translation, none writes to its arguments
and all sizes are numbers, tracing anew finds what is there. There is no public door: the exporter's
step is replaced while it runs, and another version of PyTorch that has it elsewhere decomposes
as before.
"""

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest import mock

import torch

from dycl.backends.onnx_graphs.plain_operators import is_composite, write_plainly

_STEP = "decompose_with_registry"


@contextmanager
def whole_operators_kept() -> Iterator[None]:
    """Have exports within this block decompose only what there is to decompose.

    Belongs within ``table_made_once``, whose lock keeps other threads' exports out.
    """
    try:
        from torch.onnx._internal.exporter import _fx_passes
    except ImportError:
        yield
        return
    if not hasattr(_fx_passes, _STEP):
        yield
        return
    with mock.patch.object(_fx_passes, _STEP, partial(_decomposed, getattr(_fx_passes, _STEP))):
        yield


def _decomposed(
    original: Callable[..., torch.export.ExportedProgram],
    program: torch.export.ExportedProgram,
    registry: Any,
) -> torch.export.ExportedProgram:
    if _is_flat(program):
        write_plainly(program)
    translated = {found[0].fx_target for found in registry.functions.values()}
    return program if is_whole(program, translated) else original(program, registry)


def is_whole(program: torch.export.ExportedProgram, translated: set[Any]) -> bool:
    """Return whether all sizes are numbers and all operators are translated as they are."""
    return _is_flat(program) and all(_is_whole(node, translated) for node in program.graph.nodes)


def _is_flat(program: torch.export.ExportedProgram) -> bool:
    """Return whether a program is one graph in which all sizes are numbers."""
    graphs = [m for m in program.graph_module.modules() if isinstance(m, torch.fx.GraphModule)]
    return len(graphs) == 1 and all(
        _has_fixed_sizes(node.meta.get("val")) for node in program.graph.nodes
    )


def _is_whole(node: torch.fx.Node, translated: set[Any]) -> bool:
    if node.op in ("placeholder", "output") or node.target is operator.getitem:
        return True
    return (
        isinstance(node.target, torch._ops.OpOverload)
        and node.target in translated
        and node.meta.get("val") is not None
        and not node.target._schema.is_mutable
        and not _is_always_taken_apart(node.target)
        and bool(node.users)
    )


def _is_always_taken_apart(target: Any) -> bool:
    """Return whether an operator is one that PyTorch takes apart in any case: it may be a view."""
    return is_composite(target) and (
        torch.Tag.maybe_aliasing_or_mutating in target.tags
        or any(each.alias_info for each in target._schema.returns)
    )


def _has_fixed_sizes(value: Any) -> bool:
    """Return whether the sizes of a node's value are numbers; tuples are of several outputs."""
    if isinstance(value, tuple | list):
        return all(_has_fixed_sizes(each) for each in value)
    if isinstance(value, torch.Tensor):
        return all(isinstance(size, int) for size in value.shape)
    return value is None
