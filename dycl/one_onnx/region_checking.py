"""Runs the files of regions beside the program that they are parts of.

The program runs on the example and on random arguments, and what variables hold when it comes to
a region is what the region's file is tried on.
"""

import copy
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path

import torch

from dycl.drawing_inputs import Inputs
from dycl.one_onnx.checking import MOST_NODES, as_call, check_file
from dycl.one_onnx.mixed import Mixed
from dycl.user_inputs import clone_inputs
from hcfg.graph import Hcfg, NodeId
from hcfg.interpret import Interpreter

_ARRIVALS = 3
"""Of one call at one region, after which it is not looked at again."""


def check_regions(mixed: Mixed, files: Mapping[NodeId, Path], samples: Sequence[Inputs]) -> None:
    """Raise ``CompileError`` where a region does something else than its part of the program."""
    arrivals = [arrival for sample in samples for arrival in _arrivals(mixed, sample)]
    for node_id, file in files.items():
        inputs = [values for name, values in arrivals if name == node_id]
        check_file(mixed.plans[node_id], file, inputs, node_id)


def _arrivals(mixed: Mixed, sample: Inputs) -> list[tuple[NodeId, Inputs]]:
    """Run the program; return the regions that it comes to, with what variables hold there.

    Nobody sees that it ran: not its arguments, not what is kept between calls, not the console, not
    who draws random numbers next.
    """
    arrivals = _Arrivals(mixed)
    arguments, keywords = as_call(clone_inputs(sample))
    # the program's own exceptions, or those of a state that cannot be copied: what came before is
    # looked at
    with _unseen(), suppress(Exception):
        graph = _with_own_state(mixed.original)
        interpreter = Interpreter(graph=graph, max_nodes=MOST_NODES, observe=arrivals.note)
        interpreter.call(arguments, keywords)
    return arrivals.found


@contextmanager
def _unseen() -> Iterator[None]:
    """Keep what a program prints, warns, logs and draws from everybody."""
    nowhere, disabled = StringIO(), logging.root.manager.disable
    with (
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
        warnings.catch_warnings(),
        torch.random.fork_rng(devices=[]),
    ):
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        try:
            yield
        finally:
            logging.disable(disabled)


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
    found: list[tuple[NodeId, Inputs]] = field(default_factory=list)

    def note(self, node_id: NodeId, after: NodeId, values: Mapping[str, object]) -> None:
        """Take note of a step."""
        for name, region in self.mixed.regions.items():
            is_arrival = after == region.nodes[0] and node_id not in region.nodes
            if is_arrival and sum(name == other for other, _ in self.found) < _ARRIVALS:
                self.found.append((name, {n: _own(values[n]) for n in region.inputs}))


def _own(value: object) -> object:
    return value.clone() if isinstance(value, torch.Tensor) else value
