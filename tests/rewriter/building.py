"""Short ways to write functions of the rewritten program by hand.

A variable is written ``x$1``: its hint is what stands before the dollar.
"""

import ast
from collections.abc import Mapping, Sequence

import torch

from rewriter.origin import Origin
from rewriter.parameters import Parameter, VariableInput
from rewriter.program import (
    Block,
    Branch,
    Copy,
    Function,
    HostStatement,
    Jump,
    KnownReference,
    Pattern,
    Raise,
    Return,
    RewrittenProgram,
    ScalarSpec,
    Statement,
    TensorSpec,
    TensorStatement,
    Terminator,
    Variable,
    VariableSpec,
)
from rewriter.program_names import (
    expression_names,
    statement_expressions,
    statement_targets,
    successors,
    terminator_expressions,
)

NUMBER = ScalarSpec(type=int)
TENSOR = TensorSpec(dtype=torch.float32, shape=(1,))


def origin(line: int = 1) -> Origin:
    """Return a place in a file that does not exist."""
    return Origin(file="model.py", line=line, column=0, end_column=1, text="", function="f")


def expression(text: str) -> ast.expr:
    """Parse an expression with variables."""
    parsed = ast.parse(text.replace("$", "·"), mode="eval").body
    for node in ast.walk(parsed):
        if isinstance(node, ast.Name):
            node.id = node.id.replace("·", "$")
    return parsed


def host(target: str | None, value: str, *, effect: bool = False, line: int = 1) -> HostStatement:
    """Return ``target = value`` on the host."""
    return HostStatement(
        target=target, expression=expression(value), origin=origin(line), effect=effect
    )


def tensor(
    pattern: Pattern,
    value: str,
    *,
    updates: Sequence[tuple[str, str]] = (),
    into: str | None = None,
    line: int = 1,
) -> TensorStatement:
    """Return ``pattern = value`` over tensors."""
    return TensorStatement(
        pattern=pattern,
        expression=expression(value),
        origin=origin(line),
        updates=tuple(updates),
        stores_into=None if into is None else expression(into),
    )


def copy(**pairs: str) -> Copy:
    """Return a parallel copy; underscores before digits stand for the dollar: ``x_1='y$2'``."""
    targets = tuple(f"{t.rpartition('_')[0]}${t.rpartition('_')[2]}" for t in pairs)
    sources = tuple(map(expression, pairs.values()))
    return Copy(targets=targets, sources=sources, origin=origin())


def jump(target: int) -> Jump:
    """Return a jump."""
    return Jump(target=target)


def branch(condition: str, if_true: int, if_false: int, line: int = 1) -> Branch:
    """Return a branch."""
    return Branch(
        condition=expression(condition), if_true=if_true, if_false=if_false, origin=origin(line)
    )


def leave(value: str, line: int = 1) -> Return:
    """Return a return."""
    return Return(value=expression(value), origin=origin(line))


def fail(value: str, line: int = 1) -> Raise:
    """Return a raise."""
    return Raise(exception=expression(value), origin=origin(line))


def block(*parts: Statement | Terminator) -> Block:
    """Return a block of statements and a terminator."""
    *statements, terminator = parts
    assert isinstance(terminator, Jump | Branch | Return | Raise)
    kept = [s for s in statements if not isinstance(s, Jump | Branch | Return | Raise)]
    assert len(kept) == len(statements)
    return Block(statements=tuple(kept), terminator=terminator)


def function(
    parameters: Sequence[str],
    blocks: Mapping[int, Block],
    specs: Mapping[str, VariableSpec] | None = None,
) -> Function:
    """Return a function whose parameters and variables are declared from their names."""
    names = list(parameters)
    for content in blocks.values():
        read = list(terminator_expressions(content.terminator))
        for statement in content.statements:
            names += statement_targets(statement)
            read += statement_expressions(statement)
        names += [name for e in read for name in expression_names(e) if "$" in name]
    variables = {}
    for name in dict.fromkeys(names):
        spec = (specs or {}).get(name, NUMBER)
        variables[name] = Variable(name=name, hint=name.partition("$")[0], spec=spec)
    return Function(
        name="forward",
        parameters=tuple(
            Parameter(
                name=name.partition("$")[0],
                spec=VariableInput(variable=name, spec=variables[name].spec),
            )
            for name in parameters
        ),
        variables=variables,
        blocks=blocks,
        entry=next(iter(blocks)),
    )


def known(name: str, value: object, path: str | None = None) -> KnownReference:
    """Return a reference to an object of the user's model."""
    return KnownReference(name=name, path=path, value=value)


def program(
    entry: Function, *knowns: KnownReference, notes: Sequence[str] = ()
) -> RewrittenProgram:
    """Return a program of one function."""
    return RewrittenProgram(
        name="model",
        entry=entry,
        knowns={reference.name: reference for reference in knowns},
        source_file="model.py",
        notes=tuple(notes),
    )


def all_targets(entry: Function) -> list[str]:
    """Return what the statements of a function assign, in order."""
    return [
        name
        for content in entry.blocks.values()
        for statement in content.statements
        for name in statement_targets(statement)
    ]


def edges(entry: Function) -> dict[int, tuple[int, ...]]:
    """Return the graph of a function."""
    return {name: successors(content.terminator) for name, content in entry.blocks.items()}


def library(name: str, path: str | None, value: object, module: str) -> KnownReference:
    """Return a reference to a library object."""
    attribute = getattr(value, "__name__", "")
    return KnownReference(name=name, path=path, value=value, import_path=(module, attribute))


def body(text: str) -> Sequence[str]:
    """Return the lines from ``def`` on."""
    lines = text.splitlines()
    return lines[next(i for i, line in enumerate(lines) if line.startswith("def ")) :]
