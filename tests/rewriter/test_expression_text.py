"""The text of a number, whatever stands around it, is read as the number."""

import ast
import math

import numpy
import pytest

from rewriter.builder import Builder
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


@pytest.mark.parametrize("number", [numpy.longdouble(2), numpy.datetime64("2020-01-01")])
def test_numbers_that_python_has_not(number: numpy.generic) -> None:
    """They are read from where they are: no text of Python's numbers is as precise."""
    builder = Builder()
    assert isinstance(builder.reference(number, None), ast.Name)
    assert [known.value for known in builder.knowns.values()] == [number]
