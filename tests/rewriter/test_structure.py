"""Structuring: the same walk through the graph and through the nested code."""

import random
from collections.abc import Collection

import pytest

from rewriter.diagnostics import DyclBug
from rewriter.printing import drafting
from rewriter.printing.drafts import Draft, Scope, TooDeep
from rewriter.printing.jumps import Lowering
from rewriter.printing.structure import structure
from rewriter.printing.structured import (
    Body,
    Break,
    Continue,
    If,
    IfFlag,
    Loop,
    Once,
    Places,
    SetFlag,
    Straight,
)
from tests.rewriter.building import edges as edges_of
from tests.rewriter.random_programs import random_program
from tests.rewriter.walking import Edges, all_items, depth, walk_body, walk_graph

COUNT = 200


def check(edges: Edges, entry: int, tests: Collection[int] = (), walks: int = 20) -> Body[int]:
    """Structure a graph, compare walks, and see that nothing is duplicated or lost."""
    body = structure(edges, entry, tests)
    for seed in range(walks):
        assert walk_body(body, edges, tests, seed) == walk_graph(edges, entry, seed)
    straight = [item.node for item in all_items(body) if isinstance(item, Straight)]
    tested = [item.node for item in all_items(body) if isinstance(item, If)]
    tested += [i.test for i in all_items(body) if isinstance(i, Loop) and i.test is not None]
    assert len(straight) == len(set(straight))
    assert len(tested) == len(set(tested))
    return body


def straight(node: int) -> Straight[int]:
    return Straight(node=node)


def test_an_if_with_two_arms() -> None:
    assert check({0: (1, 2), 1: (3,), 2: (3,), 3: ()}, 0) == (
        straight(0),
        If(node=0, negated=False, then=(straight(1),), orelse=(straight(2),)),
        straight(3),
    )


@pytest.mark.parametrize("negated", [False, True])
def test_an_if_with_one_arm(negated: bool) -> None:
    leaving = (2, 1) if negated else (1, 2)
    assert check({0: leaving, 1: (2,), 2: ()}, 0) == (
        straight(0),
        If(node=0, negated=negated, then=(straight(1),)),
        straight(2),
    )


def test_an_early_return_is_a_guard() -> None:
    assert check({0: (1, 2), 1: (), 2: (3, 4), 3: (), 4: ()}, 0, {0, 2}) == (
        If(node=0, negated=False, then=(straight(1),)),
        If(node=2, negated=False, then=(straight(3),)),
        straight(4),
    )


def test_a_branch_with_equal_targets_still_runs_its_test() -> None:
    assert check({0: (1, 1), 1: ()}, 0, {0}) == (
        If(node=0, negated=False, then=()),
        straight(1),
    )


def test_a_chain_of_tests_is_an_elif_chain() -> None:
    body = check({0: (1, 2), 1: (9,), 2: (3, 4), 3: (9,), 4: (5, 6), 5: (9,), 6: (9,), 9: ()}, 0,
                 {0, 2, 4})  # fmt: skip
    assert depth(body) == 1


def test_a_while_loop_with_its_test_at_the_head() -> None:
    assert check({0: (1,), 1: (2, 3), 2: (1,), 3: ()}, 0, {1}) == (
        straight(0),
        Loop(test=1, negated=False, body=(straight(2),)),
        straight(3),
    )


def test_a_while_loop_that_ends_when_its_test_holds() -> None:
    assert check({0: (2, 1), 1: (0,), 2: ()}, 0, {0}) == (
        Loop(test=0, negated=True, body=(straight(1),)),
        straight(2),
    )


def test_a_loop_whose_head_computes_its_test() -> None:
    assert check({0: (1, 2), 1: (0,), 2: ()}, 0) == (
        Loop(
            test=None,
            negated=False,
            body=(straight(0), If(node=0, negated=True, then=(Break(),)), straight(1)),
        ),
        straight(2),
    )


def test_a_loop_with_its_test_at_the_end() -> None:
    assert check({0: (1,), 1: (0, 2), 2: ()}, 0) == (
        Loop(
            test=None,
            negated=False,
            body=(straight(0), straight(1), If(node=1, negated=True, then=(Break(),))),
        ),
        straight(2),
    )


def test_break_with_code_of_its_own() -> None:
    """``while p: if q: found; break`` with something else after the last round."""
    body = check({0: (1, 4), 1: (2, 3), 2: (5,), 3: (0,), 4: (5,), 5: ()}, 0, {0})
    assert not any(isinstance(item, Once | SetFlag) for item in all_items(body))
    assert body[-1] == straight(5)


def test_a_return_inside_a_loop_stays_inside() -> None:
    assert check({0: (1, 4), 1: (2, 3), 2: (), 3: (0,), 4: ()}, 0, {0, 1}) == (
        Loop(
            test=0,
            negated=False,
            body=(If(node=1, negated=False, then=(straight(2),)), straight(3)),
        ),
        straight(4),
    )


def test_an_endless_loop() -> None:
    assert check({0: (1,), 1: (0,)}, 0) == (
        Loop(test=None, negated=False, body=(straight(0), straight(1))),
    )


def test_nested_loops() -> None:
    body = check({0: (1, 5), 1: (2,), 2: (3, 4), 3: (2,), 4: (0,), 5: ()}, 0, {0, 2})
    inner = Loop(test=2, negated=False, body=(straight(3),))
    outer = Loop(test=0, negated=False, body=(straight(1), inner, straight(4)))
    assert body == (outer, straight(5))


def test_break_of_the_outer_loop_raises_a_flag() -> None:
    edges = {0: (1, 9), 1: (2, 5), 2: (3, 4), 3: (9,), 4: (1,), 5: (0,), 9: ()}
    body = check(edges, 0, {0, 1, 2}, walks=100)
    assert [item for item in all_items(body) if isinstance(item, SetFlag | IfFlag)] == [
        SetFlag(flag=1, value=False),
        SetFlag(flag=1, value=True),
        IfFlag(flag=1, action=Break()),
    ]


def test_continue_of_the_outer_loop_raises_a_flag() -> None:
    edges = {0: (1, 9), 1: (2, 5), 2: (3, 4), 3: (0,), 4: (6, 1), 6: (5,), 5: (0,), 9: ()}
    body = check(edges, 0, {0, 1, 2, 4}, walks=100)
    actions = [item.action for item in all_items(body) if isinstance(item, IfFlag)]
    assert actions == [Continue()]


def test_an_inner_loop_at_the_end_of_an_outer_one_needs_no_flag_to_continue_it() -> None:
    edges = {0: (1, 9), 1: (2, 5), 2: (3, 4), 3: (0,), 4: (1,), 5: (0,), 9: ()}
    body = check(edges, 0, {0, 1, 2}, walks=100)
    assert not any(isinstance(item, SetFlag) for item in all_items(body))


def test_break_through_three_loops() -> None:
    edges = {0: (1, 9), 1: (2, 8), 2: (3, 7), 3: (4, 5), 4: (9,), 5: (2,), 7: (1,), 8: (0,), 9: ()}
    body = check(edges, 0, {0, 1, 2, 3}, walks=200)
    assert len([item for item in all_items(body) if isinstance(item, IfFlag)]) == 2


def test_arms_that_share_an_else_are_not_duplicated() -> None:
    """``if a and b: T else: F`` with two ways into F."""
    body = check({0: (1, 3), 1: (2, 3), 2: (4,), 3: (4,), 4: ()}, 0, walks=40)
    assert len([item for item in all_items(body) if isinstance(item, Once)]) == 1


def test_a_thousand_blocks_in_a_row() -> None:
    edges = {**{i: (i + 1,) for i in range(1000)}, 1000: ()}
    assert structure(edges, 0) == tuple(map(straight, range(1001)))


def test_ifs_one_after_the_other_are_flat() -> None:
    edges: dict[int, tuple[int, ...]] = {3 * COUNT: ()}
    for i in range(0, 3 * COUNT, 3):
        edges |= {i: (i + 1, i + 2), i + 1: (i + 3,), i + 2: (i + 3,)}
    assert depth(check(edges, 0, walks=2)) == 1


@pytest.mark.parametrize("negated", [False, True])
def test_early_returns_are_flat(negated: bool) -> None:
    edges: dict[int, tuple[int, ...]] = {2 * COUNT: ()}
    for i in range(0, 2 * COUNT, 2):
        edges |= {i: (i + 2, i + 1) if negated else (i + 1, i + 2), i + 1: ()}
    assert depth(check(edges, 0)) <= 2


@pytest.mark.parametrize("tests", [(), range(0, 2 * COUNT, 2)])
def test_early_exits_to_one_join_are_flat(tests: Collection[int]) -> None:
    edges: dict[int, tuple[int, ...]] = {2 * COUNT: (-1,), -1: ()}
    for i in range(0, 2 * COUNT, 2):
        edges |= {i: (i + 1, i + 2), i + 1: (-1,)}
    body = check(edges, 0, tests)
    assert depth(body) == 2
    assert [type(item) for item in body][-2:] == [Once, Straight]


def test_a_few_early_exits_to_one_join_are_nested() -> None:
    edges = {0: (1, 2), 1: (-1,), 2: (3, 4), 3: (-1,), 4: (-1,), -1: ()}
    assert not any(isinstance(item, Once) for item in all_items(check(edges, 0)))


def test_many_ways_to_continue_are_flat() -> None:
    edges: dict[int, tuple[int, ...]] = {-1: (0, -2), -2: (), 2 * COUNT: (-1,)}
    for i in range(0, 2 * COUNT, 2):
        edges |= {i: (i + 1, i + 2), i + 1: (-1,)}
    body = check(edges, -1, {-1})
    assert depth(body) == 2
    assert isinstance(body[0], Loop) and body[0].test == -1


def test_many_ways_to_break_are_flat() -> None:
    edges: dict[int, tuple[int, ...]] = {-1: (0, -2), -2: (), 2 * COUNT: (-1,)}
    for i in range(0, 2 * COUNT, 2):
        edges |= {i: (i + 1, i + 2), i + 1: (-2,)}
    assert depth(check(edges, -1, {-1})) == 2


def test_what_nests_deeper_than_python_can_becomes_numbered_places() -> None:
    edges: dict[int, tuple[int, ...]] = {1: ()}
    for i in range(3, 3 * COUNT, 3):
        edges |= {i: (i + 1, i + 3), i + 1: (i - 1,), i + 2: (i - 1,)}
    edges |= {3 * COUNT: (3 * COUNT - 1,), 2: (1,)}
    body = check(edges, 3)
    assert isinstance(body[0], Places)


def test_scopes_that_nest_deeper_than_python_can_are_too_deep() -> None:
    draft: Draft[int] = (Straight(node=0),)
    for node in range(1, 10 * COUNT):
        draft = (Scope(head=None, follow=node, body=draft),)
    with pytest.raises(TooDeep):
        Lowering[int](successors={}, tests=()).body(draft)


def test_a_graph_that_is_not_reducible_is_refused() -> None:
    with pytest.raises(DyclBug, match="not reducible"):
        structure({0: (1, 2), 1: (2,), 2: (1,)}, 0)


def test_nodes_need_not_be_numbers() -> None:
    assert structure({"in": ("out",), "out": ()}, "in") == (
        Straight(node="in"),
        Straight(node="out"),
    )


@pytest.mark.parametrize("first", range(0, 400, 50))
@pytest.mark.parametrize("budget", [25, 70])
def test_random_graphs(first: int, budget: int) -> None:
    for seed in range(first, first + 50):
        entry = random_program(seed, budget).entry
        edges = edges_of(entry)
        chosen = random.Random(seed).random()
        tests = [n for n in edges if len(edges[n]) == 2 and random.Random(n).random() < chosen]
        check(edges, entry.entry, tests, walks=8)


@pytest.mark.parametrize("limit", ["MAX_NESTED_JOINS", "MAX_DEPTH"])
def test_random_graphs_laid_out_flat(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with limits so low that the forms for deep graphs are used all the time."""
    monkeypatch.setattr(drafting, limit, 1 if limit == "MAX_DEPTH" else 0)
    for seed in range(200):
        entry = random_program(seed, 40).entry
        check(edges_of(entry), entry.entry, walks=8)
