"""Liveness: what may still be read."""

from rewriter.printing.liveness import compute_liveness, live_after_statements
from tests.rewriter.building import block, branch, copy, function, host, jump, leave, tensor


def test_a_variable_is_live_from_its_assignment_to_its_last_read() -> None:
    entry = function(
        ["a$0"],
        {0: block(host("b$1", "a$0"), host("c$2", "b$1 + a$0"), host("d$3", "c$2"), leave("d$3"))},
    )
    liveness = compute_liveness(entry)
    after = [live for _, live in live_after_statements(entry, 0, liveness)][::-1]
    assert after == [{"a$0", "b$1"}, {"c$2"}, {"d$3"}]
    assert liveness.live_in[0] == {"a$0"}
    assert liveness.live_out[0] == frozenset()


def test_what_a_loop_reads_in_its_next_round_is_live_at_its_end() -> None:
    entry = function(
        ["n$0", "step$1"],
        {
            0: block(copy(i_2="0"), jump(1)),
            1: block(branch("i$2 < n$0", 2, 3)),
            2: block(host("j$3", "i$2 + step$1"), copy(i_2="j$3"), jump(1)),
            3: block(leave("i$2")),
        },
    )
    liveness = compute_liveness(entry)
    assert liveness.live_in[0] == {"n$0", "step$1"}
    assert liveness.live_out[2] == {"i$2", "n$0", "step$1"}
    assert liveness.live_in[3] == {"i$2"}


def test_a_value_from_before_a_zero_trip_loop_stays_live_through_its_head() -> None:
    entry = function(
        ["n$0"],
        {
            0: block(host("r$1", "7"), copy(i_2="0"), jump(1)),
            1: block(branch("i$2 < n$0", 2, 3)),
            2: block(host("j$3", "i$2 + 1"), copy(i_2="j$3"), jump(1)),
            3: block(leave("r$1")),
        },
    )
    liveness = compute_liveness(entry)
    assert all("r$1" in liveness.live_in[name] for name in (1, 2, 3))


def test_an_update_reads_the_old_content_and_assigns_the_new() -> None:
    statement = tensor(None, "y$1.add_(1)", updates=[("x$2", "x$0"), ("y$3", "y$1")])
    entry = function(["x$0", "y$1"], {0: block(statement, leave("(x$2, y$3)"))})
    liveness = compute_liveness(entry)
    assert [live for _, live in live_after_statements(entry, 0, liveness)] == [{"x$2", "y$3"}]
    assert liveness.live_in[0] == {"x$0", "y$1"}


def test_a_store_reads_the_target_and_the_index() -> None:
    statement = tensor(None, "v$2", into="x$0[i$1]", updates=[("x$3", "x$0")])
    entry = function(["x$0", "i$1", "v$2"], {0: block(statement, leave("x$3"))})
    assert compute_liveness(entry).live_in[0] == {"x$0", "i$1", "v$2"}


def test_names_that_are_no_variables_are_never_live() -> None:
    entry = function(["x$0"], {0: block(host("y$1", "len(known_1(x$0))"), leave("y$1"))})
    assert compute_liveness(entry).live_in[0] == {"x$0"}
