"""Loops over recursive generators, as functions that are called with each item.

for item in walk(root):            def body(given):
    if item is None:                   nonlocal total
        continue                       item = given
    total = total + item     ->        if item is None:
                                           return
                                       total = total + item
                                   hand_over(body, walk(root))

The variables that the body reads and sets are those of a function around it, so that a recursion
that calls it tells them from all others.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import libcst as cst
from libcst.metadata import CodeRange

from rewriter.descendants import children_of, descendants
from rewriter.name_liveness import reads_first
from rewriter.scope import bindings, contains_yield, names_read
from rewriter.source import FunctionSource

BODY = "_body_of_loop"
GIVEN = "_given_to_loop"
WALKED = "_walked_by_loop"
HAND_OVER = "_handed_to_loop"
_OWN = frozenset({BODY, GIVEN, WALKED, HAND_OVER})
_FRAME_DEPENDENT = frozenset({"super", "__class__", "locals", "vars", "dir", "eval", "exec"})
"""What looks at the function that it stands in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopFunction:
    """A loop that is done by a function."""

    source: FunctionSource
    """The function whose body does what the loop does, and which has its variables."""
    moved: frozenset[str]
    """The variables of the function that the loop stands in which become those of the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """What becomes of the names in a loop."""

    moved: frozenset[str]
    """Variables of the function around, which nobody but the loop can see."""
    outer: frozenset[str]
    """Those that the body sets and that are not its own."""
    globals: frozenset[str]
    """Those that it sets."""


@lru_cache(maxsize=256)
def loop_function(
    source: FunctionSource, node: cst.For, later: frozenset[str]
) -> LoopFunction | None:
    """Return a loop as a function; ``later`` are the names that may be read after an iteration.

    None for loops whose body does what another function could not do for it.
    """
    read = names_read(node.body) | names_read(node.target)
    if read & (_OWN | _FRAME_DEPENDENT) or _is_bound_to_its_function(node):
        return None
    scope, shared = source.scope, source.shared
    bound = _bound(node)
    own = (bound & scope.local) - shared - later - reads_first(node.body)
    if not own.issuperset(_caught(node.body)):
        return None  # they are unbound at the end of the clause
    names = _Names(
        moved=(read & scope.local) - shared - own,
        outer=bound - own - scope.declared_global,
        globals=bound & scope.declared_global,
    )
    return LoopFunction(source=_Making(source, node, names).function(), moved=names.moved)


def _bound(node: cst.For) -> frozenset[str]:
    """Return the names that a loop binds."""
    body = cst.IndentedBlock([node.with_changes(orelse=None)])
    function = cst.FunctionDef(cst.Name(BODY), cst.Parameters(), body)
    return frozenset(name for _, found in bindings(function) for name in found)


def _is_bound_to_its_function(node: cst.For) -> bool:
    if contains_yield(node.body) or _leaves(node.body):
        return True
    for each in descendants(node.body):
        match each:
            case cst.ClassDef() | cst.Await() | cst.Del() | cst.Import() | cst.ImportFrom():
                return True
            case cst.Global() | cst.Nonlocal():
                return True
    return False


def _caught(body: cst.CSTNode) -> list[str]:
    """Return the names of errors in ``except ... as name`` clauses."""
    handlers = (each for each in descendants(body) if isinstance(each, cst.ExceptHandler))
    names = (handler.name.name for handler in handlers if handler.name is not None)
    return [name.value for name in names if isinstance(name, cst.Name)]


def _leaves(node: cst.CSTNode, *, in_loop: bool = False) -> bool:
    """Return whether a statement of a loop's body may leave the loop."""
    match node:
        case cst.Return():
            return True
        case cst.Break():
            return not in_loop
        case cst.FunctionDef() | cst.Lambda():
            return False
        case cst.For() | cst.While():
            return _leaves(node.body, in_loop=True) or (
                node.orelse is not None and _leaves(node.orelse, in_loop=in_loop)
            )
        case _:
            return any(_leaves(child, in_loop=in_loop) for child in children_of(node))


class _Making:
    """Makes the function of a loop; what it makes stands where the loop does."""

    def __init__(self, source: FunctionSource, node: cst.For, names: _Names) -> None:
        self._source, self._node, self._names = source, node, names
        self._positions: dict[cst.CSTNode, CodeRange] = {}

    def function(self) -> FunctionSource:
        """Return the function; its parameters are the variables that are moved."""
        text = self._source.text
        body = cst.IndentedBlock([self._body_function(), self._handing_over()])
        made = cst.FunctionDef(cst.Name(BODY), _parameters(self._names.moved), body)
        for each in descendants(made):
            if each not in text.positions:
                self._positions.setdefault(each, text.positions[self._node])
        positions = {**text.positions, **self._positions}
        name = f"{self._source.name}.<locals>.{BODY}"
        return FunctionSource(node=made, name=name, text=replace(text, positions=positions))

    def _body_function(self) -> cst.FunctionDef:
        rewritten = self._node.body.visit(_Continuing(self._source, self._positions))
        assert isinstance(rewritten, cst.BaseSuite)
        outer = self._names.outer
        item = cst.Assign([cst.AssignTarget(self._node.target)], cst.Name(GIVEN))
        first: list[cst.BaseSmallStatement] = [item]
        if outer:
            first.insert(0, cst.Nonlocal(_items(outer)))
        if self._names.globals:
            first.insert(0, cst.Global(_items(self._names.globals)))
        rest = rewritten.body
        if isinstance(rewritten, cst.SimpleStatementSuite):
            rest = [cst.SimpleStatementLine(rewritten.body)]
        lines = [cst.SimpleStatementLine([each]) for each in first]
        return cst.FunctionDef(
            cst.Name(BODY), _parameters([GIVEN]), cst.IndentedBlock([*lines, *rest])
        )

    def _handing_over(self) -> cst.SimpleStatementLine:
        given = [cst.Arg(cst.Name(name)) for name in (BODY, WALKED)]
        return cst.SimpleStatementLine([cst.Expr(cst.Call(cst.Name(HAND_OVER), given))])


def _parameters(names: Iterable[str]) -> cst.Parameters:
    return cst.Parameters([cst.Param(cst.Name(name)) for name in sorted(names)])


def _items(names: Iterable[str]) -> list[cst.NameItem]:
    return [cst.NameItem(cst.Name(name)) for name in sorted(names)]


class _Continuing(cst.CSTTransformer):
    """Puts ``return`` in the place of ``continue``."""

    def __init__(self, source: FunctionSource, positions: dict[cst.CSTNode, CodeRange]) -> None:
        super().__init__()
        self._known, self._positions = source.text.positions, positions
        self._functions = self._loops = 0

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Count the functions around."""
        self._functions += isinstance(node, cst.FunctionDef | cst.Lambda)
        return True

    def visit_For_body(self, node: cst.For) -> None:
        """Begin the body of a loop within."""
        self._loops += 1

    def leave_For_body(self, node: cst.For) -> None:
        """End it: its ``else`` belongs to the loop around."""
        self._loops -= 1

    def visit_While_body(self, node: cst.While) -> None:
        """Begin the body of a loop within."""
        self._loops += 1

    def leave_While_body(self, node: cst.While) -> None:
        """End it."""
        self._loops -= 1

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode:
        """Take the place of what is replaced."""
        self._functions -= isinstance(original_node, cst.FunctionDef | cst.Lambda)
        made = updated_node
        if isinstance(made, cst.Continue) and not (self._loops or self._functions):
            made = cst.Return()
        where = self._known.get(original_node)
        if where is not None:
            for each in (made,) if made is updated_node else descendants(made):
                if each not in self._known:
                    self._positions.setdefault(each, where)
        return made
