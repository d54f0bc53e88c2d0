"""Programs that nest deeply, exit often or are long: their text is Python, and is made quickly."""

from itertools import pairwise

from rewriter.printing.program_text import print_program, runnable
from tests.rewriter.building import (
    block,
    body,
    branch,
    copy,
    function,
    host,
    jump,
    leave,
    program,
    tensor,
)


def test_two_hundred_early_exits_to_one_join() -> None:
    count = 200
    blocks = {}
    for i in range(count):
        blocks[2 * i] = block(branch(f"x$0 == {i}", 2 * i + 1, 2 * i + 2, line=i))
        blocks[2 * i + 1] = block(copy(r_1=f"{i} * 2"), jump(-1))
    blocks[2 * count] = block(copy(r_1="-1"), jump(-1))
    blocks[-1] = block(leave("r$1"))
    made = program(function(["x$0"], blocks))
    forward = runnable(made)
    assert [forward(n) for n in (0, 7, 199, 200)] == [0, 14, 398, -1]
    assert max(len(line) - len(line.lstrip()) for line in print_program(made).splitlines()) == 12


def test_deep_recursion_that_was_inlined() -> None:
    depth = 150
    blocks = {}
    for i in range(depth):
        blocks[3 * i] = block(branch(f"x$0 == {i}", 3 * i + 1, 3 * i + 3))
        blocks[3 * i + 1] = block(host(f"r${i + 1}", "0"), copy(**{f"s_{i}": f"r${i + 1}"}),
                                  jump(3 * i + 2))  # fmt: skip
        after = jump(3 * i - 1) if i else leave("s$0 + 1")
        caller = (host(f"q${i}", f"s${i} + 1"), copy(**{f"s_{i - 1}": f"q${i}"}))
        blocks[3 * i + 2] = block(*caller, after) if i else block(after)
    blocks[3 * depth] = block(copy(**{f"s_{depth - 1}": "1000"}), jump(3 * depth - 1))
    forward = runnable(program(function(["x$0"], blocks)))
    assert [forward(n) for n in (0, 5, 149, 150)] == [1, 6, 150, 1150]


def test_thousands_of_statements_take_little_time() -> None:
    count = 250
    blocks = {}
    for i in range(count):
        at = 4 * i
        values = [f"x${at}", *(f"x${at}_{k}" for k in range(8))]
        many = [tensor(new, f"f({old})") for old, new in pairwise(values)]
        blocks[at] = block(host(f"_p${at}", f"g(x${at})"), branch(f"_p${at}", at + 1, at + 2))
        blocks[at + 1] = block(*many, copy(**{f"x_{at + 4}": f"x${at}_7"}), jump(at + 4))
        blocks[at + 2] = block(copy(**{f"x_{at + 4}": f"x${at}"}), jump(at + 4))
    blocks[4 * count] = block(leave(f"x${4 * count}"))
    text = print_program(program(function(["x$0"], blocks)))
    lines = body(text)
    assert len(lines) == 2 + count * 9
    assert lines[1:3] == ["    if g(x):  # model.py:1", "        x = f(x)"]
