"""``rewritten.py``: golden texts, and the same results as the original."""

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from types import ModuleType

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from rewriter.diagnostics import CompileError
from rewriter.parameters import MappingInput, Parameter, SequenceInput, StaticInput, VariableInput
from rewriter.printing.program_text import print_program, runnable
from rewriter.program import KnownReference, Return, RewrittenProgram, TensorFromHost
from tests.rewriter.building import (
    NUMBER,
    TENSOR,
    block,
    branch,
    copy,
    expression,
    function,
    host,
    jump,
    known,
    leave,
    origin,
    program,
    tensor,
)


class Gated(nn.Module):
    """A block that is run if its gate is open, then a loop that counts."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.conv = nn.Linear(3, 3)
        self.gate = nn.Linear(3, 1)
        self.layers = nn.ModuleList([nn.Linear(3, 3)])

    def forward(self, x: Tensor, rounds: int) -> tuple[Tensor, int]:
        x = self.conv(x)
        if torch.sigmoid(self.gate(x)).item() > 0.5:
            x = x + F.relu(self.layers[0](x))
        x = x * 1
        x.add_(F.gelu(x))
        n = 0
        while n < rounds:
            x = self.conv(x)
            n = n + 1
        return x, n


def library(name: str, path: str | None, value: object, module: str) -> KnownReference:
    """Return a reference to a library object."""
    attribute = getattr(value, "__name__", "")
    return KnownReference(name=name, path=path, value=value, import_path=(module, attribute))


def gated_program(model: Gated) -> RewrittenProgram:
    """Return what the evaluator would make of ``Gated``."""
    blocks = {
        0: block(
            tensor("x$1", "k_conv(x$0)", line=10),
            tensor("_t$2", "k_gate(x$1)", line=11),
            tensor("_t$3", "k_sigmoid(_t$2)", line=11),
            host("_p$4", "_t$3.item()", line=11),
            host("_b$5", "_p$4 > 0.5", line=11),
            branch("_b$5", 1, 2, line=11),
        ),
        1: block(
            tensor("_t$6", "k_layer(x$1)", line=12),
            tensor("_t$7", "k_relu(_t$6)", line=12),
            tensor("x$8", "x$1 + _t$7", line=12),
            copy(x_9="x$8"),
            jump(3),
        ),
        2: block(copy(x_9="x$1"), jump(3)),
        3: block(
            tensor("x$10", "x$9 * 1", line=13),
            tensor("_g$11", "k_gelu(x$10)", line=14),
            tensor(None, "x$10.add_(_g$11)", updates=[("x$12", "x$10")], line=14),
            host("n$13", "0", line=15),
            copy(x_14="x$12", n_15="n$13"),
            jump(4),
        ),
        4: block(host("_c$16", "n$15 < rounds$20", line=16), branch("_c$16", 5, 6, line=16)),
        5: block(
            tensor("x$17", "k_conv(x$14)", line=17),
            host("n$18", "n$15 + 1", line=18),
            copy(x_14="x$17", n_15="n$18"),
            jump(4),
        ),
        6: block(leave("(x$14, n$15)", line=19)),
    }
    return program(
        function(["x$0", "rounds$20"], blocks, {"x$0": TENSOR}),
        known("k_conv", model.conv, "self.conv"),
        known("k_gate", model.gate, "self.gate"),
        known("k_layer", model.layers[0], "self.layers[0]"),
        library("k_relu", "F.relu", F.relu, "torch.nn.functional"),
        library("k_gelu", None, F.gelu, "torch._C._nn"),
        library("k_sigmoid", "torch.sigmoid", torch.sigmoid, "torch"),
        notes=["parameters are fixed"],
    )


def test_a_whole_program_reads_like_its_original() -> None:
    assert (
        print_program(gated_program(Gated()))
        == '''\
"""What is left of model.py to do at run time, as runnable PyTorch.

Written by dycl for reading and debugging; comments give the original's lines.
Note: parameters are fixed
"""

import torch
import torch._C._nn
import torch.nn.functional as F


def forward(self, x, rounds):
    x = self.conv(x)  # model.py:10
    if torch.sigmoid(self.gate(x)).item() > 0.5:  # model.py:11
        x = x + F.relu(self.layers[0](x))  # model.py:12
    x = x * 1
    x.add_(torch._C._nn.gelu(x))  # model.py:14
    n = 0
    while n < rounds:  # model.py:16
        x = self.conv(x)  # model.py:17
        n = n + 1
    return x, n  # model.py:19
'''
    )


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_a_program_runs_like_its_original(rounds: int) -> None:
    model = Gated()
    forward = runnable(gated_program(model), model)
    gates = set()
    for seed in range(8):
        x = torch.randn(1, 3, generator=torch.Generator().manual_seed(seed))
        gates.add(bool(torch.sigmoid(model.gate(model.conv(x))).item() > 0.5))
        expected, count = model(x, rounds)
        result = forward(x, rounds)
        assert isinstance(result, tuple)
        assert torch.equal(result[0], expected) and result[1] == count
    assert gates == {False, True}


def test_the_printed_text_runs_on_its_own() -> None:
    model = Gated()
    names: dict[str, object] = {}
    exec(print_program(gated_program(model)), names)
    forward = names["forward"]
    assert callable(forward)
    x = torch.ones(1, 3)
    assert torch.equal(forward(model, x, 2)[0], model(x, 2)[0])


def body(text: str) -> Sequence[str]:
    """Return the lines from ``def`` on."""
    lines = text.splitlines()
    return lines[next(i for i, line in enumerate(lines) if line.startswith("def ")) :]


def test_objects_without_a_path_come_from_a_table() -> None:
    secret = nn.Linear(3, 3)
    entry = function(["x$0"], {0: block(leave("k(x$0)"))})
    made = program(entry, known("k", secret))
    text = print_program(made)
    assert "#   KNOWN['k']: Linear\nKNOWN = {}" in text
    assert body(text) == ["def forward(x):", "    return KNOWN['k'](x)  # model.py:1"]
    x = torch.ones(1, 3)
    result = runnable(made)(x)
    assert isinstance(result, Tensor) and torch.equal(result, secret(x))


def test_two_objects_with_one_path_are_kept_apart() -> None:
    entry = function(["x$0"], {0: block(leave("(k1, k2)"))})
    made = program(entry, known("k1", [1], "scale"), known("k2", [2], "scale"))
    assert runnable(made)(0) == ([1], [2])


@pytest.fixture
def user_module() -> Iterator[ModuleType]:
    """Load a module from the file that the programs of these tests come from."""
    module = ModuleType("the_users_model")
    module.__file__ = "model.py"
    sys.modules[module.__name__] = module
    yield module
    del sys.modules[module.__name__]


def test_globals_of_the_users_file_are_imported_from_it(user_module: ModuleType) -> None:
    user_module.__dict__.update(SCALES=[3, 5], fn=torch.nn.functional)
    entry = function(["x$0"], {0: block(leave("(k1, k2(x$0))"))})
    made = program(
        entry,
        known("k1", user_module.SCALES[1], "SCALES[1]"),
        library("k2", "fn.relu", F.relu, "torch.nn.functional"),
    )
    text = print_program(made)
    assert "import torch.nn.functional as fn\n\nfrom model import SCALES\n" in text
    assert body(text)[1].strip().startswith("return SCALES[1], fn.relu(x)")
    assert str(runnable(made)(torch.ones(1))) == "(5, tensor([1.]))"


def test_a_library_name_that_an_argument_hides_is_reached_otherwise() -> None:
    entry = function(["torch$0", "F$1"], {0: block(leave("(k1(F$1), torch$0)"))})
    made = program(entry, library("k1", "F.relu", F.relu, "torch.nn.functional"))
    result = runnable(made)(7, torch.ones(1))
    assert str(result) == "(tensor([1.]), 7)"
    assert "KNOWN['F.relu'](F)" in print_program(made)


def test_builtins_and_names_from_modules() -> None:
    entry = function(["max$0"], {0: block(host("relu$1", "k1(max$0, 2)"), leave("(relu$1, k2)"))})
    entry = replace(entry, parameters=(replace(entry.parameters[0], name="limit"),))
    made = program(
        entry,
        library("k1", "max", max, "builtins"),
        library("k2", "relu", F.relu, "torch.nn.functional"),
    )
    text = print_program(made)
    assert "from torch.nn.functional import relu\n" in text
    assert body(text)[1] == "    relu_1 = max(limit, 2)  # model.py:1"
    assert runnable(made)(1) == (2, F.relu)


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


def test_a_tensor_made_of_host_numbers() -> None:
    statement = TensorFromHost(
        target="t$1", expression=expression("[n$0, 1]"), dtype=torch.int64, origin=origin(4)
    )
    made = program(function(["n$0"], {0: block(statement, leave("t$1 + 1"))}))
    text = print_program(made)
    assert "import torch\n" in text
    assert body(text)[1] == "    t = torch.tensor([n, 1], dtype=torch.int64)  # model.py:4"
    assert str(runnable(made)(5)) == "tensor([6, 2])"


def test_stores_patterns_and_updates() -> None:
    entry = function(
        ["x$0", "v$1"],
        {
            0: block(
                tensor(("a$2", None, ("b$3",)), "parts(x$0)"),
                tensor(None, "v$1", into="a$2[0]", updates=[("a$4", "a$2"), ("x$5", "x$0")]),
                leave("(a$4, b$3, x$5)"),
            )
        },
    )
    made = program(entry, known("parts", lambda x: (x[:2], 0, [x + 1])))
    made = replace(made, knowns={"parts": replace(made.knowns["parts"], path=None)})
    assert body(print_program(made)) == [
        "def forward(x, v):",
        "    a, _, (b,) = KNOWN['parts'](x)  # model.py:1",
        "    a[0] = v",
        "    return a, b, x",
    ]
    assert str(runnable(made)(torch.zeros(2), 7.0)) == (
        "(tensor([7., 0.]), tensor([1., 1.]), tensor([7., 0.]))"
    )


@pytest.mark.parametrize("text", ["(-1) ** 2", "-1.5 * x$0", "float('nan')", "1e999", "2 - (-0.0)"])
def test_numbers_keep_their_value(text: str) -> None:
    made = program(function(["x$0"], {0: block(leave(f"({text}, x$0)"))}))
    assert repr(runnable(made)(3)) == repr((eval(text.replace("x$0", "3")), 3))


def test_negative_constants_keep_their_value() -> None:
    power = ast.BinOp(
        left=ast.Constant(value=-1), op=ast.Pow(), right=ast.Name(id="x$0", ctx=ast.Load())
    )
    end = Return(value=power, origin=origin())
    assert runnable(program(function(["x$0"], {0: block(end)})))(2) == 1


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
