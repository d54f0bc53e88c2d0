"""Which borders between sub-DNNs are worth crossing in blocks, and what is right then."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import onnx

from dycl.backends.compiling import identity
from dycl.backends.onnxruntime.agreeing import agrees
from dycl.backends.onnxruntime.borders import Border
from dycl.backends.onnxruntime.compacting import compacted
from dycl.backends.onnxruntime.finite_graphs import with_sums_of_squares
from dycl.backends.onnxruntime.sentinels import blocked, is_natural
from dycl.capture import CapturedSubDnn

Ports = frozenset[str]
"""Inputs and outputs of a graph by name."""


@dataclass(slots=True, kw_only=True)
class Draft:
    """A sub-DNN on its way to two graphs."""

    subdnn: CapturedSubDnn
    plain: onnx.ModelProto
    """With its weights in it."""
    finite: onnx.ModelProto
    """The same for finite numbers."""
    ports: Mapping[str, Border]
    """Inputs and outputs of the graph that are at a border."""
    has_pools: bool
    made: dict[Ports, onnx.ModelProto | None] = field(default_factory=dict)

    def fast(self, ports: Ports) -> onnx.ModelProto | None:
        """Return the optimised graph with these inputs and outputs in blocks."""
        if ports not in self.made:
            made = blocked(self.finite, sorted(ports))
            self.made[ports] = None if made is None else compacted(made)
        return self.made[ports]

    def at(self, borders: Sequence[Border]) -> Ports:
        """Return the inputs and outputs that are at these borders."""
        return frozenset(port for port, border in self.ports.items() if border in borders)


def choose(
    drafts: Mapping[str, Draft], candidates: Sequence[Border], block: int
) -> tuple[dict[str, onnx.ModelProto], tuple[Border, ...]]:
    """Return the fast graphs that are worth it and right, and the borders in blocks."""
    refused: set[str] = set()
    borders = tuple(candidates)
    while True:
        kept = tuple(b for b in borders if _is_worth_it(b, borders, drafts, refused))
        if len(kept) < len(borders):
            borders = kept
            continue
        fast, wrong = _right(drafts, borders, refused, block)
        if not wrong:
            return fast, borders
        refused |= wrong


def _right(
    drafts: Mapping[str, Draft], borders: Sequence[Border], refused: set[str], block: int
) -> tuple[dict[str, onnx.ModelProto], set[str]]:
    """Return the fast graphs that agree, and the names of sub-DNNs whose do not."""
    fast: dict[str, onnx.ModelProto] = {}
    wrong: set[str] = set()
    seen: dict[tuple[str, Ports], bool] = {}
    for name, draft in drafts.items():
        ports = draft.at(borders)
        if name in refused or not (ports or draft.has_pools):
            continue
        model = draft.fast(ports)
        key = (identity(draft.subdnn), ports)
        if key not in seen:
            seen[key] = model is not None and _agrees(draft, model, ports, block)
        if model is None or not seen[key]:
            wrong.add(name)
        else:
            fast[name] = model
    return fast, wrong


def _agrees(draft: Draft, model: onnx.ModelProto, ports: Ports, block: int) -> bool:
    checked = onnx.ModelProto()
    checked.CopyFrom(model)
    with_sums_of_squares(checked)
    return agrees(draft.subdnn, draft.plain, checked, ports, block)


def _is_worth_it(
    border: Border, borders: Sequence[Border], drafts: Mapping[str, Draft], refused: set[str]
) -> bool:
    """Return whether more sub-DNNs compute with it in blocks than reorder it."""
    gain = 0
    for name, draft in drafts.items():
        ports = [port for port in draft.at(borders) if draft.ports[port] == border]
        if not ports:
            continue
        model = None if name in refused else draft.fast(draft.at(borders))
        if model is None:
            return False
        gain += sum(1 if is_natural(model, port) else -1 for port in ports)
    return gain > 0
