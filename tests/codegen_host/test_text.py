"""The text of a host: golden, wrapped, with the places of its tests."""

import ast
import math

import numpy as np
import pytest
import torch

from codegen_host.forward_text import ForwardText, forward_text
from codegen_host.marks import find_tests, mark, unmarked_lines, without_marks
from hcfg.build import build_hcfg
from hcfg.graph import Entry, Hcfg, Return
from hcfg.passes import run_passes
from rewriter.diagnostics import CompileError
from rewriter.parameters import InputSpec, Parameter, StaticInput, VariableInput
from rewriter.printing.conditions import negation
from rewriter.printing.wrapping import WIDTH, wrap_lines
from rewriter.program import KnownReference, ScalarSpec, Variable
from tests.codegen_host.models import gated_net, gated_program, known, origin

GATED = '''\
"""GatedNet.forward of gated.py, compiled by dycl 1.2.

The control flow of the model in Python. Each ``subdnn_N`` is a straight line of its
tensor code, compiled; comments give the original's lines.
"""

from ._arguments import InputError, array
from ._package import Package

__all__ = ["InputError", "forward", "observe"]

_package = Package(__file__, arguments={
    "x": array("float32", 1, 3, 6, 6),
})
observe = _package.observe
subdnn_0, subdnn_1, subdnn_2 = _package.subdnns


@_package.entry
def forward(x):
    x, t = subdnn_0(x)  # gated.py:10
    p = t.item()  # gated.py:11
    taken = p > 0.5
    if taken:  # gated.py:13
        t = subdnn_1(x)  # gated.py:14
    else:
        t = subdnn_2(x)  # gated.py:15
    return t, taken
'''


def test_host_reads_like_the_original() -> None:
    graph = run_passes(build_hcfg(gated_program(gated_net()))).graph
    written = forward_text(graph, "GatedNet.forward", "1.2")
    assert written.text == GATED
    (test,) = written.tests
    line = GATED.splitlines()[test.line - 1]
    assert (test.node, line[test.column : test.end_column]) == ("branch_0", "taken")
    assert written.constants == {}


def test_other_entry_point_is_also_known_by_its_name() -> None:
    graph = run_passes(build_hcfg(gated_program(gated_net()))).graph
    text = forward_text(graph, "GatedNet.early_exit", "1.2").text
    assert text.endswith("\n\nearly_exit = forward\n")
    assert '__all__ = ["InputError", "early_exit", "forward", "observe"]' in text


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    ("condition", "header", "inverted"),
    [
        ("p > 0.5", "if {}:", False),
        ("p > 0.5", "    elif {} and other:  # a.py:3", False),
        ("p is None", "while not {}:", True),
        ("not p", "if not {}:  # a.py:3", True),
        ("p == 'a:  # b'", "if not {}:", False),
    ],
)
def test_marked_condition_is_found_again(condition: str, header: str, inverted: bool) -> None:
    marked_text = ast.unparse(ast.fix_missing_locations(mark("branch_3", expression(condition))))
    marked = header.format(marked_text).replace("elif", "if").strip()
    (line,) = unmarked_lines([marked])
    (test,) = find_tests([marked, "    pass"], f"{line}\n    pass\n")
    found = expression(line[test.column : test.end_column])
    wanted = negation(expression(condition)) if inverted else expression(condition)
    assert ast.dump(found) == ast.dump(wanted)
    assert (test.node, test.inverted) == ("branch_3", inverted)
    assert ("# a.py:3" in line) == ("# a.py:3" in header)


def test_marks_are_taken_out_of_a_copy() -> None:
    marked = mark("branch_0", expression("p"))
    assert ast.unparse(without_marks(ast.BoolOp(ast.And(), [marked, expression("q")]))) == "p and q"
    assert isinstance(marked, ast.Call)


def test_long_lines_are_broken_inside_brackets() -> None:
    names = ", ".join(f"probability_{n}" for n in range(20))
    text = f"    return (first, [{names}], 'a, (b)')  # model.py:3"
    lines = wrap_lines([text])
    assert lines[0] == "    return (  # model.py:3"
    assert all(len(line) <= WIDTH for line in lines)
    before, after = (ast.parse(f"def f():\n{source}") for source in (text, "\n".join(lines)))
    assert ast.dump(before) == ast.dump(after)


@pytest.mark.parametrize("text", ["x = 1", "", f"x = '{'a' * 120}'"])
def test_lines_that_need_no_break_or_have_none_stay(text: str) -> None:
    assert wrap_lines([text]) == [text]


def test_many_targets_stand_in_brackets() -> None:
    names = [f"test_{number}" for number in range(30)]
    text = f"    {', '.join(names)} = subdnn_0(x, y)  # net.py:12"
    lines = wrap_lines([text])
    assert all(len(line) <= WIDTH for line in lines)
    [assignment] = ast.parse("\n".join(lines).strip()).body
    assert ast.unparse(assignment) == text.partition("#")[0].strip()


# --- what host code may refer to --------------------------------------------------------------


def host_only(
    expression_text: str, *knowns: KnownReference, spec: InputSpec | None = None
) -> ForwardText:
    """Return the module of a program that returns one expression over ``n``."""
    number = Variable(name="n", hint="n", spec=ScalarSpec(type=int))
    parameter = spec or VariableInput(variable="n", spec=number.spec)
    graph = Hcfg(
        name="model",
        nodes={
            "entry": Entry(then="return_0"),
            "return_0": Return(value=expression(expression_text), origin=origin(7, "return n")),
        },
        entry="entry",
        variables={"n": number},
        parameters=(Parameter(name="n", spec=parameter),),
        knowns={reference.name: reference for reference in knowns},
        source_file="gated.py",
    )
    return forward_text(graph, "function", "1.2")


def test_library_functions_are_imported() -> None:
    written = host_only(
        "known_0(known_1(n), known_2)",
        known("known_0", "max", max, ("builtins", "max")),
        known("known_1", "math.sqrt", math.sqrt, ("math", "sqrt")),
        known("known_2", "np.pi", np.array([1.5, 2.5]), None),
    )
    assert "import math\n" in written.text
    assert "return max(math.sqrt(n), constant_0.copy())" in written.text
    assert "constant_0, = _package.constants()" in written.text
    np.testing.assert_array_equal(written.constants["constant_0"], [1.5, 2.5])


def test_values_are_written_as_literals() -> None:
    written = host_only(
        "(known_0, known_1, n)",
        known("known_0", "self.words", ("a", 1, None, float("inf")), None),
        known("known_1", "self.table", {"a": [1.5, (True,)]}, None),
    )
    values = "('a', 1, None, float('inf')), {'a': [1.5, (True,)]}"
    assert f"return {values}, n" in written.text


class Empty(LookupError):
    """An exception of a user."""


def test_exception_class_of_the_user_is_declared() -> None:
    written = host_only("known_0(n)", known("known_0", "Empty", Empty, None))
    assert "class Empty(LookupError):\n" in written.text
    assert "return Empty(n)" in written.text


def test_object_that_needs_pytorch_is_refused_at_its_line() -> None:
    with pytest.raises(CompileError) as caught:
        host_only("known_0(n)", known("known_0", "torch.relu", torch.relu, ("torch", "relu")))
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.message.partition(" is")[0]) == ("DYCL420", "torch.relu")
    assert diagnostic.origin is not None and diagnostic.origin.line == 7


def test_argument_that_cannot_be_checked_is_refused() -> None:
    with pytest.raises(CompileError, match="DYCL421: argument n is an object of type Empty"):
        host_only("1", spec=StaticInput(value=Empty()))
