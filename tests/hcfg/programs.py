"""Write rewritten programs by hand, one line of text per statement.

draft = Draft(tensors={"x": (1, 4), "y": (1, 4)}, numbers=["p"], knowns={"gate": gate})
draft.block(0, tensor("y", "gate(x)"), host("p", "y.sum().item()"), end=branch("p > 0", 1, 2))
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import nn

from hcfg.build import build_hcfg
from hcfg.graph import Hcfg
from rewriter.origin import Origin
from rewriter.parameters import Parameter, VariableInput
from rewriter.program import (
    Block,
    Branch,
    CallStatement,
    Copy,
    Function,
    HostSpec,
    HostStatement,
    Jump,
    KnownReference,
    Pattern,
    Raise,
    Return,
    RewrittenProgram,
    ScalarSpec,
    Statement,
    SymbolRange,
    TensorFromHost,
    TensorSpec,
    TensorStatement,
    Terminator,
    Variable,
    VariableSpec,
)

NOWHERE = Origin(file="net.py", line=0, column=0, end_column=1, text="", function="Net.forward")


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def tensor(
    pattern: Pattern, text: str, *, updates: Mapping[str, str] | None = None, stores: str = ""
) -> TensorStatement:
    """``pattern = text``; ``updates`` maps new names to old ones; ``stores`` is ``x[i]``."""
    return TensorStatement(
        pattern=pattern,
        expression=expression(text),
        origin=NOWHERE,
        stores_into=expression(stores) if stores else None,
        updates=tuple((updates or {}).items()),
    )


def host(target: str | None, text: str, *, effect: bool = False) -> HostStatement:
    return HostStatement(target=target, expression=expression(text), origin=NOWHERE, effect=effect)


def copy(**pairs: str) -> Copy:
    """``copy(x="y", n="0")``: the parallel assignment ``x, n = y, 0``."""
    sources = tuple(expression(source) for source in pairs.values())
    return Copy(targets=tuple(pairs), sources=sources, origin=NOWHERE)


def from_host(target: str, text: str) -> TensorFromHost:
    """``target`` is a float32 tensor of the numbers in ``text``."""
    return TensorFromHost(
        target=target, expression=expression(text), dtype=torch.float32, origin=NOWHERE
    )


def call(pattern: Pattern, function: str, *arguments: str) -> CallStatement:
    """``pattern = function(arguments)``: a call of a specialised function."""
    return CallStatement(
        pattern=pattern,
        function=function,
        arguments=tuple(map(expression, arguments)),
        origin=NOWHERE,
    )


def jump(target: int) -> Jump:
    return Jump(target=target)


def branch(text: str, if_true: int, if_false: int) -> Branch:
    return Branch(condition=expression(text), if_true=if_true, if_false=if_false, origin=NOWHERE)


def give(text: str) -> Return:
    return Return(value=expression(text), origin=NOWHERE)


def fail(text: str) -> Raise:
    return Raise(exception=expression(text), origin=NOWHERE)


def _path(name: str, value: object) -> str:
    return f"self.{name}" if isinstance(value, nn.Module | torch.Tensor) else name


@dataclass(kw_only=True)
class Draft:
    """A program in the making. Each statement gets the next line of ``net.py``."""

    tensors: Mapping[str, tuple[int | str, ...]]
    knowns: Mapping[str, object]
    numbers: Sequence[str] = ()
    counters: Sequence[str] = ()
    """Numbers that are integers."""
    sizes: Mapping[str, str] = field(default_factory=dict)
    """Integers that equal a size, which is given."""
    others: Sequence[str] = ()
    """Variables that are run-time containers and the like."""
    integers: Sequence[str] = ()
    """Tensors whose elements are integers."""
    complexes: Sequence[str] = ()
    """Tensors whose elements are complex numbers."""
    shorts: Sequence[str] = ()
    """Tensors of bfloat16."""
    arguments: Sequence[str] = ("x",)
    symbols: Mapping[str, SymbolRange] = field(default_factory=dict)
    blocks: dict[int, Block] = field(default_factory=dict)
    line: int = 0

    def block(self, number: int, *statements: Statement, end: Terminator) -> None:
        placed = tuple(replace(statement, origin=self._next()) for statement in statements)
        if not isinstance(end, Jump):
            end = replace(end, origin=self._next())
        self.blocks[number] = Block(statements=placed, terminator=end)

    def _next(self) -> Origin:
        self.line += 1
        return replace(NOWHERE, line=self.line, text=f"line {self.line}")

    def program(self) -> RewrittenProgram:
        variables = {
            name: Variable(name=name, hint=name, spec=spec) for name, spec in self._specs()
        }
        parameters = tuple(
            Parameter(name=name, spec=VariableInput(variable=name, spec=variables[name].spec))
            for name in self.arguments
        )
        knowns = {
            name: KnownReference(name=name, path=_path(name, value), value=value)
            for name, value in self.knowns.items()
        }
        function = Function(
            name="forward",
            parameters=parameters,
            variables=variables,
            blocks=self.blocks,
            entry=min(self.blocks),
            symbols=self.symbols,
        )
        return RewrittenProgram(name="net", entry=function, knowns=knowns, source_file="net.py")

    def graph(self) -> Hcfg:
        return build_hcfg(self.program())

    def _specs(self) -> list[tuple[str, VariableSpec]]:
        specs: list[tuple[str, VariableSpec]] = []
        for name, shape in self.tensors.items():
            dtype = torch.int64 if name in self.integers else torch.float32
            dtype = torch.complex64 if name in self.complexes else dtype
            dtype = torch.bfloat16 if name in self.shorts else dtype
            specs.append((name, TensorSpec(dtype=dtype, shape=shape)))
        specs += [(name, ScalarSpec(type=float)) for name in self.numbers]
        specs += [(name, ScalarSpec(type=int)) for name in self.counters]
        specs += [(name, ScalarSpec(type=int, size=size)) for name, size in self.sizes.items()]
        specs += [(name, HostSpec(description="list")) for name in self.others]
        return specs


def graph_with(draft: Draft, **functions: Draft) -> Hcfg:
    """Return the graph of a program with specialised functions, each with variables of its own."""
    made = {name: replace(each.program().entry, name=name) for name, each in functions.items()}
    knowns = {
        name: known for each in functions.values() for name, known in each.program().knowns.items()
    }
    program = draft.program()
    return build_hcfg(replace(program, functions=made, knowns={**program.knowns, **knowns}))
