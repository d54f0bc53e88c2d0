"""Cleaning: what never matters goes, what has an effect stays."""

import time

import pytest

from rewriter.printing.cleaning import clean
from rewriter.program import Block, Branch, Jump, Return, TensorStatement
from tests.rewriter.building import (
    TENSOR,
    all_targets,
    block,
    branch,
    copy,
    edges,
    fail,
    function,
    host,
    jump,
    leave,
    tensor,
)


def test_a_clean_function_comes_back_itself() -> None:
    entry = function(["x$0"], {0: block(host("y$1", "x$0 + 1"), leave("y$1"))})
    assert clean(entry) is entry


def test_chains_of_dead_statements_go() -> None:
    entry = function(
        ["x$0"],
        {0: block(host("a$1", "x$0"), tensor("b$2", "f(a$1)"), host("c$3", "b$2"), leave("x$0"))},
    )
    cleaned = clean(entry)
    assert all_targets(cleaned) == []
    assert list(cleaned.variables) == ["x$0"]


def test_statements_with_an_effect_stay_without_their_dead_target() -> None:
    entry = function(
        ["x$0", "y$1"],
        {
            0: block(
                host("a$2", "note(x$0)", effect=True),
                tensor("b$3", "x$0.add_(1)", updates=[("x$4", "x$0")]),
                tensor(None, "x$4", into="y$1[0]", updates=[("y$5", "y$1")]),
                leave("1"),
            )
        },
    )
    assert all_targets(clean(entry)) == ["x$4", "y$5"]


def test_parts_of_a_pattern_that_are_never_read_become_none() -> None:
    entry = function(
        ["x$0"],
        {0: block(tensor(("a$1", ("b$2", "c$3"), ("d$4",)), "f(x$0)"), leave("b$2"))},
    )
    [statement] = clean(entry).blocks[0].statements
    assert isinstance(statement, TensorStatement)
    assert statement.pattern == (None, ("b$2", None), None)


def test_a_variable_that_only_feeds_itself_around_a_loop_goes() -> None:
    entry = function(
        ["n$0"],
        {
            0: block(copy(i_1="0", total_2="0"), jump(1)),
            1: block(branch("i$1 < n$0", 2, 3)),
            2: block(
                host("t$3", "total$2 + i$1"),
                host("j$4", "i$1 + 1"),
                copy(i_1="j$4", total_2="t$3"),
                jump(1),
            ),
            3: block(leave("i$1")),
        },
    )
    assert all_targets(clean(entry)) == ["i$1", "j$4", "i$1"]


def test_a_branch_whose_arms_lost_everything_goes_with_its_condition() -> None:
    entry = function(
        ["x$0"],
        {
            0: block(host("p$1", "x$0 > 0"), branch("p$1", 1, 2)),
            1: block(host("a$2", "x$0 + 1"), copy(r_3="a$2"), jump(3)),
            2: block(copy(r_3="x$0"), jump(3)),
            3: block(leave("x$0")),
        },
    )
    cleaned = clean(entry)
    assert list(cleaned.blocks) == [0]
    assert cleaned.blocks[0] == Block(statements=(), terminator=entry.blocks[3].terminator)


@pytest.mark.parametrize("condition", ["note(x$0)", "x$0[0]", "t$9", "x$0 / x$0"])
def test_a_condition_that_may_raise_or_act_stays(condition: str) -> None:
    entry = function(
        ["x$0", "t$9"], {0: block(branch(condition, 1, 1)), 1: block(leave("1"))}, {"t$9": TENSOR}
    )
    assert isinstance(clean(entry).blocks[0].terminator, Branch)


def test_a_constant_condition_is_decided() -> None:
    entry = function(
        [], {0: block(branch("True", 1, 2)), 1: block(leave("1")), 2: block(fail("ValueError()"))}
    )
    cleaned = clean(entry)
    assert list(cleaned.blocks) == [0]
    assert isinstance(cleaned.blocks[0].terminator, Return)


def test_unreachable_blocks_go_even_if_they_lead_nowhere() -> None:
    entry = function([], {0: block(leave("1")), 1: block(jump(77)), 2: block(jump(1))})
    assert list(clean(entry).blocks) == [0]


def test_straight_lines_are_joined_and_empty_blocks_skipped() -> None:
    entry = function(
        ["x$0"],
        {
            0: block(host("a$1", "x$0 + 1"), jump(1)),
            1: block(host("b$2", "a$1 + 1"), jump(2)),
            2: block(branch("b$2 > 0", 3, 4)),
            3: block(jump(5)),
            4: block(host(None, "note(1)", effect=True), jump(5)),
            5: block(leave("b$2")),
        },
    )
    assert edges(clean(entry)) == {0: (5, 4), 4: (5,), 5: ()}


def test_the_empty_head_of_a_loop_around_a_loop_keeps_them_apart() -> None:
    entry = function(
        ["n$0"],
        {
            0: block(jump(1)),
            1: block(jump(2)),
            2: block(branch("note(1)", 3, 4)),
            3: block(jump(2)),
            4: block(branch("note(2)", 1, 5)),
            5: block(leave("n$0")),
        },
    )
    assert edges(clean(entry)) == {0: (1,), 1: (2,), 2: (2, 4), 4: (1, 5), 5: ()}


def test_an_endless_empty_loop_stays_endless() -> None:
    entry = function([], {0: block(jump(1)), 1: block(jump(2)), 2: block(jump(1))})
    cleaned = clean(entry)
    name = cleaned.entry
    seen = set()
    while name not in seen:
        seen.add(name)
        terminator = cleaned.blocks[name].terminator
        assert isinstance(terminator, Jump)
        name = terminator.target


def test_dead_branches_that_feed_each_other_are_gone_in_reasonable_time() -> None:
    blocks = {}
    count = 200
    for index in range(count):
        first = 4 * index
        blocks[first] = block(
            host(f"p${index}_1", f"v${index} > 0"), branch(f"p${index}_1", first + 1, first + 2)
        )
        blocks[first + 1] = block(
            host(f"w${index}", f"v${index} + 1"),
            copy(**{f"v_{index + 1}": f"w${index}"}),
            jump(first + 4),
        )
        blocks[first + 2] = block(copy(**{f"v_{index + 1}": f"v${index}"}), jump(first + 4))
    blocks[4 * count] = block(leave("v$0"))
    start = time.perf_counter()
    cleaned = clean(function(["v$0"], blocks))
    assert list(cleaned.blocks) == [0]
    assert time.perf_counter() - start < 20
