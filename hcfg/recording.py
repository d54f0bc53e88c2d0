"""What a sub-DNN computes: the ATen operations of its statements, recorded on fake tensors.

Takes a few milliseconds and computes nothing. Passes learn from it which outputs only copy
an input and which depend on no input; sharing compares sub-DNNs by it; capture reads weights
and operations from it. What PyTorch does that a compiled sub-DNN could not do faithfully
(drawing random numbers, changing a buffer of the model) comes back as diagnostics.
"""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import torch
from torch import nn
from torch.fx.experimental.symbolic_shapes import (
    GuardOnDataDependentSymNode,
    statically_known_true,
)

from hcfg.execution import known_objects, stepwise
from hcfg.fakes import (
    FakeInputs,
    Tracing,
    fake_inputs,
    has_unknown_numbers,
    quiet_traces,
    raised,
    unknown_numbers,
)
from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.instances import instances
from hcfg.sizes import range_of
from hcfg.statements import writes
from hcfg.tape import Tape, storage_of
from hcfg.watch import Watch
from rewriter.diagnostics import CompileError, Diagnostic, DyclBug
from rewriter.origin import Origin
from rewriter.program import ScalarSpec, TensorSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What is known about one output of a sub-DNN."""

    name: str
    copies: str | None
    """The input whose unchanged content it is."""
    repeats: str | None
    """The earlier output whose content it is, too."""
    depends_on: frozenset[str]
    """The inputs that can change its content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The operations of one sub-DNN and what follows from them."""

    operations: tuple[str, ...]
    """Canonical lines: inputs, weights and literals as they appear, operations, results."""
    weights: tuple[torch.Tensor, ...]
    """The user's own tensors, in order of first use."""
    outputs: tuple[Output, ...]
    overwritten: frozenset[str]
    """Inputs into whose storage the statements write."""
    works_in_place: bool
    """Whether some operation writes into a tensor."""
    opaque: bool
    """True when ``operations`` do not say everything, so that equal text proves nothing."""
    diagnostics: tuple[Diagnostic, ...]
    floor: int = 0
    """Symbolic sizes below this one may need other operations."""

    @property
    def structure(self) -> str:
        """Return a digest that is equal for sub-DNNs that are equal up to weights."""
        return hashlib.sha256("\n".join(self.operations).encode()).hexdigest()


_AFTER_A_TEST = "the result has other sizes after a test of them"


def record(node_id: NodeId, node: SubDnn, graph: Hcfg) -> Recording:
    """Run a sub-DNN's statements on fake tensors and return what happened."""
    try:
        recording = _record_general(node_id, node, graph)
    except WrongOutput as error:
        if not has_unknown_numbers(node, graph):
            raise
        # It is right at the sizes that the host has tested before, which a trace does not know.
        place = next(s for s in reversed(node.statements) if error.name in writes(s))
        raise DependsOnNumbers(_depends_on_numbers(place.origin, _AFTER_A_TEST)) from error
    for instance in instances(node, graph) if _claims_something(recording, node) else ():
        # Where it cannot run, nor can the original. Where the program says another result, it
        # does not come here at these sizes: it has tested them before.
        with suppress(CannotRun, DependsOnNumbers, WrongOutput):
            recording = _where_both(recording, _record_general(node_id, node, instance))
    return recording


_KNOWN = (Tracing(unknown_numbers=False), Tracing(unknown_numbers=True))
"""For inputs without symbols: a size may still depend on content, as in ``x[x > 0]``."""

_UNKNOWN = tuple(Tracing(unknown_numbers=True, floor=floor) for floor in (0, 1, 2))
"""PyTorch decides some things by whether a size is 0 or 1, and cannot of a size of which it knows
nothing. What is recorded for larger sizes is compared with PyTorch at the smaller ones, when it
is compiled."""


def _record_general(node_id: NodeId, node: SubDnn, graph: Hcfg) -> Recording:
    """Return the recording made in the first way that works."""
    *others, last = _UNKNOWN if has_unknown_numbers(node, graph) else _KNOWN
    for tracing in others:
        with suppress(CannotRun, DependsOnNumbers):
            return _record(node_id, node, graph, tracing)
    return _record(node_id, node, graph, last)


class DependsOnNumbers(CompileError):
    """Which operations run depends on a size or number of run time."""

    def __init__(self, diagnostic: Diagnostic, place: int | None = None) -> None:
        """``place`` is the number of the statement that asks, None where no single one does."""
        super().__init__([diagnostic])
        self.place = place


class CannotRun(DyclBug):
    """A statement of a sub-DNN raises."""


class WrongOutput(DyclBug):
    """An output is not what the program says."""

    def __init__(self, message: str, name: str) -> None:
        super().__init__(message)
        self.name = name


def _claims_something(recording: Recording, node: SubDnn) -> bool:
    """Return whether a recording says what may not hold at particular sizes.

    What writes nowhere overwrites no input, whether a view turns out a copy or not.
    """
    return recording.works_in_place or any(
        output.copies or output.repeats or len(output.depends_on) < len(node.inputs)
        for output in recording.outputs
    )


def _where_both(general: Recording, instance: Recording) -> Recording:
    """Return a recording with only those claims about outputs that hold in both."""
    outputs = tuple(
        replace(
            output,
            copies=output.copies if output.copies == other.copies else None,
            repeats=output.repeats if output.repeats == other.repeats else None,
            depends_on=output.depends_on | other.depends_on,
        )
        for output, other in zip(general.outputs, instance.outputs, strict=True)
    )
    overwritten = general.overwritten | instance.overwritten
    return replace(general, outputs=outputs, overwritten=overwritten)


def _record(node_id: NodeId, node: SubDnn, graph: Hcfg, tracing: Tracing) -> Recording:
    fakes = fake_inputs(node_id, node, graph, tracing)
    tape = Tape(fakes.mode, weights_of(node, graph))
    for index, fake in enumerate(fakes.values.values()):
        tape.add_input(index, fake)
    _add_bounds(tape, fakes, graph, tracing.floor)
    watch = Watch(tape=tape, fakes=fakes, node=node, variables=graph.variables)
    values: dict[str, object] = dict(fakes.values)
    try:
        with torch.no_grad(), quiet_traces(), tape, unknown_numbers(tracing.unknown_numbers):
            for statement in stepwise(node, graph, values):
                watch.after(statement, values)
    except GuardOnDataDependentSymNode as error:
        origin = node.statements[watch.finished].origin
        reason = _depends_on_numbers(origin, error.cond)
        raise DependsOnNumbers(reason, watch.finished) from error
    except Exception as error:
        origin = node.statements[watch.finished].origin
        if fakes.symbols and has_unknown_numbers(node, graph):
            # PyTorch took an unknown size for one that it is at some calls only.
            raise DependsOnNumbers(_depends_on_numbers(origin, error), watch.finished) from error
        message = f"{node_id}: {origin.place} cannot run on fake tensors: {error}"
        raise CannotRun(message) from error
    watch.require_current(node_id, node.outputs, values)
    outputs = [_output_tensor(node_id, name, values[name], graph) for name in node.outputs]
    tape.canonical.add_outputs([tape.fake(output) for output in outputs])
    return Recording(
        operations=tuple(tape.canonical.lines),
        weights=tuple(tape.canonical.used_weights),
        outputs=_describe(node, [tape.fake(output) for output in outputs], fakes.tensors, tape),
        overwritten=frozenset(
            name for name, fake in fakes.tensors.items() if tape.write_counts[storage_of(fake)]
        ),
        works_in_place=any(tape.write_counts.values()),
        opaque=tape.canonical.opaque,
        floor=tracing.floor,
        diagnostics=tuple(watch.diagnostics),
    )


def _depends_on_numbers(origin: Origin, condition: object) -> Diagnostic:
    return Diagnostic(
        code="DYCL205",
        message="which operations this needs depends on a size or number that is known only at "
        f"run time: {condition}",
        origin=origin,
        help="test the size in Python and write both ways, or use operations for every size",
    )


def _add_bounds(tape: Tape, fakes: FakeInputs, graph: Hcfg, floor: int) -> None:
    """Write down what is known of numbers: what is computed may rely on it."""
    for symbol, number in fakes.symbols.items():
        bounds = raised(range_of(symbol, graph.symbols), floor)
        tape.canonical.add_number(number, bounds.minimum, bounds.maximum)
    for name, value in fakes.values.items():
        spec = graph.variables[name].spec
        if isinstance(spec, ScalarSpec) and not isinstance(value, torch.Tensor):
            tape.canonical.add_number(value, spec.minimum, spec.maximum)


def weights_of(node: SubDnn, graph: Hcfg) -> Mapping[int, torch.Tensor]:
    """Return the tensors that known objects hold for their computation, by ``id``."""
    weights: dict[int, torch.Tensor] = {}
    for value in known_objects(node.statements, graph).values():
        owner = getattr(value, "__self__", value)  # of a bound method
        if isinstance(owner, torch.Tensor):
            weights[id(owner)] = owner
        elif isinstance(owner, nn.Module):
            weights.update((id(t), t) for t in (*owner.parameters(), *owner.buffers()))
    return weights


def _output_tensor(node_id: NodeId, name: str, value: object, graph: Hcfg) -> torch.Tensor:
    spec = graph.variables[name].spec
    if not isinstance(value, torch.Tensor) or not isinstance(spec, TensorSpec):
        raise DyclBug(f"{node_id}: output {name!r} is no tensor, but {type(value).__name__}")
    fits = len(value.shape) == len(spec.shape) and all(
        wanted == size
        for wanted, size in zip(spec.shape, value.shape, strict=True)
        if isinstance(wanted, int) and isinstance(size, int)
    )
    if value.dtype != spec.dtype or not fits:
        found = f"{value.dtype}{list(value.shape)}"
        raise WrongOutput(f"{node_id}: output {name!r} is {found}, the program says {spec}", name)
    return value


def _describe(
    node: SubDnn,
    outputs: Sequence[torch.Tensor],
    inputs: Mapping[str, torch.Tensor],
    tape: Tape,
) -> tuple[Output, ...]:
    unwritten = {n: t for n, t in inputs.items() if not tape.write_counts[storage_of(t)]}
    earlier: dict[str, torch.Tensor] = {}
    described = []
    for name, output in zip(node.outputs, outputs, strict=True):
        copies = (n for n, fake in unwritten.items() if is_same_view(output, fake))
        repeats = (n for n, other in earlier.items() if is_same_view(output, other))
        described.append(
            Output(
                name=name,
                copies=next(copies, None),
                repeats=next(repeats, None),
                depends_on=frozenset(
                    node.inputs[index] for index in tape.depends_on[storage_of(output)]
                ),
            )
        )
        earlier[name] = output
    return tuple(described)


def is_same_view(first: torch.Tensor, second: torch.Tensor) -> bool:
    """Return whether two tensors are the same elements of the same storage, in one order."""
    return (
        storage_of(first) == storage_of(second)
        and first.dtype == second.dtype
        and _same(first.shape, second.shape)
        and _same(first.stride(), second.stride())
        and _same([first.storage_offset()], [second.storage_offset()])
        and first.is_conj() == second.is_conj()
        and first.is_neg() == second.is_neg()
    )


def _same(first: Sequence[int | torch.SymInt], second: Sequence[int | torch.SymInt]) -> bool:
    """Return whether numbers are equal whatever the symbols in them stand for."""
    return len(first) == len(second) and all(
        statically_known_true(left == right) for left, right in zip(first, second, strict=True)
    )
