"""Nesting of temporaries and joining of tests: shorter text, same order of evaluation."""

import ast

import pytest

from rewriter.printing.conditions import join_conditions, negation
from rewriter.printing.nesting import nest_temporaries
from rewriter.program import Block, Function
from rewriter.program_names import statement_expressions, terminator_expressions
from tests.rewriter.building import (
    block,
    branch,
    copy,
    edges,
    expression,
    function,
    host,
    jump,
    leave,
    tensor,
)


def measure(value: ast.expr) -> int:
    return len(ast.unparse(value))


def texts(content: Block) -> list[str]:
    """Return the expressions of a block."""
    parts = [e for s in content.statements for e in statement_expressions(s)]
    return [ast.unparse(e) for e in (*parts, *terminator_expressions(content.terminator))]


def nested(entry: Function) -> list[str]:
    return texts(nest_temporaries(entry, measure).blocks[0])


def test_temporaries_move_into_what_reads_them() -> None:
    entry = function(
        ["x$0", "y$1"],
        {
            0: block(
                tensor("_t$2", "bn(x$0)"),
                tensor("_u$3", "_t$2 + y$1"),
                tensor("out$4", "relu(_u$3)"),
                leave("out$4"),
            )
        },
    )
    assert nested(entry) == ["relu(bn(x$0) + y$1)", "out$4"]


def test_a_test_is_written_where_it_decides() -> None:
    entry = function(
        ["c$0"],
        {
            0: block(host("_p$1", "c$0.item()"), host("_b$2", "_p$1 > 0.5"), branch("_b$2", 1, 1)),
            1: block(leave("1")),
        },
    )
    assert nested(entry) == ["c$0.item() > 0.5"]


def test_variables_that_the_user_named_stay() -> None:
    entry = function(["x$0"], {0: block(tensor("h$1", "bn(x$0)"), leave("h$1"))})
    assert nested(entry) == ["bn(x$0)", "h$1"]


def test_two_temporaries_move_if_they_are_read_in_order() -> None:
    entry = function(
        ["x$0"],
        {0: block(tensor("_a$1", "f(x$0)"), tensor("_b$2", "g(x$0)"), leave("_a$1 + _b$2"))},
    )
    assert nested(entry) == ["f(x$0) + g(x$0)"]


def test_two_temporaries_that_are_read_in_other_order_keep_it() -> None:
    entry = function(
        ["x$0"],
        {0: block(tensor("_a$1", "f(x$0)"), tensor("_b$2", "g(x$0)"), leave("_b$2 + _a$1"))},
    )
    assert nested(entry) == ["f(x$0)", "g(x$0) + _a$1"]


@pytest.mark.parametrize(
    "reader",
    [
        "f(1) + _t$1",
        "x$0 and _t$1",
        "_t$1 if x$0 else 1",
        "[_t$1 for i in x$0]",
        "(lambda: _t$1)()",
        "x$0 < 1 < _t$1",
        "x$0[0] + _t$1",
        "{1: x$0.pop(), 2: _t$1}",
        "_t$1 + _t$1",
        "f'{x$0}{_t$1}'",
        "not_there",
    ],
)
def test_a_temporary_stays_where_moving_it_would_change_the_order(reader: str) -> None:
    entry = function(["x$0"], {0: block(host("_t$1", "g(x$0)"), leave(reader))})
    assert nested(entry)[0] == "g(x$0)"


@pytest.mark.parametrize(
    "reader",
    ["x$0.view(_t$1)", "f(x$0, 1, k=_t$1)", "x$0[_t$1]", "(x$0, [_t$1])", "_t$1 and x$0",
     "1 if _t$1 else 2", "x$0 < _t$1 < f(1)", "-_t$1", "x$0[1:_t$1]", "f(*_t$1)"],
)  # fmt: skip
def test_a_temporary_moves_where_only_names_come_before_it(reader: str) -> None:
    entry = function(["x$0"], {0: block(host("_t$1", "g(x$0)"), leave(reader))})
    assert nested(entry) == [reader.replace("_t$1", "g(x$0)")]


def test_nothing_is_read_from_an_object_before_an_effect_on_it() -> None:
    entry = function(
        ["x$0"], {0: block(host("_t$1", "x$0.grow()", effect=True), leave("x$0.size + _t$1"))}
    )
    assert nested(entry) == ["x$0.grow()", "x$0.size + _t$1"]


def test_nothing_moves_across_a_change_in_place() -> None:
    entry = function(
        ["x$0"],
        {
            0: block(
                tensor("_t$1", "x$0 * 2"),
                tensor(None, "x$0.add_(1)", updates=[("x$2", "x$0")]),
                leave("_t$1 + x$2"),
            )
        },
    )
    assert nested(entry) == ["x$0 * 2", "x$0.add_(1)", "_t$1 + x$2"]


def test_a_stored_value_comes_before_its_place() -> None:
    entry = function(
        ["x$0", "y$1"],
        {
            0: block(
                tensor("_v$2", "f(y$1)"),
                tensor(None, "_v$2", into="x$0[0]", updates=[("x$3", "x$0")]),
                host("_i$4", "g(1)"),
                tensor(None, "h(y$1)", into="x$3[_i$4]", updates=[("x$5", "x$3")]),
                leave("x$5"),
            )
        },
    )
    assert nested(entry) == ["f(y$1)", "x$0[0]", "g(1)", "h(y$1)", "x$3[_i$4]", "x$5"]


def test_an_updated_or_copied_temporary_keeps_its_name() -> None:
    entry = function(
        ["x$0"],
        {
            0: block(
                tensor("_t$1", "f(x$0)"),
                tensor(None, "g(_t$1)", updates=[("_t$2", "_t$1")]),
                host("_s$3", "f(1)"),
                copy(y_4="_s$3"),
                jump(1),
            ),
            1: block(leave("y$4")),
        },
    )
    assert nested(entry) == ["f(x$0)", "g(_t$1)", "f(1)", "_s$3"]


def test_lines_stay_short() -> None:
    long = "f(" + ", ".join(["x$0"] * 20) + ")"
    entry = function(["x$0"], {0: block(tensor("_t$1", long), leave(f"g(_t$1, {long})"))})
    assert nested(entry)[0] == long


@pytest.mark.parametrize(
    ("second", "text", "targets"),
    [
        (branch("b$1", 2, 3), "a$0 and b$1", (2, 3)),
        (branch("b$1", 3, 2), "a$0 and (not b$1)", (2, 3)),
    ],
)
def test_tests_that_share_the_false_outcome_become_and(
    second: object, text: str, targets: tuple[int, int]
) -> None:
    check_joined(branch("a$0", 1, 3), second, text, targets)


@pytest.mark.parametrize(
    ("second", "text", "targets"),
    [
        (branch("b$1", 3, 2), "a$0 or b$1", (3, 2)),
        (branch("b$1", 2, 3), "a$0 or not b$1", (3, 2)),
    ],
)
def test_tests_that_share_the_true_outcome_become_or(
    second: object, text: str, targets: tuple[int, int]
) -> None:
    check_joined(branch("a$0", 3, 1), second, text, targets)


def check_joined(first: object, second: object, text: str, targets: tuple[int, int]) -> None:
    blocks = {
        0: block(first),  # type: ignore[arg-type]
        1: block(second),  # type: ignore[arg-type]
        2: block(leave("2")),
        3: block(leave("3")),
    }
    joined = join_conditions(function(["a$0", "b$1"], blocks), measure)
    assert texts(joined.blocks[0]) == [text]
    assert edges(joined) == {0: targets, 2: (), 3: ()}


def test_a_test_with_statements_before_it_or_another_way_in_is_not_joined() -> None:
    blocks = {
        0: block(branch("a$0", 1, 3)),
        1: block(host("b$1", "f(1)"), branch("b$1", 2, 3)),
        2: block(branch("a$0", 4, 3)),
        3: block(branch("a$0", 4, 2)),
        4: block(leave("4")),
    }
    entry = function(["a$0"], blocks)
    assert edges(join_conditions(entry, measure)) == edges(entry)


@pytest.mark.parametrize(
    ("condition", "opposite"),
    [
        ("a", "not a"),
        ("not a", "a"),
        ("a is None", "a is not None"),
        ("a is not None", "a is None"),
        ("a > b", "not a > b"),
    ],
)
def test_negation_holds_for_every_value(condition: str, opposite: str) -> None:
    assert ast.unparse(negation(expression(condition))) == opposite
