"""What tests on the way to a node tell of sizes."""

from dataclasses import replace

from hcfg.graph import Branch, Hcfg, LoopHead
from hcfg.recordings import Recordings
from hcfg.sizes import with_values
from hcfg.told_sizes import told_sizes, with_sizes
from rewriter.program import ScalarSpec, SymbolRange, TensorSpec
from tests.hcfg.programs import Draft, branch, give, host, jump, tensor

TWO, THREE = (SymbolRange(minimum=size, maximum=size) for size in (2, 3))
SOME = SymbolRange(minimum=1)


def draft() -> Draft:
    return Draft(
        tensors={
            **dict.fromkeys(["x", "y", "z"], ("u0", 2)),
            "w": ("u1", 2),
            "a": (4,),
            "v": ("u0 + u1", 2),
        },
        knowns={},
        numbers=["n", "m"],
        symbols={"u0": SymbolRange(), "u1": SymbolRange()},
    )


def told(graph: Hcfg, kind: str) -> dict[str, dict[str, SymbolRange]]:
    return {n: dict(s) for n, s in told_sizes(graph).items() if n.startswith(kind)}


def test_an_arm_knows_and_what_follows_the_join_does_not() -> None:
    program = draft()
    test = replace(branch("n == 2", 1, 2), sizes_if_true={"u0": TWO})
    program.block(0, host("n", "len(x)"), end=test)
    program.block(1, tensor("y", "x + 1"), end=jump(3))
    program.block(2, tensor("y", "x + 2"), end=jump(3))
    program.block(3, tensor("z", "y * 2"), end=give("z"))
    assert told(program.graph(), "subdnn") == {"subdnn_0": {"u0": TWO}}


def test_what_all_ways_tell_holds_behind_the_join() -> None:
    program = draft()
    first = replace(branch("n != 2", 1, 2), sizes_if_false={"u0": TWO})
    second = replace(branch("m == 2", 3, 4), sizes_if_true={"u0": TWO})
    program.block(0, host("n", "len(x)"), host("m", "len(x)"), end=first)
    program.block(1, end=second)
    program.block(2, tensor("y", "x + 2"), end=jump(5))
    program.block(3, tensor("y", "x + 3"), end=jump(5))
    program.block(4, end=give("x"))
    program.block(5, tensor("z", "y * 2"), end=give("z"))
    known = {"u0": TWO}
    assert told(program.graph(), "subdnn") == dict.fromkeys(
        ["subdnn_0", "subdnn_1", "subdnn_2"], known
    )


def test_ways_that_tell_different_ranges_leave_what_both_allow() -> None:
    program = draft()
    first = replace(branch("n > 0", 1, 2), sizes_if_true={"u0": SOME})
    second = replace(branch("m == 3", 3, 4), sizes_if_true={"u0": THREE})
    program.block(0, host("n", "len(x)"), host("m", "len(x)"), end=first)
    program.block(1, tensor("y", "x + 1"), end=jump(5))
    program.block(2, end=second)
    program.block(3, tensor("y", "x + 3"), end=jump(5))
    program.block(4, end=give("x"))
    program.block(5, tensor("z", "y * 2"), end=give("z"))
    assert told(program.graph(), "subdnn") == {
        "subdnn_0": {"u0": SOME},
        "subdnn_1": {"u0": THREE},
        "subdnn_2": {"u0": SOME},
    }


def test_tests_one_after_the_other_tell_more() -> None:
    program = draft()
    first = replace(branch("n > 0", 1, 3), sizes_if_true={"u0": SOME})
    second = replace(branch("m < 5", 2, 3), sizes_if_true={"u0": SymbolRange(maximum=4)})
    program.block(0, host("n", "len(x)"), host("m", "len(x)"), end=first)
    program.block(1, end=second)
    program.block(2, tensor("y", "x + 1"), end=give("y"))
    program.block(3, end=give("x"))
    few = SymbolRange(minimum=1, maximum=4)
    graph = program.graph()
    assert told(graph, "subdnn") == {"subdnn_0": {"u0": few}}
    known = with_sizes(graph, told_sizes(graph)["subdnn_0"])
    assert known.symbols["u0"] == few
    assert known.variables == graph.variables


def test_what_the_symbol_says_itself_is_not_told() -> None:
    program = replace(draft(), symbols={"u0": SOME, "u1": SymbolRange()})
    test = replace(branch("n > 0", 1, 2), sizes_if_true={"u0": SOME})
    program.block(0, host("n", "len(x)"), end=test)
    program.block(1, tensor("y", "x + 1"), end=give("y"))
    program.block(2, end=give("x"))
    assert told_sizes(program.graph()) == {}


def test_an_iteration_tells_the_next_one_nothing() -> None:
    program = draft()
    inner = replace(branch("m == 2", 2, 3), sizes_if_true={"u0": TWO, "u1": TWO})
    program.block(0, host("n", "3"), tensor("w", "x + 0"), end=jump(1))
    program.block(1, tensor("w", "w * 2"), host("m", "len(w)"), end=inner)
    program.block(2, tensor("w", "w + 1"), end=branch("n", 1, 3))
    program.block(3, end=give("w"))
    graph = program.graph()
    (head,) = (name for name, node in graph.nodes.items() if isinstance(node, LoopHead))
    assert head not in told_sizes(graph)
    assert told(graph, "subdnn") == {"subdnn_2": {"u0": TWO, "u1": TWO}}


def test_a_loop_knows_what_was_told_of_arguments_before() -> None:
    program = draft()
    test = replace(branch("n == 2", 1, 4), sizes_if_true={"u0": TWO, "u1": TWO})
    program.block(0, host("n", "3"), tensor("w", "x + 0"), end=test)
    program.block(1, tensor("y", "x + 1"), end=jump(2))
    program.block(2, tensor("w", "w * 2"), end=branch("n", 2, 3))
    program.block(3, tensor("z", "x + 3"), end=give("z"))
    program.block(4, end=give("x"))
    assert told(program.graph(), "subdnn") == {
        "subdnn_1": {"u0": TWO, "u1": TWO},
        "subdnn_2": {"u0": TWO},
        "subdnn_3": {"u0": TWO},
    }


def test_a_graph_with_sizes_has_numbers_where_it_had_symbols() -> None:
    program = draft()
    program.block(0, tensor("y", "x + 1"), end=give("y"))
    graph = program.graph()
    specs = {name: v.spec for name, v in with_sizes(graph, {"u0": THREE}).variables.items()}
    assert specs["x"] == replace(graph.variables["x"].spec, shape=(3, 2))  # type: ignore[arg-type]
    assert isinstance(specs["v"], TensorSpec)
    assert specs["v"].shape == ("u1 + 3", 2)
    assert with_sizes(graph, {}) is graph


def test_a_number_that_is_a_size_gets_its_value() -> None:
    graph = graph_with_number(draft())
    spec = with_sizes(graph, {"u0": THREE}).variables["n"].spec
    assert isinstance(spec, ScalarSpec)
    assert (spec.minimum, spec.maximum, spec.size) == (7, 7, None)


def graph_with_number(program: Draft) -> Hcfg:
    program.block(0, host("n", "len(x) * 2 + 1"), end=give("x"))
    graph = program.graph()
    number = replace(graph.variables["n"], spec=ScalarSpec(type=int, size="2*u0 + 1"))
    return replace(graph, variables={**graph.variables, "n": number})


def test_a_size_with_values_is_canonical() -> None:
    assert with_values("2*u0 + 1", {"u0": 4}) == 9
    assert with_values("u0 + u1", {"u1": 4}) == "u0 + 4"
    assert with_values("u0*u1 + u0", {"u1": 4}) == "5*u0"
    assert with_values("u2", {"u1": 4}) == "u2"
    assert with_values(3, {"u1": 4}) == 3


def test_recordings_at_places_that_know_differ_from_others() -> None:
    program = draft()
    test = replace(branch("n == 2", 1, 2), sizes_if_true={"u0": TWO})
    program.block(0, host("n", "len(x)"), end=test)
    program.block(1, tensor("a", "x.view(4)"), end=give("a"))
    program.block(2, end=give("x"))
    graph = program.graph()
    (node_id,) = (name for name in graph.nodes if name.startswith("subdnn"))
    node = graph.nodes[node_id]
    recordings = Recordings()
    known = recordings.of(node_id, node, graph)  # type: ignore[arg-type]
    assert not known.diagnostics
    untold = {
        name: replace(each, sizes_if_true={}) if isinstance(each, Branch) else each
        for name, each in graph.nodes.items()
    }
    unknown = recordings.of(node_id, node, replace(graph, nodes=untold))  # type: ignore[arg-type]
    assert [d.code for d in unknown.diagnostics] == ["DYCL204"]
