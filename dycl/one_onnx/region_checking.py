"""Runs the files of regions beside the program that they are parts of.

The program runs on the example and on random arguments, and what variables hold when it comes to
a region is what the region's file is tried on.
"""

import copy
import warnings
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import Any

import torch

from dycl.backends.evidence import Evidence
from dycl.drawing_inputs import Inputs
from dycl.one_onnx.checking import MOST_NODES, NO_MEANING, as_call, compare, session_of
from dycl.one_onnx.feeding import array_of
from dycl.one_onnx.mixed import Mixed
from dycl.one_onnx.regions import Region
from dycl.user_inputs import clone_inputs
from hcfg.graph import Hcfg, NodeId
from hcfg.interpret import Interpreter
from hcfg.liveness import live

_ARRIVALS = 3
"""Of one call at one region, after which it is not looked at again."""

Values = dict[str, object]


def check_regions(mixed: Mixed, files: Mapping[NodeId, Path], samples: Sequence[Inputs]) -> None:
    """Raise ``CompileError`` where a region does something else than its part of the program."""
    sessions = {node_id: session_of(file, node_id) for node_id, file in files.items()}
    before = live(mixed.original).before
    for sample in samples:
        arrivals = _arrivals(mixed, sample)
        interpreter = Interpreter(graph=mixed.original, max_nodes=MOST_NODES)
        for node_id, values in arrivals:
            region = mixed.regions[node_id]
            meant = {target: before[target] for target in region.exits}
            _check_on(mixed, node_id, sessions[node_id], interpreter, values, meant)


def _arrivals(mixed: Mixed, sample: Inputs) -> list[tuple[NodeId, Values]]:
    """Run the program; return the regions that it comes to, with what variables hold there.

    Nobody sees that it ran: not its arguments, not what is kept between calls, not the console.
    """
    arrivals = _Arrivals(mixed)
    interpreter = Interpreter(
        graph=_with_own_state(mixed.original), max_nodes=MOST_NODES, observe=arrivals.note
    )
    arguments, keywords = as_call(clone_inputs(sample))
    nowhere = StringIO()
    with redirect_stdout(nowhere), redirect_stderr(nowhere), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(Exception):  # the program's own; what came before it is looked at
            interpreter.call(arguments, keywords)
    return arrivals.found


def _with_own_state(graph: Hcfg) -> Hcfg:
    """Return the graph with a copy of what is kept from one call to the next."""
    if graph.state is None:
        return graph
    state = copy.deepcopy(graph.state)
    knowns = {
        name: replace(known, value=state) if known.value is graph.state else known
        for name, known in graph.knowns.items()
    }
    return replace(graph, state=state, knowns=knowns)


@dataclass(slots=True)
class _Arrivals:
    """What variables hold where a call comes to regions."""

    mixed: Mixed
    found: list[tuple[NodeId, Values]] = field(default_factory=list)

    def note(self, node_id: NodeId, after: NodeId, values: Mapping[str, object]) -> None:
        """Take note of a step."""
        for name, region in self.mixed.regions.items():
            is_arrival = after == region.head and node_id not in region.nodes
            if is_arrival and sum(name == other for other, _ in self.found) < _ARRIVALS:
                self.found.append((name, {n: _own(values[n]) for n in region.inputs}))


def _check_on(
    mixed: Mixed,
    node_id: NodeId,
    session: Any,
    interpreter: Interpreter,
    values: Values,
    meant: Mapping[NodeId, frozenset[str]],
) -> None:
    """Compare one run; ``meant`` are the variables that are read after each exit."""
    region = mixed.regions[node_id]

    def compute() -> Sequence[torch.Tensor]:
        own = {name: _own(value) for name, value in values.items()}
        end = interpreter.run_from(region.head, region.exits, own)
        outputs = [_tensor(own[n]) if n in meant[end] else NO_MEANING for n in region.outputs]
        return [*outputs, *_code(region, end)]

    try:
        evidence = Evidence(compute)
    except Exception:  # the user's operators may refuse random values
        return
    feeds = {
        value.name: array_of(values[name])
        for name, value in zip(region.inputs, mixed.inputs(region), strict=True)
    }
    places = mixed.outputs(region)
    chosen = len(places) - 1 if len(region.exits) > 1 else None
    compare(session, feeds, places, evidence, chosen, node_id)


def _code(region: Region, end: NodeId) -> list[torch.Tensor]:
    """Return what says at which exit a path goes on."""
    number = region.exits.index(end)
    match len(region.exits):
        case 1:
            return []
        case 2:
            return [torch.tensor(number == 0)]
        case _:
            return [torch.tensor(number)]


def _tensor(value: object) -> torch.Tensor:
    return value if isinstance(value, torch.Tensor) else torch.from_numpy(array_of(value))


def _own(value: object) -> object:
    return value.clone() if isinstance(value, torch.Tensor) else value
