"""What leaves a program in parts: run-time lists of objects, which are tuples on the host; sets.

So do the containers of ``collections``.
"""

import ast
import builtins
from collections.abc import Callable, Iterable
from typing import NoReturn, Protocol

from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Run
from rewriter.host_type_properties import leaves_as_instance
from rewriter.host_type_relations import decided
from rewriter.host_types import HostType, SequenceType, TupleType
from rewriter.stand_ins import is_named_tuple, makes_itself
from rewriter.values import NONE, Known, Value

_FACTORIES = (list, dict, tuple, set, frozenset, str, bytes, int, float, bool, complex)


class Refusing(Protocol):
    """What raises, saying which kind of object cannot leave."""

    def __call__(self, what: str) -> NoReturn:
        """Refuse it."""


def of_library(run: Run, kind: type, *arguments: ast.expr) -> ast.expr:
    """Return the call that makes a container of ``collections``."""
    reference = run.builder.reference(kind, f"collections.{kind.__name__}")
    return call_expression(reference, arguments)


def factory_of(run: Run, factory: Value | None, refuse: Refusing) -> ast.expr:
    """Return what a ``defaultdict`` makes missing values with: the caller may ask for them."""
    made = NONE if factory is None else factory
    if not isinstance(made, Known) or not any(made.value is f for f in (None, *_FACTORIES)):
        refuse("a defaultdict with a function of the program's")
    if made.value is None:
        return ast.Constant(value=None)
    return run.builder.reference(made.value, made.value.__name__)


def class_of_elements(given: HostType) -> type | None:
    """Return the class of the named tuples that make up a list of this type, else None."""
    whole = decided(given)
    element = decided(whole.element) if isinstance(whole, SequenceType) else None
    if not isinstance(whole, SequenceType) or whole.kind is not list:
        return None
    if not isinstance(element, TupleType) or not is_named_tuple(element.kind):
        return None
    plain = makes_itself(element.kind) and not any(map(leaves_as_instance, element.items))
    return element.kind if plain else None


def made_of_tuples(run: Run, maker: ast.expr, name: str) -> ast.expr:
    """Return the list of what a class of named tuples makes of the tuples in a list."""
    make = ast.Attribute(value=maker, attr="_make", ctx=ast.Load())
    mapping, listing = (run.builder.reference(f, f.__name__) for f in (builtins.map, list))
    return call_expression(listing, [call_expression(mapping, [make, name_expression(name)])])


def frozen_set(content: frozenset[object], write: Callable[[object], ast.expr]) -> ast.expr:
    """Return a call that makes a set, of elements sorted by text as those of literals are."""
    elements = [write(item) for item in sorted(content, key=repr)]
    display = [ast.Tuple(elts=elements, ctx=ast.Load())] if elements else []
    return call_expression(ast.Name(id="frozenset", ctx=ast.Load()), display)


def parts_of(content: object) -> Iterable[object] | None:
    """Return what a known list, tuple, dict or slice is made of, None for other objects."""
    if isinstance(content, slice):
        return (content.start, content.stop, content.step)
    if isinstance(content, dict) and type(content) is dict:
        return content.values()
    if isinstance(content, list | tuple) and type(content) in (list, tuple):
        return content
    return None
