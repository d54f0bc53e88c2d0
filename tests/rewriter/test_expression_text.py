"""The text of a number, whatever stands around it, is read as the number."""

import ast
import math

import pytest

from rewriter.printing.expression_text import plain_text

NUMBERS = [-2, -0.0, -2.5, -2j, 2j, 1 - 2j, -1 + 2j, complex(-0.0, 2.0), complex(0.0, -0.0)]


@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_to_a_power(number: complex) -> None:
    power = ast.BinOp(left=ast.Constant(value=number), op=ast.Pow(), right=ast.Constant(value=2))
    assert repr(eval(plain_text(power))) == repr(number**2)
    assert repr(eval(plain_text(ast.Constant(value=number)))) == repr(number)


def test_parts_that_are_no_numbers() -> None:
    found = eval(plain_text(ast.Constant(value=complex(math.nan, -math.inf))))
    assert math.isnan(found.real)
    assert found.imag == -math.inf
