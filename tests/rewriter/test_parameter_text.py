"""The text of parameters: arguments taken apart, defaults, stars, names that hide others."""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F

from rewriter.diagnostics import CompileError
from rewriter.parameters import MappingInput, Parameter, SequenceInput, StaticInput, VariableInput
from rewriter.printing.program_text import print_program, runnable
from tests.rewriter.building import NUMBER, block, body, function, known, leave, library, program


def test_a_library_name_that_an_argument_hides_is_reached_otherwise() -> None:
    entry = function(["torch$0", "F$1"], {0: block(leave("(k1(F$1), torch$0)"))})
    made = program(entry, library("k1", "F.relu", F.relu, "torch.nn.functional"))
    result = runnable(made)(7, torch.ones(1))
    assert str(result) == "(tensor([1.]), 7)"
    assert "KNOWN['F.relu'](F)" in print_program(made)


def test_a_static_argument_is_read_where_it_came_in() -> None:
    config = {"scale": [1, 2]}
    entry = function(["x$0"], {0: block(leave("(x$0, k)"))})
    entry = replace(
        entry,
        parameters=(*entry.parameters, Parameter(name="config", spec=StaticInput(value=config))),
    )
    made = program(entry, known("k", config["scale"], "config['scale']"))
    assert body(print_program(made))[1] == "    return x, config['scale']  # model.py:1"
    assert runnable(made)(3, config) == (3, [1, 2])


def test_arguments_are_taken_apart() -> None:
    entry = function(["a$0", "b$1", "c$2"], {0: block(leave("a$0 - c$2"))})
    first, second, third = (
        VariableInput(variable=name, spec=NUMBER) for name in ("a$0", "b$1", "c$2")
    )
    parts = SequenceInput(kind=tuple, items=(StaticInput(value=1), first, second))
    entry = replace(
        entry,
        parameters=(
            Parameter(name="parts", spec=MappingInput(items=(("a", parts),))),
            Parameter(name="c", spec=SequenceInput(kind=list, items=(third,))),
        ),
    )
    made = program(entry)
    assert body(print_program(made)) == [
        "def forward(parts, c):",
        "    a = parts['a'][1]",
        "    c_1 = c[0]",
        "    return a - c_1  # model.py:1",
    ]
    assert runnable(made)({"a": (1, 9, 3)}, [5]) == 4


def test_optional_and_keyword_parameters() -> None:
    entry = function(["x$0", "y$1"], {0: block(leave("x$0 + y$1"))})
    x, y = entry.parameters
    fixed = Parameter(
        name="eps",
        spec=StaticInput(value=float("inf")),
        default=StaticInput(value=float("inf")),
    )
    made = program(replace(entry, parameters=(x, fixed, y)))
    assert body(print_program(made))[0] == "def forward(x, eps=float('inf'), *, y):"
    made = program(replace(entry, parameters=(x, replace(y, keyword_only=True))))
    assert runnable(made)(1, y=2) == 3


def test_starred_parameters() -> None:
    entry = function(["x$0", "a$1", "c$2"], {0: block(leave("x$0 + a$1 + c$2"))})
    x, a, c = entry.parameters
    rest = SequenceInput(kind=tuple, items=(a.spec,))
    named = MappingInput(items=(("c", c.spec),))
    parameters = (
        x,
        Parameter(name="rest", spec=rest, star="*"),
        Parameter(
            name="flag",
            spec=StaticInput(value=1),
            default=StaticInput(value=1),
            keyword_only=True,
        ),
        Parameter(name="named", spec=named, star="**"),
    )
    made = program(replace(entry, parameters=parameters))
    assert body(print_program(made))[0] == "def forward(x, *rest, flag=1, **named):"
    assert runnable(made)(1, 2, c=3) == 6


def test_parameter_that_hides_a_needed_builtin_is_refused() -> None:
    made = program(function(["len$0"], {0: block(leave("slice(len$0)"))}))
    assert runnable(made)(2) == slice(2)
    hiding = program(function(["slice$0"], {0: block(leave("slice(slice$0)"))}))
    with pytest.raises(CompileError, match="DYCL074: the parameter 'slice' hides something"):
        print_program(hiding)
