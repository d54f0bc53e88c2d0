"""A recording that is taken from a sub-DNN alike is the one that would be made anew."""

import dataclasses
from collections.abc import Callable, Hashable

import pytest
import torch
from torch import nn

import hcfg.recordings
from dycl.api import optimised
from dycl.options import CompileOptions
from hcfg.alike import likeness
from hcfg.graph import SubDnn
from hcfg.recording import Recording, record
from hcfg.recordings import Recordings
from rewriter import rewrite
from rewriter.alike import DescribedModules
from rewriter.program import SymbolRange
from tests.hcfg.programs import tensor
from tests.hcfg.recorded import draft_of

Shape = tuple[int | str, ...]


class Block(nn.Module):
    """A residual block, which the program calls as a whole."""

    def __init__(self, eps: float = 1e-5) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(4, eps=eps)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = self.relu(self.norm(self.layer(x)))
        y += x
        return y


class Recurrent(Block):
    """A block with a recurrent layer, which holds weak references to its weights."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRU(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = self.cell(x)[0]
        return super().forward(y)


class Deep(nn.Module):
    """Blocks between decisions."""

    def __init__(self, blocks: list[Block], scales: list[float]) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(blocks)
        self.scales = scales

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block, scale in zip(self.blocks, self.scales, strict=True):
            y = block(x)
            x = y * scale
            if x.sum().item() > 0.0:
                x = x + y
        return x


def _tied() -> list[Block]:
    blocks = [Block() for _ in range(3)]
    blocks[1].layer.weight = blocks[0].layer.weight
    return blocks


def _observed() -> list[Block]:
    blocks = [Block() for _ in range(3)]
    for number, block in enumerate(blocks):
        block.norm.register_forward_hook(lambda *seen, number=number: seen[-1] * (number + 1.0))
    return blocks


@pytest.mark.parametrize(
    ("blocks", "scales", "most"),
    [
        (lambda: [Block() for _ in range(5)], [1.0] * 5, 6),
        (lambda: [Recurrent() for _ in range(5)], [1.0] * 5, 6),
        (lambda: [Block(), Block(), Block(eps=0.1)], [1.0] * 3, None),
        (lambda: [Block() for _ in range(3)], [1.0, 2.0, 1.0], None),
        (lambda: [Block() for _ in range(3)], [0.0, -0.0, 0.0], None),
        (_tied, [1.0] * 3, None),
        (_observed, [1.0] * 3, None),
    ],
)
def test_recordings_are_those_made_anew(
    blocks: Callable[[], list[Block]],
    scales: list[float],
    most: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[Recording] = []

    def recorded(*arguments: object) -> Recording:
        made.append(record(*arguments))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(hcfg.recordings, "record", recorded)
    program = rewrite(Deep(blocks(), scales).eval(), (torch.ones(2, 4),))
    done = optimised(program, CompileOptions())
    nodes = {i: node for i, node in done.graph.nodes.items() if isinstance(node, SubDnn)}
    assert most is None or len(made) <= most < len(nodes) * 2
    for node_id, node in nodes.items():
        found = done.report.recordings.of(node_id, node, done.graph)
        anew = record(node_id, node, done.graph)
        assert [id(weight) for weight in found.weights] == [id(w) for w in anew.weights]
        assert _without_weights(found) == _without_weights(anew)


def _without_weights(recording: Recording) -> Recording:
    return dataclasses.replace(recording, weights=())


class Own(nn.Linear):
    """A layer of the user's, which may do anything."""


@pytest.mark.parametrize(
    "layer",
    [Own(4, 4), nn.utils.parametrizations.weight_norm(nn.Linear(4, 4))],
)
def test_what_is_not_certain_is_like_nothing(layer: nn.Module) -> None:
    graph = draft_of(tensor("y", "net(x)"), result="y", net=layer).graph()
    node = graph.nodes["subdnn_0"]
    assert isinstance(node, SubDnn)
    assert likeness(node, graph, DescribedModules()) is None


def _key_of(x: Shape, other: Shape, ranges: dict[str, SymbolRange]) -> Hashable:
    draft = draft_of(tensor("y", "torch.cat([x, z])"), result="y")
    tensors = {"x": x, "z": other, "y": ("both", 4)}
    draft = dataclasses.replace(draft, tensors=tensors, arguments=("x", "z"), symbols=ranges)
    graph = draft.graph()
    node = graph.nodes["subdnn_0"]
    assert isinstance(node, SubDnn)
    found = likeness(node, graph, DescribedModules())
    assert found is not None
    return found.key


def test_symbols_of_sizes_are_the_sub_dnns_own() -> None:
    rows = _key_of(("u0", 4), ("u0", 4), {})
    assert rows == _key_of(("u7", 4), ("u7", 4), {"u0": SymbolRange(minimum=2)})
    assert _key_of(("u0 + 1", 4), ("u1", 4), {}) == _key_of(("u3 + 1", 4), ("u2", 4), {})


@pytest.mark.parametrize(
    ("x", "other", "ranges"),
    [
        (("u0", 4), ("u1", 4), {}),
        (("u0", 4), ("u0 + 1", 4), {}),
        (("u0", 4), (5, 4), {}),
        (("u0", 4), ("u0", 4), {"u0": SymbolRange(minimum=1)}),
    ],
)
def test_other_sizes_of_run_time_are_not_alike(
    x: Shape, other: Shape, ranges: dict[str, SymbolRange]
) -> None:
    assert _key_of(x, other, ranges) != _key_of(("u0", 4), ("u0", 4), {})


def test_names_and_weights_are_the_sub_dnns_own() -> None:
    recordings = Recordings()
    first, second = nn.Linear(4, 4), nn.Linear(4, 4)
    for target, net in (("y", first), ("z", second)):
        graph = draft_of(tensor(target, "net(x)"), result=target, net=net).graph()
        node = graph.nodes["subdnn_0"]
        assert isinstance(node, SubDnn)
        found = recordings.of("subdnn_0", node, graph)
        assert [output.name for output in found.outputs] == [target]
        assert [id(weight) for weight in found.weights] == [id(net.weight), id(net.bias)]


@pytest.mark.parametrize("places", [[(1, 2), (3, 4), (5, 5)], [(5, 5), (3, 4)]])
def test_what_is_refused_stands_where_the_sub_dnn_does(places: list[tuple[int, int]]) -> None:
    """Two statements on one line: that of the other sub-DNN is not known, so it is recorded."""
    recordings = Recordings()
    statements = tensor("y", "drop(x)"), tensor("z", "drop(y)")
    graph = draft_of(*statements, result="z", drop=nn.Dropout()).graph()
    node = graph.nodes["subdnn_0"]
    assert isinstance(node, SubDnn)
    for lines in places:
        placed = tuple(
            dataclasses.replace(each, origin=dataclasses.replace(each.origin, line=line))
            for each, line in zip(node.statements, lines, strict=True)
        )
        found = recordings.of("subdnn_0", dataclasses.replace(node, statements=placed), graph)
        assert [each.origin and each.origin.line for each in found.diagnostics] == [*lines]
