"""Which way a host went: the branches it took and the sub-DNNs it ran, over many calls."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

Event: TypeAlias = tuple[object, ...]
"""``("branch", node, outcome, margin)`` or ``("subdnn", node)``."""


class Host(Protocol):
    """What verification needs of a compiled model."""

    @property
    def manifest(self) -> Mapping[str, Any]:
        """Return the parsed ``manifest.json``."""
        ...

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Run the model."""
        ...

    def observe(self, callback: Callable[..., object]) -> AbstractContextManager[object]:
        """Report events of calls in this thread while active."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One branch taken: where, which way, and how close it came to the other way."""

    node: str
    outcome: bool
    margin: float | None


@dataclass(slots=True)
class PathRecord:
    """What one call did, in order."""

    steps: list[Step] = field(default_factory=list)
    subdnns: list[str] = field(default_factory=list)

    def __call__(self, *event: object) -> None:
        """Take an event of the host."""
        match event:
            case ("branch", str(node), bool(outcome), *rest):
                margin = rest[0] if rest and isinstance(rest[0], float) else None
                self.steps.append(Step(node=node, outcome=outcome, margin=margin))
            case ("subdnn", str(node), *_):
                self.subdnns.append(node)
            case (tuple() as packed,):
                self(*packed)
            case _:
                raise ValueError(f"not an event of a host: {event!r}")

    @property
    def closest(self) -> Step | None:
        """Return the branch that came closest to going the other way."""
        known = [step for step in self.steps if step.margin is not None]
        return min(known, key=lambda step: abs(step.margin or 0.0), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchCoverage:
    """How often a branch went each way."""

    node: str
    label: str
    source: str
    taken_true: int
    taken_false: int
    smallest_margin: float | None

    @property
    def one_sided(self) -> bool:
        """Return whether an outcome never occurred."""
        return self.taken_true == 0 or self.taken_false == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SubDnnCoverage:
    """How often a sub-DNN ran."""

    node: str
    label: str
    source: str
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Which parts of the host the inputs reached."""

    branches: tuple[BranchCoverage, ...]
    subdnns: tuple[SubDnnCoverage, ...]
    distinct_paths: int

    @property
    def one_sided_branches(self) -> tuple[BranchCoverage, ...]:
        """Return the branches of which an outcome never occurred."""
        return tuple(branch for branch in self.branches if branch.one_sided)

    @property
    def outcomes(self) -> tuple[int, int]:
        """Return how many outcomes of branches occurred, and how many there are."""
        taken = sum((b.taken_true > 0) + (b.taken_false > 0) for b in self.branches)
        return taken, 2 * len(self.branches)

    @property
    def unused_subdnns(self) -> tuple[SubDnnCoverage, ...]:
        """Return the sub-DNNs that never ran."""
        return tuple(subdnn for subdnn in self.subdnns if subdnn.runs == 0)


def measure_coverage(manifest: Mapping[str, Any], paths: Sequence[PathRecord]) -> Coverage:
    """Count over all calls; nodes come in the order of the manifest's graph.

    Sub-DNNs for batches are not among them: they compute for many calls what others are for.
    """
    called = _called(manifest["graph"])
    nodes = [node for node in manifest["graph"]["nodes"] if node["id"] in called]
    ways = Counter((step.node, step.outcome) for path in paths for step in path.steps)
    runs = Counter(node for path in paths for node in path.subdnns)
    margins = _smallest_margins(paths)
    branches = tuple(
        BranchCoverage(
            node=node["id"],
            label=node["test"],
            source=node["source"] or "",
            taken_true=ways[node["id"], True],
            taken_false=ways[node["id"], False],
            smallest_margin=margins.get(node["id"]),
        )
        for node in nodes
        if "test" in node
    )
    subdnns = tuple(
        SubDnnCoverage(
            node=node["id"],
            label=node["id"],
            source=node["source"] or "",
            runs=runs[node["id"]],
        )
        for node in nodes
        if node["kind"] == "subdnn"
    )
    distinct = {tuple((s.node, s.outcome) for s in path.steps) for path in paths}
    return Coverage(branches=branches, subdnns=subdnns, distinct_paths=len(distinct))


def _called(graph: Mapping[str, Any]) -> set[str]:
    """Return the nodes that the program comes to, through its functions, too."""
    nodes = {node["id"]: node for node in graph["nodes"]}
    entries = {function["name"]: function["entry"] for function in graph.get("functions", ())}
    called: set[str] = set()
    pending = [graph["nodes"][0]["id"]]
    while pending:
        name = pending.pop()
        if name not in called:
            called.add(name)
            pending += nodes[name]["then"]
            pending += [entries[function] for function in nodes[name].get("calls", ())]
    return called


def _smallest_margins(paths: Sequence[PathRecord]) -> dict[str, float]:
    smallest: dict[str, float] = {}
    for path in paths:
        for step in path.steps:
            if step.margin is not None:
                smallest[step.node] = min(abs(step.margin), smallest.get(step.node, float("inf")))
    return smallest
