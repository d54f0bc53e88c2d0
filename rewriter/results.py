"""What leaves the program: its result, or an exception, as a residual expression."""

import ast
import dataclasses
import functools
from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NoReturn

import libcst as cst
import numpy

from rewriter import prelude
from rewriter.error_arguments import Message, items_of, known_arguments
from rewriter.evaluation.control.exceptions import exception_class
from rewriter.evaluation.host.array_memory import make_on_host
from rewriter.evaluation.host.host_statements import emit_host
from rewriter.evaluation.instances.user_classes import is_own_container
from rewriter.evaluation.rendering import NotMaterial, call_expression, render
from rewriter.evaluation.run import Frame
from rewriter.hoisting import Named, repeated
from rewriter.host_type_properties import has_instance, leaves_as_instance
from rewriter.host_types import MappingType
from rewriter.known_paths import is_library
from rewriter.leaving_iterators import LeavingIterators, kept_cells
from rewriter.leaving_lists import (
    class_of_elements,
    factory_of,
    frozen_set,
    made_of_tuples,
    of_library,
    parts_of,
)
from rewriter.plain_objects import NAMESPACES, is_plain_class, is_seen
from rewriter.schemas import ObjectSample
from rewriter.specs import HostSpec
from rewriter.stand_ins import (
    RETURNABLE,
    ObjectMaker,
    is_bare_enumeration,
    is_named_tuple,
    lost_names,
    makes_itself,
    text_of,
)
from rewriter.state import State
from rewriter.values import (
    DictCell,
    FunctionValue,
    HostValue,
    IteratorValue,
    Known,
    ListCell,
    MethodValue,
    ObjectCell,
    Reference,
    RunTimeCell,
    RunTimeRange,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
)

_DICTS = (dict, OrderedDict, defaultdict)
_NOT_KEPT = frozenset({"__cause__", "__context__", "__traceback__"})
"""Attributes of exceptions that only Python's own reports show."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """Writes the values that one path leaves the program with."""

    frame: Frame
    node: cst.CSTNode
    state: State
    raised: bool = False  # whether it is part of an exception
    written: dict[int, ast.expr] = field(default_factory=dict)
    """The expressions of objects of the heap, inner ones first."""
    remade: list[type] = field(default_factory=list)
    """The classes of elements of run-time lists that are made anew: of one list, at most."""

    def result(self, value: Value) -> ast.expr:
        """Return the expression of what is returned."""
        return self._hoisted(self._value(value))

    def _hoisted(self, whole: ast.expr) -> ast.expr:
        """Return an expression in which no object is made twice: statements make it before."""
        names: dict[int, str] = {}
        naming, run = Named(names), self.frame.run
        for part in repeated(whole, self.written.values()):
            name = run.builder.variable("_object", HostSpec(description="object"))
            made, origin = naming.generic_visit(part), self.frame.origin(self.node)
            assert isinstance(made, ast.expr)
            emit_host(run, self.state, name, made, origin, effect=False)
            names[id(part)] = name
        written = naming.visit(whole)
        assert isinstance(written, ast.expr)
        return written

    def _value(self, value: Value, inside: tuple[int, ...] = ()) -> ast.expr:
        """Return the expression of a value; ``inside`` are the objects around it."""
        match value:
            case TensorValue() | ScalarValue() | HostValue():
                return self._plain(value)
            case Known():
                return self._known(value)
            case TupleValue():
                return self._tuple(value, inside)
            case Reference():
                reason = self.frame.run.argument_objects.ask_for_all(value.identity)
                if reason is not None:
                    self._refuse(reason)
                if value.identity in inside:
                    self._refuse("an object that contains itself")
                if value.identity not in self.written:
                    expression = self._cell(value, (*inside, value.identity))
                    self.written[value.identity] = expression
                return self.written[value.identity]
            case FunctionValue() | MethodValue():
                self._refuse("a function")
            case ViewValue() | IteratorValue() | RunTimeRange() if not self.raised:
                write = functools.partial(self._value, inside=inside)
                made = LeavingIterators(self.frame, self.state, write, self._refuse, self.written)
                return made.expression(value)
            case _:
                return self._plain(value)

    def exception(self, exception: Value, text: Value | None) -> ast.expr:
        """Return the expression of the exception that leaves the program.

        ``text`` is what its class says that ``str`` of it is, None if nothing.
        """
        kind = exception_class(self.state, exception)
        items: list[ast.expr] = []
        given: Value = Known(())
        attributes: dict[str, ast.expr] = {}
        if isinstance(exception, Known) and isinstance(exception.value, BaseException):
            given, items = Known(exception.value.args), known_arguments(exception.value)
            own = {} if is_library(kind.__module__) else vars(exception.value)
            attributes = {name: self._value(Known(value)) for name, value in own.items()}
        elif isinstance(exception, Reference):
            inside, cell = (exception.identity,), self.state.cell(exception, ObjectCell)
            given = cell.attributes.get("args", Known(()))
            items = [self._value(each, inside) for each in items_of(self.state, given)]
            attributes = {
                name: self._value(value, inside)
                for name, value in cell.attributes.items()
                if name != "args" and name not in _NOT_KEPT
            }
        message = Message(self.frame, self.node, self.state, kind)
        shown = message.expression(given, items, other=text is not None)
        if kind.__module__ == "builtins":
            items = items if shown is None else [shown]
            return self._hoisted(call_expression(ast.Name(id=kind.__name__, ctx=ast.Load()), items))
        if text is not None:
            attributes["__str__"] = self._value(text)
        return self._hoisted(self._made(kind, items, attributes))

    def _plain(self, value: Value) -> ast.expr:
        if isinstance(value, HostValue) and isinstance(value.sample, ObjectSample):
            self._refuse("an object that is an argument")
        try:
            return render(self.frame.run, self.state, value)
        except NotMaterial as error:
            self._refuse(f"{error.reason}")

    def _tuple(self, value: TupleValue, inside: tuple[int, ...]) -> ast.expr:
        items = [self._value(item, inside) for item in value.items]
        if is_named_tuple(value.kind):
            return self._made(value.kind, items, {})
        return ast.Tuple(elts=items, ctx=ast.Load())

    def _cell(self, value: Reference, inside: tuple[int, ...]) -> ast.expr:
        match self.state.heap[value.identity]:
            case ListCell() as cell if cell.kind is list or is_own_container(cell):
                display = ast.List(
                    elts=[self._value(item, inside) for item in cell.items], ctx=ast.Load()
                )
                return display if cell.kind is list else self._filled(cell, display, inside)
            case ListCell() as cell if cell.kind is deque:
                items = [self._value(item, inside) for item in cell.items]
                bound = [] if cell.bound is None else [ast.Constant(value=cell.bound)]
                whole = ast.List(elts=items, ctx=ast.Load())
                return of_library(self.frame.run, deque, whole, *bound)
            case DictCell() as cell if cell.kind in _DICTS or is_own_container(cell):
                return self._dict(cell, inside)
            case ObjectCell() as cell:
                return self._object(cell, inside)
            case RunTimeCell(type=MappingType(kind=kind)) as cell if (
                kind is defaultdict and not has_instance(replace(cell.type, kind=dict))
            ):
                factory = factory_of(self.frame.run, cell.factory, self._refuse)
                return of_library(self.frame.run, defaultdict, factory, self._plain(value))
            case RunTimeCell() as cell if (made := class_of_elements(cell.type)) is not None:
                if self.remade or value.identity in kept_cells(self.state):
                    self._refuse("a second list of objects of a class, or one that is kept,")
                self.remade.append(made)
                return made_of_tuples(self.frame.run, self._made(made, [], {}).func, cell.name)
            case RunTimeCell() as cell if leaves_as_instance(cell.type):
                self._refuse("a run-time container of objects of a class, or a defaultdict")
            case _:
                return self._plain(value)

    def _dict(self, cell: DictCell, inside: tuple[int, ...]) -> ast.expr:
        display = ast.Dict(
            keys=[self._plain(Known(key)) for key in cell.items],
            values=[self._value(item, inside) for item in cell.items.values()],
        )
        if cell.kind is dict:
            return display
        if cell.kind is OrderedDict:
            return of_library(self.frame.run, OrderedDict, display)
        if cell.kind is defaultdict:
            factory = factory_of(self.frame.run, cell.default_factory, self._refuse)
            return of_library(self.frame.run, defaultdict, factory, display)
        return self._filled(cell, display, inside)

    def _filled(
        self, cell: ListCell | DictCell, display: ast.expr, inside: tuple[int, ...]
    ) -> ast.expr:
        """Return the expression of an instance of the user's class of lists or dicts."""
        named = {name: self._value(value, inside) for name, value in cell.attributes.items()}
        if not all(is_seen(cell.kind, name) for name in named):
            self._refuse(f"an object of class {cell.kind.__name__}")
        return self._made(cell.kind, [display], named)

    def _object(self, cell: ObjectCell, inside: tuple[int, ...]) -> ast.expr:
        kind = cell.kind
        attributes = {n: v for n, v in cell.attributes.items() if n not in _NOT_KEPT}
        if issubclass(kind, BaseException):
            self._refuse(f"an exception ({kind.__name__})")
        own = kind.__module__.startswith(prelude.__name__)
        if own or (kind not in NAMESPACES and not is_plain_class(kind)):
            self._refuse(f"an object of class {kind.__name__}")
        if dataclasses.is_dataclass(kind):
            names = [field.name for field in dataclasses.fields(kind)]
            if set(names) != attributes.keys():
                self._refuse(f"a dataclass ({kind.__name__}) with more attributes than fields")
            attributes = {name: attributes[name] for name in names}
        made = {name: self._value(value, inside) for name, value in attributes.items()}
        if not all(is_seen(kind, name) for name in made):
            self._refuse(f"an object of class {kind.__name__}")
        return self._made(kind, [], made)

    def _made(self, kind: type, items: list[ast.expr], attributes: dict[str, ast.expr]) -> ast.Call:
        """Return the call that makes an instance, here and in a host package."""
        run = self.frame.run
        direct = makes_itself(kind) and not (
            attributes and issubclass(kind, BaseException | list | dict)
        )
        if direct:
            reference = run.builder.reference(kind, kind.__qualname__)
        else:
            maker = run.makers.setdefault(kind, ObjectMaker(kind))
            reference = run.builder.reference(maker, f"new {kind.__name__}")
        lost = lost_names(kind)
        if lost and not is_library(kind.__module__):
            self._note_stand_in(kind, f"with the same fields but without {', '.join(lost)}")
        return call_expression(reference, items, attributes)

    def _note_stand_in(self, kind: type, how: str) -> None:
        text = f"callers get a {kind.__name__} of the host package's own, {how}"
        self.frame.run.note(self.frame.origin(self.node), text)

    def _known(self, value: Known) -> ast.expr:
        if type(value.value) is frozenset:
            return frozen_set(value.value, lambda item: self._known(Known(item)))
        if (text := text_of(value.value)) is None:
            self._check_known(value.value)
            return self._plain(value)
        how = f"callers get the text {text!r} for an object of class {type(value.value).__name__}"
        self.frame.run.note(self.frame.origin(self.node), how)
        return ast.Constant(value=text)

    def _check_known(self, content: object, inside: tuple[object, ...] = ()) -> None:
        if any(content is outer for outer in inside):
            self._refuse("an object that contains itself")
        if (parts := parts_of(content)) is not None:
            for item in parts:
                self._check_known(item, (*inside, content))
        elif isinstance(content, Enum) and is_bare_enumeration(type(content)):
            self._note_stand_in(type(content), "with the same name and value")
        elif isinstance(content, numpy.ndarray):
            make_on_host(self.frame, content)
            self._refuse("an array of the model")
        elif not isinstance(content, RETURNABLE):
            self._refuse(f"an object of class {type(content).__name__}")

    def _refuse(self, what: str) -> NoReturn:
        how = "leaves the program with an exception" if self.raised else "is returned"
        self.frame.refuse(
            "DYCL068" if self.raised else "DYCL065",
            self.node,
            f"{what} {how}",
            "give tensors, numbers, strings, containers of these, or objects that are nothing "
            "but their attributes",
        )
