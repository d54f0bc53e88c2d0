"""Whether a sub-DNN does nothing at all where a size is 0, and what its results are then.

An expert without tokens multiplies matrices without rows, and adds no rows to the sum:

    out.index_add_(0, places, layer(tokens[places]))      # places has no elements

It runs on fake tensors of that size. What each operation makes has no elements, is a view of what
there is, or is written to no place; then each output is the input whose storage it has.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import torch

from hcfg.execution import stepwise
from hcfg.fakes import (
    Tracing,
    fake_inputs,
    has_unknown_numbers,
    quiet_traces,
    unknown_numbers,
)
from hcfg.graph import Hcfg, SubDnn
from hcfg.instances import instances
from hcfg.recording import is_same_view, weights_of
from hcfg.tape import Tape, storage_of, tensors_in, written_arguments
from hcfg.told_sizes import with_sizes
from rewriter.program import SymbolRange

_NOTHING = SymbolRange(minimum=0, maximum=0)

_NAMES = """
    _softmax _log_softmax _to_copy _unsafe_view addmm baddbmm bmm cat clone embedding gather index
    index_select linear matmul mm native_layer_norm repeat stack
"""
_FOR_NO_ROWS = frozenset(_NAMES.split())
"""Operations beside those of single elements that take tensors without any."""

_PLACES = frozenset({"index_add_", "index_copy_", "index_fill_", "scatter_", "scatter_add_"})
"""They write where their third argument says."""


def kept_when_empty(node: SubDnn, graph: Hcfg, symbol: str) -> Mapping[str, str] | None:
    """Return which input each output is, unchanged, where a size is 0.

    None where the sub-DNN then does anything, or something that is not known to do nothing.
    Outputs of which no input is known are left out.
    """
    empty = with_sizes(graph, {symbol: _NOTHING})
    kept = _kept(node, empty)
    # PyTorch may do something else where other sizes are 0 or 1
    for instance in instances(node, empty):
        there = _kept(node, instance) if kept is not None else None
        if kept is None or there is None:
            return None
        kept = dict(kept.items() & there.items())
    return kept


def _kept(node: SubDnn, graph: Hcfg) -> Mapping[str, str] | None:
    tracing = Tracing(unknown_numbers=has_unknown_numbers(node, graph))
    fakes = fake_inputs("subdnn", node, graph, tracing)
    tape = _IdleTape(fakes.mode, weights_of(node, graph))
    values: dict[str, object] = dict(fakes.values)
    numbers = unknown_numbers(tracing.unknown_numbers)
    # whatever PyTorch raises for no rows, it does something then
    with suppress(Exception), torch.no_grad(), quiet_traces(), tape, numbers:
        for _ in stepwise(node, graph, values):
            if not tape.is_idle:
                return None
        return _inputs_of(node, values, fakes.tensors)
    return None


def _inputs_of(
    node: SubDnn, values: Mapping[str, object], inputs: Mapping[str, torch.Tensor]
) -> Mapping[str, str] | None:
    found: dict[str, str] = {}
    for name in node.outputs:
        value = values[name]
        assert isinstance(value, torch.Tensor)
        same = [each for each, fake in inputs.items() if is_same_view(value, fake)]
        if same:
            found[name] = same[0]
    return found


class _IdleTape(Tape):  # type: ignore[no-untyped-call]  # torch has no types here
    """Watches whether operations do anything."""

    is_idle = True

    def _write_down(self, function: Any, given: Any, faked: Any, result: object) -> None:
        del given
        self.is_idle = self.is_idle and _does_nothing(function, faked, list(tensors_in(result)))


def _does_nothing(function: Any, given: Any, results: Sequence[torch.Tensor]) -> bool:
    args, kwargs = given
    name = function.overloadpacket.__name__
    if not _looks_up_nothing(function, args, kwargs):
        return False
    written = written_arguments(function, args, kwargs)
    if written:
        nowhere = name in _PLACES and not kwargs and _has_none(args[2])
        return nowhere or _puts_nowhere(name, args) or all(map(_has_none, written))
    storages = {storage_of(tensor) for tensor in tensors_in(given)}
    if results and all(storage_of(each) in storages for each in results):
        return True
    known = torch.Tag.pointwise in function.tags or name in _FOR_NO_ROWS
    return known and bool(results) and all(map(_has_none, results))


def _looks_up_nothing(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Return whether there are no places to look up, which runtimes do even for no rows."""
    names = [parameter.name for parameter in function._schema.arguments]
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    places = (given.get(name) for name in ("index", "indices"))
    return all(map(_has_none, tensors_in(list(places))))


def _has_none(value: object) -> bool:
    sizes = value.shape if isinstance(value, torch.Tensor) else ()
    return any(isinstance(size, int) and size == 0 for size in sizes)


def _puts_nowhere(name: str, args: Sequence[Any]) -> bool:
    """Return whether ``x[places] = y`` has no places."""
    if name not in ("index_put_", "_index_put_impl_"):
        return False
    places = [place for place in args[1] if place is not None]
    integers = all(place.dtype not in (torch.bool, torch.uint8) for place in places)
    return integers and any(map(_has_none, places))
