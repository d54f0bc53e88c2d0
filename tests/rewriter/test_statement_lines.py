"""Which lines are parsed for a lambda: those of one statement, whole as Python reads it."""

from textwrap import dedent

import pytest

from rewriter.statement_lines import statement_lines

PROGRAM = dedent(
    '''\
    @deco(lambda x: x + 1)
    def a(y):
        return y
    class B:
        table = {"b": (lambda x, y=1:
            x + y)}
        def m(self, k=lambda q: q * 2):
            if k: f = lambda x: x; g = lambda x: (
                x * 3)
            elif self:
                f = lambda x: x - 1
            else: f = lambda: 2
            s = """
    text"""; u = lambda x: (x,
       x)
            match k:
                case 1: w = lambda: 7
                case _:
                    w = lambda: 8
    x = 1; y = lambda: 3; z = lambda: """a
    b"""
    '''
)


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        (1, (1, 3)),  # a decorator goes with its function
        (5, (5, 6)),
        (7, (7, 19)),  # a default is part of the function
        (8, (8, 12)),  # what follows a colon cannot stand alone
        (11, (11, 11)),
        (12, (8, 12)),
        (14, (13, 15)),  # nor what begins where a text of several lines ends
        (17, (16, 19)),
        (19, (19, 19)),
        (20, (20, 21)),  # what follows a semicolon goes on
    ],
)
def test_the_innermost_statement_that_can_stand_alone(line: int, lines: tuple[int, int]) -> None:
    assert statement_lines(PROGRAM, line) == lines


def test_no_statement_stands_in_what_is_no_program() -> None:
    assert statement_lines("x = (\n", 1) is None
    assert statement_lines("x = 1\n\n", 2) is None
