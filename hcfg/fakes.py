"""Fake tensors for the inputs of a sub-DNN, from what the table of variables says.

Sizes and integers that are known only at run time are *unbacked*: PyTorch knows nothing of them
but their bounds, so that no operation can take one of them for a particular number unseen.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import SymInt
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import (
    _constrain_range_for_size,
    constrain_range,
)
from torch.overrides import TorchFunctionMode

from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.sizes import (
    is_integer,
    is_made_of,
    is_symbolic,
    range_of,
    symbols_of,
)
from hcfg.trace_modes import WITHOUT_QUESTIONS, active
from rewriter.diagnostics import DyclBug
from rewriter.program import HostSpec, ScalarSpec, SymbolRange, TensorSpec
from rewriter.quiet_sizes import QuietSizes
from rewriter.size_texts import value_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracing:
    """How statements are run on fake tensors."""

    unknown_numbers: bool
    """Whether numbers may come up that are known only at run time. Costs time."""
    floor: int = 0
    """Symbolic sizes are at least this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeInputs:
    """What stands for the inputs of a sub-DNN."""

    mode: FakeTensorMode
    symbols: Mapping[str, SymInt | int]
    """What stands for each symbol of the inputs' sizes."""
    values: Mapping[str, torch.Tensor | SymInt | int]
    """A fake tensor, or a number of the trace, for each input by name."""

    @property
    def tensors(self) -> dict[str, torch.Tensor]:
        """Return the inputs that are tensors."""
        return {n: value for n, value in self.values.items() if isinstance(value, torch.Tensor)}

    def specialised(self) -> tuple[str, ...]:
        """Return the symbols that an operation took for one number."""
        return tuple(
            name
            for name, value in self.symbols.items()
            if isinstance(value, SymInt) and value.node.expr.is_number
        )


def has_unknown_numbers(node: SubDnn, graph: Hcfg) -> bool:
    """Return whether a size of an input, or an input, is a number known only at run time."""
    specs = [graph.variables[name].spec for name in node.inputs]
    return any(is_symbolic(spec) or is_integer(spec) for spec in specs)


def fake_inputs(node_id: NodeId, node: SubDnn, graph: Hcfg, tracing: Tracing) -> FakeInputs:
    """Return new fake inputs, in a mode of their own."""
    specs = {name: graph.variables[name].spec for name in node.inputs}
    mode = FakeTensorMode(shape_env=QuietSizes() if tracing.unknown_numbers else None)
    if tracing.unknown_numbers:
        # Results of operations on symbols are remembered for one trace only, and hardly asked for
        # again: remembering them takes as long as the operations.
        mode.cache_enabled = False
    symbols: dict[str, SymInt | int] = {}
    for symbol in symbols_of(specs.values()):
        bounds = range_of(symbol, graph.symbols)
        symbols[symbol] = _size(mode, raised(bounds, tracing.floor))
    values: dict[str, torch.Tensor | SymInt | int] = {}
    for name, spec in specs.items():
        match spec:
            case TensorSpec():
                shape = [value_of(size, symbols) for size in spec.shape]
                with mode:
                    values[name] = torch.empty(shape, dtype=spec.dtype)
            case ScalarSpec() if spec.type is int and is_made_of(spec.size, symbols):
                values[name] = value_of(spec.size, symbols)
            case ScalarSpec() if spec.type is int:
                values[name] = _unbacked(mode, spec.minimum, spec.maximum)
            case ScalarSpec() | HostSpec():
                raise DyclBug(f"{node_id}: {name!r} is no tensor, but read by tensor code")
    return FakeInputs(mode=mode, symbols=symbols, values=values)


@contextmanager
def unknown_numbers(wanted: bool) -> Iterator[None]:
    """Let PyTorch compute with numbers that a trace does not know, as ``torch.export`` does.

    The C++ versions of composite operations ask for their values, the Python versions do not.
    """
    if not wanted:
        yield
        return
    with (
        enable_python_dispatcher(),
        active(WITHOUT_QUESTIONS),
        _WithoutAssertions(),
    ):
        yield


class _WithoutAssertions(TorchFunctionMode):
    """Runs functions in C++ whose Python versions assert something that the C++ ones do not."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if func is not torch.nn.functional.one_hot:
            return func(*args, **dict(kwargs or {}))
        with torch._C._DisablePythonDispatcher():
            return func(*args, **dict(kwargs or {}))


@contextmanager
def quiet_traces() -> Iterator[None]:
    """Keep what PyTorch logs about operations that fail on fake tensors from the user."""
    logger = logging.getLogger("torch._subclasses.fake_tensor")
    before, logger.disabled = logger.disabled, True  # a new level would be told to every logger
    try:
        yield
    finally:
        logger.disabled = before


def raised(bounds: SymbolRange, floor: int) -> SymbolRange:
    """Return bounds without the sizes below ``floor``, where that leaves any."""
    low = max(bounds.minimum, floor)
    fits = bounds.maximum is None or low <= bounds.maximum
    return replace(bounds, minimum=low) if fits else bounds


def _size(mode: FakeTensorMode, bounds: SymbolRange) -> SymInt | int:
    if bounds.minimum == bounds.maximum:
        return bounds.minimum
    assert mode.shape_env is not None
    number = mode.shape_env.create_unbacked_symint()
    _constrain_range_for_size(number, min=bounds.minimum, max=bounds.maximum)
    return number


def _unbacked(mode: FakeTensorMode, low: int | None, high: int | None) -> SymInt | int:
    if low is not None and low == high:
        return low
    assert mode.shape_env is not None
    number = mode.shape_env.create_unbacked_symint()
    constrain_range(number, min=low, max=high)
    return number
