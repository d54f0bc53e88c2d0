"""Sub-DNNs whose sizes, bounds and indices are known only at run time."""

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch

from hcfg.dump import dump
from hcfg.graph import Hcfg, SubDnn
from hcfg.instances import assignments, instances
from hcfg.interpret import interpret
from hcfg.passes import run_passes
from hcfg.recording import Recording, record
from hcfg.sizes import line_of
from rewriter.diagnostics import CompileError
from rewriter.program import ScalarSpec, Statement, SymbolRange, TensorStatement
from rewriter.size_texts import symbols_in, value_of
from tests.hcfg.programs import Draft, give, host, tensor

SHAPES: dict[str, tuple[int | str, ...]] = {
    **dict.fromkeys(["x", "y", "z"], (1, "seq")),
    "w": (1, "u0"),
    "v": (1, "u1"),
    "s": (1,),
    "c": (3,),
}


def graph_of(*statements: Statement, result: str, low: int = 0, high: int | None = None) -> Hcfg:
    draft = Draft(
        tensors=SHAPES,
        knowns={"torch": torch},
        numbers=["n"],
        symbols={"seq": SymbolRange(minimum=low, maximum=high)},
    )
    draft.block(0, *statements, end=give(result))
    graph = draft.graph()
    number = replace(graph.variables["n"], spec=ScalarSpec(type=int, minimum=low, maximum=high))
    return replace(graph, variables={**graph.variables, "n": number})


def record_of(*statements: Statement, result: str, low: int = 0) -> Recording:
    graph = graph_of(*statements, result=result, low=low)
    name = next(n for n, node in graph.nodes.items() if isinstance(node, SubDnn))
    node = graph.nodes[name]
    assert isinstance(node, SubDnn)
    return record(name, node, graph)


def test_a_size_knows_its_symbols_and_its_value() -> None:
    assert symbols_in("u0 + 2*seq") == ("u0", "seq")
    assert symbols_in(3) == ()
    assert symbols_in("a word; another") == ("a word; another",)
    assert value_of("Min(u0, 4) + 2*seq", {"u0": 7, "seq": 3}) == 10
    assert value_of("a word; another", {"a word; another": 2}) == 2


def test_multiples_of_a_symbol() -> None:
    assert line_of("u0") == ("u0", 1, 0)
    assert line_of("u0 - 1") == ("u0", 1, -1)
    assert line_of("8*u0 - 3") == ("u0", 8, -3)
    assert line_of("2*(u0 + 1) + u0") == ("u0", 3, 2)
    for size in ("u0*u0", "u0 + u1", "5 - u0", "u0 // 2", "Max(0, u0)", "0*u0", "u0**2", 7):
        assert line_of(size) is None


def test_assignments_are_within_ranges_and_differ() -> None:
    ranges = {"a": SymbolRange(minimum=1, maximum=2), "b": SymbolRange()}
    found = [tuple(sizes.values()) for sizes in assignments(["a", "b"], ranges, (0, 1, 2))]
    assert found == [(1, 0), (1, 1), (2, 2), (1, 2), (2, 0)]
    assert list(assignments([], ranges, (0, 1))) == []


def test_bounds_are_part_of_the_structure() -> None:
    wide = record_of(tensor("y", "x * 2"), result="y")
    narrow = record_of(tensor("y", "x * 2"), result="y", low=2)
    assert wide.structure != narrow.structure
    assert wide.structure == record_of(tensor("z", "x * 2"), result="z").structure


def test_broadcasting_does_not_fix_a_size() -> None:
    with pytest.raises(CompileError, match=r"DYCL204: .* only for seq = 3"):
        run_passes(graph_of(tensor("y", "x + torch.ones(3)"), result="y"))


def test_only_sizes_at_which_the_program_says_the_result_count() -> None:
    kept = tensor("w", "x[0].unsqueeze(0).squeeze(1)")
    symbols = {"seq": SymbolRange(minimum=1)}
    draft = Draft(tensors={"x": (1, "seq"), "w": (1, "seq")}, knowns={}, symbols=symbols)
    draft.block(0, kept, end=give("w"))
    graph = draft.graph()
    node = graph.nodes["subdnn_0"]
    assert isinstance(node, SubDnn)
    assert record("subdnn_0", node, graph).outputs[0].copies == "x"


def test_slice_that_keeps_everything_is_the_input_for_all_sizes_or_for_none() -> None:
    whole = record_of(tensor("y", "x[:, 0:]"), result="y")
    assert whole.outputs[0].copies == "x"
    part = record_of(tensor("w", "x[:, :3]"), result="w")
    assert part.outputs[0].copies is None


def test_view_at_one_size_and_copy_at_another_is_a_write_to_the_input() -> None:
    turned = tensor("t", "m.t().reshape(-1).relu_()")
    draft = Draft(tensors={"m": (2, "seq"), "t": ("2*seq",)}, knowns={}, arguments=["m"])
    draft.block(0, turned, end=give("t"))
    graph = draft.graph()
    node = graph.nodes["subdnn_0"]
    assert isinstance(node, SubDnn)
    assert record("subdnn_0", node, graph).overwritten == {"m"}


@pytest.mark.parametrize(
    ("statement", "tried"),
    [
        (tensor("y", "x * 2"), False),  # nothing is said that could be otherwise at some size
        (tensor("y", "x[:, 0:]"), True),  # a copy of its input
        (tensor("y", "(x * 2).relu_()"), True),  # writes somewhere
        (tensor("c", "torch.ones(3)"), True),  # depends on no input
    ],
)
def test_sizes_are_tried_where_a_claim_may_not_hold_at_one_of_them(
    statement: TensorStatement, tried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[object] = []

    def counted(node: SubDnn, graph: Hcfg) -> Iterator[Hcfg]:
        for instance in instances(node, graph):
            sizes.append(instance)
            yield instance

    monkeypatch.setattr("hcfg.recording.instances", counted)
    record_of(tensor("z", "x + 1"), statement, result=f"({statement.pattern}, z)")
    assert bool(sizes) is tried


def test_result_that_depends_on_a_size_depends_on_the_inputs_with_it() -> None:
    ones = record_of(tensor("y", "torch.ones(1, x.shape[1])"), result="y")
    assert ones.outputs[0].depends_on == {"x"}
    counted = record_of(host("n", "x.shape[1]"), tensor("w", "torch.ones(1, n)"), result="w")
    assert counted.outputs[0].depends_on == {"n"}
    fixed = record_of(tensor("s", "x[:, 0] * 0 + 1"), tensor("c", "torch.ones(3)"), result="(s, c)")
    assert fixed.outputs[1].depends_on == frozenset()


def test_integers_are_inputs_of_sub_dnns() -> None:
    graph = graph_of(
        host("n", "x.shape[1] - 1"), tensor("w", "x[:, :n]"), tensor("v", "w * 2"), result="v"
    )
    result = run_passes(graph).graph
    node = result.nodes["subdnn_0"]
    assert isinstance(node, SubDnn)
    assert node.inputs == ("x", "n")
    assert "subdnn_0(x, n) -> v" in dump(result)
    assert "x: float32[1, seq]" in dump(result)
    for size in (1, 2, 5):
        x = torch.randn(1, size)
        found = interpret(result, x)
        assert isinstance(found, torch.Tensor)
        torch.testing.assert_close(found, x[:, : size - 1] * 2)


def test_sizes_that_depend_on_content() -> None:
    found = record_of(tensor("w", "x[x > 0].unsqueeze(0)"), result="w")
    assert found.outputs[0].depends_on == {"x"}
    assert not found.diagnostics


class _Noticed:
    """Runs Python when the garbage collector finds it: other threads get their turn."""

    def __init__(self) -> None:
        self.same = self

    def __del__(self) -> None:
        sum(range(300))


def test_sizes_are_read_in_threads() -> None:
    """Artifacts are checked in threads, each at another depth of calls."""
    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()

    def read(depth: int, number: int) -> tuple[str, ...]:
        if depth:
            return read(depth - 1, number)
        _Noticed()
        return symbols_in(f"u{number} + 2*u{number + 1} - Max(0, u0 + {number})")

    gc.set_threshold(1)
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda number: read(number % 4 * 5, number), range(1, 4000)))
    finally:
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(interval)
    assert found == [(f"u{n}", f"u{n + 1}", "u0") for n in range(1, 4000)]
