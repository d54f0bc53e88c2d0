"""Call expressions: their arguments are evaluated in Python's order, then the value is called."""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.builtin_functions.starred_zip import (
    columns_of,
    is_starred_zip,
    starred_zip,
)
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.misfits import given_twice
from rewriter.evaluation.containers.inherited_code import merged_items
from rewriter.evaluation.containers.user_mappings import taken_as_dict
from rewriter.evaluation.control.iteration import items_counted, items_of
from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.instances.asked_tables import is_missing, own_attribute, owner_of_table
from rewriter.evaluation.instances.attributes import get_attribute
from rewriter.evaluation.instances.super_objects import super_value
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.statement_ends import calling
from rewriter.state import State
from rewriter.values import NONE, FunctionValue, Known, MethodValue, Value

_Keywords = dict[object, Value]
"""Those of ``**table`` may be no strings: that raises when all arguments are there."""
_Arguments = tuple[list[Value], _Keywords]


@expression_rule(cst.Call)
def call(frame: Frame, node: cst.Call, state: State) -> Outcomes:
    """``function(arguments)``."""
    if (owner := _asked_by_get(node)) is not None:
        yield from _got(frame, node, state, owner)
        return
    for after, function in evaluate(frame, node.func, state):
        if is_starred_zip(node, function):
            yield from _zipped(frame, node, after, function)
            continue
        for ready, (positional, named) in _arguments(frame, function, list(node.args), after):
            keywords = {key: item for key, item in named.items() if isinstance(key, str)}
            if len(keywords) < len(named):
                frame.run.raise_known(ready, TypeError("keywords must be strings"))
            elif isinstance(function, Known) and function.value is super:
                parent = super_value(frame, node, ready, positional)
                if parent is not None:
                    yield ready, parent
            else:
                with calling(frame, node, ready, function, [*positional, *keywords.values()]):
                    yield from call_value(frame, node, ready, function, positional, keywords)


def _asked_by_get(node: cst.Call) -> cst.BaseExpression | None:
    """Return ``x`` of ``x.__dict__.get(name)`` and ``x.__dict__.get(name, default)``."""
    match node.func:
        case cst.Attribute(value=table, attr=cst.Name(value="get")) if len(node.args) in (1, 2):
            plain = all(not one.star and one.keyword is None for one in node.args)
            return owner_of_table(table) if plain else None
        case _:
            return None


def _got(frame: Frame, node: cst.Call, state: State, owner: cst.BaseExpression) -> Outcomes:
    """``owner.__dict__.get(name, default)``: one attribute, of an object made before the call."""
    assert isinstance(node.func, cst.Attribute)
    for after, value in evaluate(frame, owner, state):
        for done, given in _positional(frame, list(node.args), after):
            found = own_attribute(frame, node, done, value, given[0])
            if found is not None:
                yield done, (*given[1:], NONE)[0] if is_missing(found) else found
                continue
            for ready, table in get_attribute(frame, node.func.value, done, value, "__dict__"):
                for got, method in get_attribute(frame, node.func, ready, table, "get"):
                    yield from call_value(frame, node, got, method, given, {})


def _zipped(frame: Frame, node: cst.Call, state: State, function: Value) -> Outcomes:
    """``zip(*rows)``: how many rows there are may be known only at run time."""
    for after, rows, run_time in starred_zip(frame, node, state):
        if run_time:
            yield from columns_of(frame, node, after, rows)
            continue
        for spread, items in items_of(frame, node.args[0], after, rows):
            yield from call_value(frame, node, spread, function, list(items), {})


def _arguments(
    frame: Frame, function: Value, arguments: list[cst.Arg], state: State
) -> Iterator[tuple[State, _Arguments]]:
    """Yield states with positional values and keywords.

    Python evaluates the positional ones first: ``f(key=b(), *a())``. Where ``*a()`` is the only
    one, it walks over what that gives when the keywords have been evaluated.
    """
    places = [one for one in arguments if one.star != "**" and one.keyword is None]
    named = _merged_at_once([one for one in arguments if one.star == "**" or one.keyword])
    if len(places) == 1 and places[0].star == "*":
        (only,) = places
        for after, value in evaluate(frame, only.value, state):
            for ready, keywords in _keywords(frame, function, named, after):
                for spread, items in items_counted(frame, only, ready, value):
                    yield spread, (list(items), keywords)
        return
    for after, positional in _positional(frame, places, state):
        for ready, keywords in _keywords(frame, function, named, after):
            yield ready, (positional, keywords)


def _merged_at_once(arguments: list[cst.Arg]) -> list[list[cst.Arg]]:
    """Return keyword arguments in groups: ``name=value`` side by side are put in together."""
    groups: list[list[cst.Arg]] = []
    for one in arguments:
        if groups and "**" not in (one.star, groups[-1][-1].star):
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _positional(
    frame: Frame, arguments: list[cst.Arg], state: State
) -> Iterator[tuple[State, list[Value]]]:
    if not arguments:
        yield state, []
        return
    *earlier, last = arguments
    for after, done in _positional(frame, earlier, state):
        for evaluated, value in evaluate(frame, last.value, after):
            if last.star == "*":
                for spread, items in items_counted(frame, last, evaluated, value):
                    yield spread, [*done, *items]
            else:
                yield evaluated, [*done, value]


def _keywords(
    frame: Frame, function: Value, groups: list[list[cst.Arg]], state: State
) -> Iterator[tuple[State, _Keywords]]:
    """Yield states with keywords; one that is given twice raises where the second is put in."""
    if not groups:
        yield state, {}
        return
    *earlier, last = groups
    for after, done in _keywords(frame, function, earlier, state):
        for spread, added in _group(frame, last, after):
            twice = [key for key in added if key in done]
            if twice:
                frame.run.raise_known(spread, given_twice(_called(function), twice[0]))
            else:
                yield spread, {**done, **added}


def _called(function: Value) -> tuple[str, str]:
    """Return the module and the name of what is called."""
    match function:
        case MethodValue(function=FunctionValue() | Known() as method):
            return _called(method)
        case MethodValue(function=str() as name):
            return "", name
        case FunctionValue():
            return str(function.globals.get("__name__")), function.source.name
        case Known(value=content):
            named = content if hasattr(content, "__qualname__") else type(content)
            return str(getattr(named, "__module__", None) or ""), named.__qualname__
        case _:
            return "", "function"


def _group(
    frame: Frame, arguments: list[cst.Arg], state: State
) -> Iterator[tuple[State, _Keywords]]:
    """Yield what is put in at once: all of ``**value``, or ``name=value, other=value``."""
    if not arguments:
        yield state, {}
        return
    *earlier, last = arguments
    for after, done in _group(frame, earlier, state):
        for evaluated, value in evaluate(frame, last.value, after):
            if last.keyword is not None:
                yield evaluated, {**done, last.keyword.value: value}
            else:
                yield from _spread(frame, last, evaluated, value)


def _spread(
    frame: Frame, argument: cst.Arg, state: State, value: Value
) -> Iterator[tuple[State, _Keywords]]:
    """Yield the items of ``**value``."""
    for spread, given in taken_as_dict(frame, argument, state, value):
        mapping = merged_items(frame, argument, spread, given)
        if mapping is None:
            frame.refuse("DYCL044", argument, "** needs a dict known at compile time")
        yield spread, dict(mapping)
