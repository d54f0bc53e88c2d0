"""Prints a structured function as lines of Python."""

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from rewriter.diagnostics import DyclBug
from rewriter.origin import Origin
from rewriter.printing.conditions import negation
from rewriter.printing.expression_text import expression_text
from rewriter.printing.liveness import names_in
from rewriter.printing.statement_text import statement_lines
from rewriter.printing.structure import structure
from rewriter.printing.structured import (
    Body,
    Break,
    Continue,
    Enter,
    If,
    IfFlag,
    Item,
    Loop,
    Once,
    Places,
    SetFlag,
    Straight,
)
from rewriter.program import (
    BlockId,
    Branch,
    CallStatement,
    Copy,
    Function,
    HostStatement,
    Jump,
    Raise,
    Return,
    Statement,
    TensorFromHost,
    TensorStatement,
    Terminator,
)
from rewriter.program_names import successors

_SHORT = 60
"""A tuple this long surely fits on its line, and needs no parentheses to be broken at."""

Render = Callable[[ast.expr], str]
"""Returns the text of an expression over variables and known references."""


def body_lines(function: Function, expressions: Mapping[str, ast.expr]) -> Sequence[str]:
    """Return the lines of a named function's body, indented by one level.

    ``expressions`` says how each known reference is written. A comment gives the user's
    line at branches, calls and exits, where it is another than in the last comment.
    """
    edges = {name: successors(block.terminator) for name, block in function.blocks.items()}
    tests = frozenset(
        name
        for name, block in function.blocks.items()
        if isinstance(block.terminator, Branch) and not block.statements
    )
    taken = function.variables.keys() | frozenset[str]().union(*map(names_in, expressions.values()))
    printer = _Printer(function, taken, lambda e: expression_text(e, expressions))
    printer.body(structure(edges, function.entry, tests), depth=1)
    return printer.lines


@dataclass(slots=True)
class _Printer:
    function: Function
    taken: Collection[str]
    """Names that the text uses already."""
    render: Render
    lines: list[str] = field(default_factory=list)
    _place: str = ""
    """The place that the last comment gave."""

    def body(self, items: Body[BlockId], depth: int) -> None:
        """Print items one below the other, ``pass`` if nothing comes out."""
        before = len(self.lines)
        for item in items:
            self._item(item, depth)
        if len(self.lines) == before:
            self._line("pass", depth)

    def _item(self, item: Item[BlockId], depth: int) -> None:
        match item:
            case Straight(node=block):
                self._straight(block, depth)
            case If():
                self._if(item, "if", depth)
            case Loop() | Once() | Places():
                self._repeated(item, depth)
            case Break():
                self._line("break", depth)
            case Continue():
                self._line("continue", depth)
            case SetFlag(flag=flag, value=value):
                self._line(f"{self._own_name(f'leave_{flag}')} = {value}", depth)
            case IfFlag():
                self._line(f"if {self._own_name(f'leave_{item.flag}')}:", depth)
                self.body((item.action,), depth + 1)
            case Enter(place=place):
                self._line(f"{self._own_name('place')} = {place}", depth)

    def _places(self, places: Places[BlockId], depth: int) -> None:
        name = self._own_name("place")
        self._line(f"{name} = 0", depth)
        self._line("while True:  # by number, as it nests too deep for Python", depth)
        for number, body in enumerate(places.bodies):
            self._line(f"if {name} == {number}:", depth + 1)
            self.body(body, depth + 2)

    def _straight(self, block: BlockId, depth: int) -> None:
        content = self.function.blocks[block]
        for statement in content.statements:
            for index, line in enumerate(statement_lines(statement, self.render)):
                origin = statement.origin if index == 0 and _has_call(statement) else None
                self._line(line, depth, origin)
        for line, origin in self._exit(content.terminator):
            self._line(line, depth, origin)

    def _exit(self, terminator: Terminator) -> Iterator[tuple[str, Origin]]:
        match terminator:
            case Return():
                yield f"return {self._returned(terminator.value)}", terminator.origin
            case Raise():
                yield f"raise {self.render(terminator.exception)}", terminator.origin
            case Jump() | Branch():
                pass

    def _returned(self, value: ast.expr) -> str:
        """Return the text of a value; a tuple without its parentheses where they say nothing."""
        text = self.render(value)
        bare = isinstance(value, ast.Tuple) and len(value.elts) > 1 and len(text) <= _SHORT
        return text[1:-1] if bare else text

    def _if(self, item: If[BlockId], keyword: str, depth: int) -> None:
        while True:
            condition, origin = self._test(item.node, item.negated)
            self._line(f"{keyword} {condition}:", depth, origin)
            self.body(item.then, depth + 1)
            match item.orelse:
                case (If() as item,):
                    keyword = "elif"
                case ():
                    return
                case _:
                    self._line("else:", depth)
                    self.body(item.orelse, depth + 1)
                    return

    def _repeated(self, item: Loop[BlockId] | Once[BlockId] | Places[BlockId], depth: int) -> None:
        match item:
            case Loop(test=None):
                self._line("while True:", depth)
                self.body(item.body, depth + 1)
            case Loop(test=int() as test):
                condition, origin = self._test(test, item.negated)
                self._line(f"while {condition}:", depth, origin)
                self.body(item.body, depth + 1)
            case Once():
                self._line("while True:  # runs once", depth)
                self.body(item.body, depth + 1)
            case Places():
                self._places(item, depth)

    def _test(self, block: BlockId, negated: bool) -> tuple[str, Origin]:
        terminator = self.function.blocks[block].terminator
        if not isinstance(terminator, Branch):
            raise DyclBug(f"block {block} is tested but does not branch")
        condition = negation(terminator.condition) if negated else terminator.condition
        return self.render(condition), terminator.origin

    def _own_name(self, name: str) -> str:
        """Return a name that the text does not use for anything else."""
        while name in self.taken:
            name += "_"
        return name

    def _line(self, text: str, depth: int, origin: Origin | None = None) -> None:
        comment = ""
        if origin is not None:
            place = f"{PurePath(origin.file).name}:{origin.line}"
            comment = "" if place == self._place else f"  # {place}"
            self._place = place
        self.lines.append(f"{'    ' * depth}{text}{comment}")


def _has_call(statement: Statement) -> bool:
    match statement:
        case TensorStatement() | HostStatement():
            return any(isinstance(node, ast.Call) for node in ast.walk(statement.expression))
        case TensorFromHost() | CallStatement():
            return True
        case Copy():
            return False
