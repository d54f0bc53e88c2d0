"""Naming: the user's names come back, and never hide a value that is still needed."""

from dataclasses import replace

from rewriter.parameters import MappingInput, Parameter, SequenceInput, VariableInput
from rewriter.printing.interference import Interference
from rewriter.printing.naming import name_variables
from rewriter.printing.statement_text import assignments
from rewriter.program import Copy, Function, TensorStatement
from rewriter.program_names import statement_targets
from tests.rewriter.building import (
    NUMBER,
    all_targets,
    block,
    branch,
    copy,
    function,
    host,
    jump,
    leave,
    tensor,
)
from tests.rewriter.interpreting import Interpreter


def run(entry: Function, *arguments: object) -> object:
    """Return what a function returns, as its data structure says."""
    return Interpreter(entry, {}).run(*arguments)


def copies(entry: Function) -> list[Copy]:
    """Return the copies that are left."""
    return [s for b in entry.blocks.values() for s in b.statements if isinstance(s, Copy)]


def test_a_name_is_used_again_once_its_value_is_dead() -> None:
    entry = function(
        ["x$0"], {0: block(tensor("x$1", "f(x$0)"), tensor("x$2", "f(x$1)"), leave("x$2"))}
    )
    assert all_targets(name_variables(entry)) == ["x", "x"]


def test_a_value_that_is_still_needed_keeps_its_name() -> None:
    entry = function(
        ["x$0"], {0: block(tensor("x$1", "f(x$0)"), tensor("x$2", "x$1 + x$0"), leave("x$2"))}
    )
    assert all_targets(name_variables(entry)) == ["x_1", "x"]


def test_parameters_keep_their_names() -> None:
    entry = function(["a$0", "b$1"], {0: block(host("a$2", "b$1"), leave("(a$0, a$2)"))})
    named = name_variables(entry, taken=["b", "a"])
    assert [parameter.name for parameter in named.parameters] == ["a", "b"]
    assert all_targets(named) == ["a_1"]


def test_keywords_and_names_the_text_uses_are_avoided() -> None:
    entry = function(
        ["x$0"],
        {
            0: block(
                host("len$1", "len(x$0)"),
                host("lambda$2", "known_1(len$1)"),
                host("torch$3", "lambda$2"),
                host("known_1$4", "torch$3"),
                host("not a name$5", "known_1$4"),
                leave("_$6"),
            )
        },
    )
    named = name_variables(entry, taken=["torch"])
    assert all_targets(named) == ["len_1", "lambda_1", "torch_1", "known_1_1", "value"]
    assert "_" not in named.variables


def test_names_inside_a_comprehension_are_not_captured() -> None:
    entry = function(["x$0"], {0: block(host("v$1", "x$0"), leave("[v + v$1 for v in [1, 2]]"))})
    assert all_targets(name_variables(entry)) == ["v_1"]


def test_a_join_needs_no_copy_where_both_arms_can_use_its_name() -> None:
    entry = function(
        ["p$0"],
        {
            0: block(branch("p$0 > 0", 1, 2)),
            1: block(host("y$1", "1"), copy(y_3="y$1"), jump(3)),
            2: block(host("_t$2", "2"), copy(y_3="_t$2"), jump(3)),
            3: block(leave("y$3")),
        },
    )
    named = name_variables(entry)
    assert copies(named) == []
    assert all_targets(named) == ["y", "y"]


def test_a_value_that_is_only_copied_on_is_called_as_its_copy() -> None:
    entry = function(
        ["x$0"],
        {
            0: block(branch("x$0 > 0", 1, 2)),
            1: block(host("out$1", "x$0 + 1"), copy(x_2="out$1"), jump(3)),
            2: block(copy(x_2="x$0"), jump(3)),
            3: block(leave("x$2")),
        },
    )
    named = name_variables(entry)
    assert copies(named) == []
    assert all_targets(named) == ["x"]


def test_a_temporary_of_a_loop_is_called_as_at_its_head() -> None:
    entry = function(
        ["n$0"],
        {
            0: block(copy(_index_1="0"), jump(1)),
            1: block(branch("_index$1 < n$0", 2, 3)),
            2: block(host("_number$2", "_index$1 + 1"), copy(_index_1="_number$2"), jump(1)),
            3: block(leave("n$0")),
        },
    )
    assert all_targets(name_variables(entry)) == ["index", "index"]


def test_a_value_keeps_its_name_where_another_of_the_copys_name_is_alive() -> None:
    entry = function(
        ["y$0"],
        {
            0: block(host("x$1", "y$0"), host("out$2", "x$1 + 1"), host("z$3", "out$2 + x$1"),
                     copy(x_4="out$2"), jump(1)),
            1: block(leave("(x$4, z$3)")),
        },
    )  # fmt: skip
    named = name_variables(entry)
    assert all_targets(named) == ["x", "out", "z", "x"]


def test_the_assignment_of_a_parameter_to_another_name_stays() -> None:
    entry = function(
        ["p$0", "x$1"],
        {
            0: block(branch("p$0", 1, 2)),
            1: block(copy(best_2="x$1"), jump(3)),
            2: block(host("best$3", "0"), copy(best_2="best$3"), jump(3)),
            3: block(leave("best$2")),
        },
    )
    [left] = copies(name_variables(entry))
    assert left.targets == ("best",)


def test_a_swap_in_a_loop_swaps() -> None:
    entry = function(
        ["a$0", "b$1", "n$2"],
        {
            0: block(copy(a_3="a$0", b_4="b$1", i_5="0"), jump(1)),
            1: block(branch("i$5 < n$2", 2, 3)),
            2: block(host("j$6", "i$5 + 1"), copy(a_3="b$4", b_4="a$3", i_5="j$6"), jump(1)),
            3: block(leave("(a$3, b$4)")),
        },
    )
    named = name_variables(entry)
    assert run(named, 1, 2, 0) == (1, 2)
    assert run(named, 1, 2, 1) == (2, 1)
    assert run(named, 1, 2, 4) == (1, 2)
    assert [c.targets for c in copies(named)] == [("i",), ("a", "b")]


def test_the_value_before_the_last_round_is_not_lost() -> None:
    """The lost-copy problem: the loop variable of the round before is read after the loop."""
    entry = function(
        ["n$0"],
        {
            0: block(copy(x_1="1"), jump(1)),
            1: block(host("x$2", "x$1 + 1"), branch("x$2 < n$0", 2, 3)),
            2: block(copy(x_1="x$2"), jump(1)),
            3: block(leave("x$1")),
        },
    )
    named = name_variables(entry)
    assert [run(named, n) for n in (0, 5)] == [run(entry, n) for n in (0, 5)] == [1, 4]


def test_a_value_of_an_outer_round_survives_a_zero_trip_inner_loop() -> None:
    entry = function(
        ["n$0"],
        {
            0: block(copy(x_1="3", i_2="0"), jump(1)),
            1: block(branch("i$2 < 2", 2, 5)),
            2: block(copy(x_3="x$1", k_4="0"), jump(3)),
            3: block(branch("k$4 < n$0", 4, 6)),
            4: block(
                host("x$5", "x$3 * 2"), host("k$6", "k$4 + 1"), copy(x_3="x$5", k_4="k$6"), jump(3)
            ),
            5: block(leave("x$1")),
            6: block(
                host("i$7", "i$2 + 1"),
                host("x$8", "x$3 + x$1"),
                copy(x_1="x$8", i_2="i$7"),
                jump(1),
            ),
        },
    )
    named = name_variables(entry)
    assert [run(named, n) for n in range(4)] == [run(entry, n) for n in range(4)]


def test_content_updated_in_place_keeps_its_name() -> None:
    entry = function(
        ["x$0"],
        {0: block(tensor(None, "x$0.add_(1)", updates=[("x$1", "x$0")]), leave("x$1"))},
    )
    [statement] = name_variables(entry).blocks[0].statements
    assert isinstance(statement, TensorStatement)
    assert statement.updates == (("x", "x"),)


def test_the_result_of_an_update_does_not_take_the_name_of_what_it_updates() -> None:
    """``x = f(x)`` would lose the old object before ``new = x`` reads it."""
    entry = function(
        ["x$0"],
        {
            0: block(
                tensor("x$1", "swap_in_place(x$0)", updates=[("x$2", "x$0")]),
                leave("(x$1, x$2)"),
            )
        },
    )
    named = name_variables(entry)
    [statement] = named.blocks[0].statements
    assert isinstance(statement, TensorStatement)
    assert statement_targets(statement) == ("x_1", "x")


def test_what_is_updated_is_needed_until_the_update_is_named() -> None:
    """Even if nothing reads the new content: ``new = old`` stands behind the statement."""
    entry = function(
        ["x$0"], {0: block(tensor("x$1", "f(x$0)", updates=[("x$2", "x$0")]), leave("x$1"))}
    )
    interference = Interference(entry)
    assert interference.interfere("x$1", "x$0")
    assert interference.interfere("x$1", "x$2")


def test_parts_of_arguments_never_hide_an_argument() -> None:
    entry = function(["xs$0", "x$1", "key$2"], {0: block(leave("(xs$0, x$1, key$2)"))})
    first, second, third = (
        VariableInput(variable=name, spec=NUMBER) for name in ("xs$0", "x$1", "key$2")
    )
    entry = replace(
        entry,
        parameters=(
            Parameter(name="xs", spec=SequenceInput(kind=list, items=(first, second))),
            Parameter(name="key", spec=MappingInput(items=(("x", third),))),
        ),
    )
    named = name_variables(entry)
    assert list(named.variables) == ["xs_1", "x", "key_1"]


def test_parts_of_arguments_never_hide_each_other() -> None:
    entry = function(["x$0", "x$1"], {0: block(leave("x$0 - x$1"))})
    parts = tuple(VariableInput(variable=name, spec=NUMBER) for name in ("x$0", "x$1"))
    spec = SequenceInput(kind=list, items=parts)
    named = name_variables(replace(entry, parameters=(Parameter(name="x", spec=spec),)))
    assert list(named.variables) == ["x_1", "x_2"]


def test_parallel_assignments_come_one_by_one_where_they_can() -> None:
    assert list(assignments([("a", "b"), ("b", "c"), ("c", "1")])) == ["a = b", "b = c", "c = 1"]
    assert list(assignments([("a", "1"), ("b", "a")])) == ["b = a", "a = 1"]


def test_a_cycle_of_parallel_assignments_comes_in_one_line() -> None:
    pairs = [("d", "a"), ("a", "b"), ("b", "c"), ("c", "a")]
    assert list(assignments(pairs)) == ["d = a", "a, b, c = b, c, a"]


def test_names_do_not_depend_on_hash_order() -> None:
    entry = function(
        ["x$0"],
        {
            0: block(
                *(host(f"x${i}", "x$0") for i in range(1, 9)),
                leave("[" + ", ".join(f"x${i}" for i in range(9)) + "]"),
            )
        },
    )
    assert all_targets(name_variables(entry)) == [f"x_{i}" for i in range(1, 9)]
