"""Calling a graph: arguments, containers, exceptions, endless loops."""

import pytest
import torch

from hcfg.arguments import bind_arguments
from hcfg.interpret import Interpreter, interpret
from rewriter.diagnostics import DyclBug
from rewriter.parameters import MappingInput, Parameter, SequenceInput, StaticInput, VariableInput
from rewriter.program import ScalarSpec, TensorSpec
from tests.hcfg.programs import Draft, give, host, jump, tensor

TENSOR = TensorSpec(dtype=torch.float32, shape=(1,))


def variable(name: str) -> VariableInput:
    return VariableInput(variable=name, spec=TENSOR)


PARAMETERS = (
    Parameter(name="x", spec=variable("x")),
    Parameter(name="pair", spec=SequenceInput(kind=tuple, items=(variable("a"), variable("b")))),
    Parameter(
        name="options",
        spec=MappingInput(
            items=(
                ("mode", StaticInput(value="fast")),
                ("scale", VariableInput(variable="s", spec=ScalarSpec(type=float))),
            )
        ),
        keyword_only=True,
    ),
    Parameter(
        name="flag",
        spec=StaticInput(value=None),
        keyword_only=True,
        default=StaticInput(value=None),
    ),
)
OPTIONS = {"mode": "fast", "scale": 2.0}


def test_arguments_are_taken_apart() -> None:
    values = bind_arguments(PARAMETERS, [1, (2, 3)], {"options": OPTIONS})
    assert values == {"x": 1, "a": 2, "b": 3, "s": 2.0}


@pytest.mark.parametrize(
    ("positional", "keywords", "message"),
    [
        ([1], {"options": OPTIONS}, "argument 'pair' is missing"),
        ([1, (2, 3), OPTIONS], {}, "expected at most 2 arguments, got 3"),
        ([1, (2, 3)], {"x": 1, "options": OPTIONS}, "argument 'x' was given twice"),
        ([1, (2, 3)], {"options": OPTIONS, "y": 1}, "there is no parameter 'y'"),
        ([1, (2, 3, 4)], {"options": OPTIONS}, "pair: expected a tuple of 2, got"),
        ([1, [2, 3]], {"options": OPTIONS}, "pair: expected a tuple of 2, got"),
        ([1, (2, 3)], {"options": {"mode": "fast"}}, "options: expected a dict with keys"),
        (
            [1, (2, 3)],
            {"options": {"mode": "slow", "scale": 1.0}},
            r"options\['mode'\]: compiled for 'fast', got 'slow'",
        ),
        ([1, (2, 3)], {"options": OPTIONS, "flag": 1}, "flag: compiled for None, got 1"),
    ],
)
def test_wrong_arguments_are_refused(
    positional: list[object], keywords: dict[str, object], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        bind_arguments(PARAMETERS, positional, keywords)


def test_the_callers_tensor_is_not_changed() -> None:
    draft = Draft(tensors=dict.fromkeys("xy", (1, 4)), knowns={})
    draft.block(0, tensor(None, "x.add_(1)", updates={"y": "x"}), end=give("y"))
    x = torch.zeros(1, 4)
    assert torch.equal(interpret(draft.graph(), x), torch.ones(1, 4))  # type: ignore[arg-type]
    assert torch.equal(x, torch.zeros(1, 4))


def test_an_endless_loop_ends() -> None:
    draft = Draft(tensors={"x": (1, 4)}, knowns={}, numbers=["n"])
    draft.block(0, host("n", "0.0"), end=jump(1))
    draft.block(1, host("n", "n + 1.0"), end=jump(1))
    path: list[str] = []
    with pytest.raises(DyclBug, match="no end after 10 nodes"):
        Interpreter(graph=draft.graph(), max_nodes=10).call([torch.zeros(1, 4)], path=path)
    assert path[:4] == ["entry", "host_0", "loop_0", "host_1"]


def test_host_code_with_a_comprehension() -> None:
    draft = Draft(tensors={"x": (1, 4)}, knowns={"max": max}, numbers=["n"])
    draft.block(
        0,
        host("n", "max([v * v for row in x.tolist() for v in row])"),
        end=give("{'n': n, 'x': x}"),
    )
    found = interpret(draft.graph(), x=torch.tensor([[1.0, -3.0, 2.0, 0.0]]))
    assert isinstance(found, dict)
    assert found["n"] == 9.0


STARRED = (
    Parameter(name="x", spec=variable("x")),
    Parameter(
        name="rest", spec=SequenceInput(kind=tuple, items=(variable("a"), variable("b"))), star="*"
    ),
    Parameter(name="flag", spec=StaticInput(value=True), keyword_only=True),
    Parameter(
        name="named",
        spec=MappingInput(items=(("c", variable("c")), ("d", variable("d")))),
        star="**",
    ),
)


def test_starred_parameters_take_what_is_left() -> None:
    values = bind_arguments(STARRED, [1, 2, 3], {"c": 4, "flag": True, "d": 5})
    assert values == {"x": 1, "a": 2, "b": 3, "c": 4, "d": 5}


@pytest.mark.parametrize(
    ("positional", "keywords", "message"),
    [
        ([1, 2], {"c": 4, "d": 5, "flag": True}, "rest: expected a tuple of 2, got"),
        ([1, 2, 3, 4], {"c": 4, "d": 5, "flag": True}, "rest: expected a tuple of 2, got"),
        ([1, 2, 3], {"c": 4, "flag": True}, "named: expected a dict with keys"),
        ([1, 2, 3], {"d": 4, "c": 5, "flag": True}, "named: expected a dict with keys"),
        ([1, 2, 3], {"c": 4, "d": 5}, "argument 'flag' is missing"),
    ],
)
def test_wrong_starred_arguments_are_refused(
    positional: list[object], keywords: dict[str, object], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        bind_arguments(STARRED, positional, keywords)
