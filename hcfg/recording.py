"""What a sub-DNN computes: the ATen operations of its statements, recorded on fake tensors.

Takes a few milliseconds and computes nothing. Passes learn from it which outputs only copy
an input and which depend on no input; sharing compares sub-DNNs by it; capture reads weights
and operations from it. What PyTorch does that a compiled sub-DNN could not do faithfully
(drawing random numbers, changing a buffer of the model) comes back as diagnostics.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import nn

from hcfg.execution import known_objects, stepwise
from hcfg.fakes import fake_inputs, fake_mode, require_general
from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.tape import Tape, storage_of
from hcfg.watch import Watch
from rewriter.diagnostics import Diagnostic, DyclBug
from rewriter.program import TensorSpec


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
    opaque: bool
    """True when ``operations`` do not say everything, so that equal text proves nothing."""
    diagnostics: tuple[Diagnostic, ...]

    @property
    def structure(self) -> str:
        """Return a digest that is equal for sub-DNNs that are equal up to weights."""
        return hashlib.sha256("\n".join(self.operations).encode()).hexdigest()


def record(node_id: NodeId, node: SubDnn, graph: Hcfg) -> Recording:
    """Run a sub-DNN's statements on fake tensors and return what happened."""
    fakes = fake_mode(node, graph)
    inputs = fake_inputs(node_id, node, graph, fakes)
    tape = Tape(fakes, _weights_within(known_objects(node.statements, graph).values()))
    for index, fake in enumerate(inputs.values()):
        tape.add_input(index, fake)
    watch = Watch(tape=tape, inputs=inputs)
    values: dict[str, object] = dict(inputs)
    try:
        with torch.no_grad(), tape:
            for statement in stepwise(node, graph, values):
                watch.after(statement, values)
    except Exception as error:
        place = node.statements[watch.finished].origin.place
        raise DyclBug(f"{node_id}: {place} cannot run on fake tensors: {error}") from error
    require_general(node_id, fakes)
    watch.require_current(node_id, node.outputs, values)
    outputs = [_output_tensor(node_id, name, values[name], graph) for name in node.outputs]
    tape.canonical.add_outputs([tape.fake(output) for output in outputs])
    return Recording(
        operations=tuple(tape.canonical.lines),
        weights=tuple(tape.canonical.used_weights),
        outputs=_describe(node.outputs, [tape.fake(output) for output in outputs], inputs, tape),
        overwritten=frozenset(
            name for name, fake in inputs.items() if tape.write_counts[storage_of(fake)]
        ),
        opaque=tape.canonical.opaque,
        diagnostics=tuple(watch.diagnostics),
    )


def _weights_within(values: Iterable[object]) -> Mapping[int, torch.Tensor]:
    """Return the tensors that known objects hold for their computation, by ``id``."""
    weights: dict[int, torch.Tensor] = {}
    for value in values:
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
    static = all(isinstance(size, int) for size in (*spec.shape, *value.shape))
    if value.dtype != spec.dtype or (static and tuple(value.shape) != spec.shape):
        found = f"{value.dtype}{list(value.shape)}"
        raise DyclBug(f"{node_id}: output {name!r} is {found}, the program says {spec}")
    return value


def _describe(
    names: Sequence[str],
    outputs: Sequence[torch.Tensor],
    inputs: Mapping[str, torch.Tensor],
    tape: Tape,
) -> tuple[Output, ...]:
    input_names = tuple(inputs)
    unwritten = {n: t for n, t in inputs.items() if not tape.write_counts[storage_of(t)]}
    earlier: dict[str, torch.Tensor] = {}
    described = []
    for name, output in zip(names, outputs, strict=True):
        copies = (n for n, fake in unwritten.items() if is_same_view(output, fake))
        repeats = (n for n, other in earlier.items() if is_same_view(output, other))
        described.append(
            Output(
                name=name,
                copies=next(copies, None),
                repeats=next(repeats, None),
                depends_on=frozenset(
                    input_names[index] for index in tape.depends_on[storage_of(output)]
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
        and first.shape == second.shape
        and first.stride() == second.stride()
        and first.storage_offset() == second.storage_offset()
        and first.is_conj() == second.is_conj()
        and first.is_neg() == second.is_neg()
    )
