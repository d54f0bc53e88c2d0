"""``rewritten.py``: golden texts, and the same results as the original."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from rewriter.printing.program_text import print_program, runnable
from rewriter.printing.user_module import find_user_module
from rewriter.program import Return, RewrittenProgram, TensorFromHost
from tests.rewriter.building import (
    TENSOR,
    block,
    body,
    branch,
    copy,
    expression,
    function,
    host,
    jump,
    known,
    leave,
    library,
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


def test_a_name_kept_from_being_imported_is_no_users_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kept_away", None)
    assert find_user_module("model.py") == {}


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
