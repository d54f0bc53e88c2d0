"""A whole random program as Python source, with inputs that take different paths."""

import ast
import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.fuzz import bundling, defining, keeping, leaving
from tests.fuzz.author import Author, Lines, indented
from tests.fuzz.kinds import (
    BOOL,
    FLOAT,
    INT,
    MATRIX,
    PAIR,
    ROW,
    SINGLE,
    TOKENS,
    Kind,
    Scope,
    TensorKind,
)
from tests.fuzz.statements import RULES

HEADER = '''"""{title}"""
import collections
import contextlib
import dataclasses
import math

import torch
import torch.nn.functional as F
from torch import nn


class Stop(Exception):
    pass


class Halt(Stop):
    pass

'''
CONSTRUCTOR = """
def __init__(self):
    super().__init__()
    self.first = nn.Linear(3, 3)
    self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
    self.scale = 0.5
    self.limit = 2
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Source of a module with ``TARGET`` (a function or a module class) and ``INPUTS``."""

    name: str
    source: str


def write_program(seed: int, number: int) -> Program:
    """Return the program of a number, the same for the same seed in every run."""
    dice = random.Random(f"{seed}.{number}")
    parameters = _parameters(dice)
    scope = Scope(dict(parameters))
    is_module = dice.random() < 0.5
    author = Author(dice=dice, scope=scope, rules=RULES, budget=dice.randrange(5, 19))
    for name in parameters:
        author.fresh(name)
    lines = _module(author, parameters) if is_module else _function(author, parameters)
    inputs = ", ".join(f"({', '.join(row)},)" for row in _inputs(dice, parameters))
    target = "TARGET = Model" if is_module else "TARGET = program"
    text = "\n".join([*lines, target, f"INPUTS = [{inputs}]"])
    name = f"fuzz_{seed}_{number}"
    header = HEADER.format(title=f"Program {number} of seed {seed}.")
    if any(f"{used}(" in text for used in bundling.DEFINED):
        text = bundling.DEFINITIONS + text
    return Program(name=name, source=header + ast.unparse(ast.parse(text)) + "\n")


def _parameters(dice: random.Random) -> dict[str, Kind]:
    result: dict[str, Kind] = {"x": MATRIX}
    if dice.random() < 0.5:
        result["y"] = dice.choice([MATRIX, ROW, PAIR, SINGLE])
    for name, kind, probability in (
        ("tokens", TOKENS, 0.2), ("n", INT, 0.25), ("scale", FLOAT, 0.2), ("flag", BOOL, 0.2)
    ):  # fmt: skip
        if dice.random() < probability:
            result[name] = kind
    return result


def _function(author: Author, parameters: dict[str, Kind]) -> Lines:
    lines = _helpers(author)
    return [*lines, *_entry(author, "program", list(parameters))]


def _helpers(author: Author) -> Lines:
    lines: Lines = []
    for index in range(author.dice.choice([0, 0, 1, 2])):
        name = f"helper{index}"
        text, kind = defining.helper(author, name)
        author.bind(name, kind)
        author.scope.fixed.add(name)
        lines += text
    return lines


def _module(author: Author, parameters: dict[str, Kind]) -> Lines:
    lines = _helpers(author)
    author.in_module = True
    author.submodules = ("self.first", "self.layers[0]", "self.layers[-1]")
    author.attributes = {"scale": FLOAT, "limit": INT}
    methods: Lines = [*CONSTRUCTOR.strip().splitlines(), *indented(keeping.CONSTRUCTED)]
    if author.chance(0.4):
        text, kind = defining.helper(author, "step", method=True)
        methods += text
        author.bind("self.step", kind)
        author.scope.fixed.add("self.step")
    methods += _entry(author, "forward", ["self", *parameters])
    return [*lines, "class Model(nn.Module):", *indented(methods)]


def _entry(author: Author, name: str, parameters: list[str]) -> Lines:
    attributes = dict(author.attributes)
    author.attributes = dict(attributes)
    author.functions = 1
    body: Lines = []
    if author.chance(0.8):  # an input written in place ends most of what can be said
        tensors = [n for n, k in author.scope.names.items() if isinstance(k, TensorKind)]
        body = [f"{n} = {n}.clone()" for n in tensors]
    body += author.block(author.budget)
    if not author.ended:
        body.append(f"return {leaving.returned(author, most=9)}")
    return [f"def {name}({', '.join(parameters)}):", *indented(body)]


def _inputs(dice: random.Random, parameters: dict[str, Kind]) -> list[list[str]]:
    shifts = [(0.0, 1.0), (1.0, 1.0), (-1.0, 1.0), (0.0, 4.0), (0.5, 0.25), (-3.0, 2.0)]
    dice.shuffle(shifts)
    return [[_value(dice, kind, *shift) for kind in parameters.values()] for shift in shifts]


def _value(dice: random.Random, kind: Kind, shift: float, scale: float) -> str:
    def one() -> float:
        return round((dice.gauss(0, 1) * scale + shift) * 8) / 8

    if kind == TOKENS:
        return f"torch.tensor({[dice.randrange(5) for _ in range(4)]})"
    if kind == INT:
        return str(dice.randrange(4))
    if kind == FLOAT:
        return repr(one())
    if kind == BOOL:
        return str(dice.random() < 0.5)
    assert isinstance(kind, TensorKind)
    return f"torch.tensor({_nest(one, kind.shape)!r})"


def _nest(one: Callable[[], float], shape: tuple[int, ...]) -> object:
    if not shape:
        return one()
    return [_nest(one, shape[1:]) for _ in range(shape[0])]
