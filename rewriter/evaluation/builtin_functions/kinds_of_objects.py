"""``inspect.isfunction`` and the like: whether a value is a function, a class, a module, ..."""

import inspect
import types

import libcst as cst

from rewriter.evaluation.builtin_functions.builtin_reflection import type_of
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.containers.lazy_iterators import is_generator
from rewriter.evaluation.generators.generator_expressions import LazyRows
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import (
    IteratorCell,
    IteratorValue,
    Known,
    Reference,
    RunTimeRange,
    ScalarValue,
    TensorValue,
    Value,
)

_KINDS: dict[object, type] = {
    inspect.isfunction: types.FunctionType,
    inspect.ismethod: types.MethodType,
    inspect.isclass: type,
    inspect.ismodule: types.ModuleType,
    inspect.isbuiltin: types.BuiltinFunctionType,
    inspect.isgenerator: types.GeneratorType,
}


def _asking_for(kind: type) -> SpecialRule:
    def ask(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        (value,) = [*positional, *keywords.values()]
        yield state, Known(_is_one(frame, node, state, value, kind))

    return ask


def _is_one(frame: Frame, node: cst.CSTNode, state: State, value: Value, kind: type) -> bool:
    """Return whether a value is of a class that no number or tensor is of."""
    if isinstance(value, TensorValue | ScalarValue | RunTimeRange):
        return False
    if isinstance(value, IteratorValue):
        source = state.cell(Reference(value.identity), IteratorCell).source
        expression = isinstance(source, LazyRows) and not source.frame.source.is_prelude
        return kind is types.GeneratorType and (expression or is_generator(state, value))
    return issubclass(type_of(frame, node, state, value), kind)


for _asked, _kind in _KINDS.items():
    special(_asked)(_asking_for(_kind))
