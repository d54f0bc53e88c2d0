"""``numpy.split`` and ``array_split`` of arrays of run time: lists made in a loop."""

from collections.abc import Callable

import libcst as cst
import numpy

from rewriter.array_samples import is_array
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import splitting_arrays
from rewriter.state import State
from rewriter.values import HostValue, Known, ScalarValue, Value


def _splitting(library: object, in_sections: Callable[..., object]) -> SpecialRule:
    """Return the rule for one of the functions."""

    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        given = {
            **dict(zip(("ary", "indices_or_sections", "axis"), positional, strict=False)),
            **keywords,
        }
        array, parts = given.get("ary"), given.get("indices_or_sections")
        along = known_object(state, given.get("axis", Known(0)))
        known = all(known_object(state, value) is not None for value in given.values())
        number = parts is not None and _is_integer(state, parts)
        fits = parts is not None and (number or not isinstance(parts, ScalarValue))
        if known or not fits or not _is_array(array) or not _is_dimension(array, along):
            yield from call_library(frame, node, state, Known(library), positional, keywords)
            return
        assert array is not None and parts is not None and along is not None
        function = Known(in_sections if number else splitting_arrays.at_places)
        if along.value == 0:
            yield from call_value(frame, node, state, function, [array, parts], {})
            return
        given_all = [function, array, parts, along]
        yield from call_value(frame, node, state, Known(splitting_arrays.along), given_all, {})

    return call


def _is_integer(state: State, parts: Value) -> bool:
    if isinstance(parts, ScalarValue):
        return parts.type is not None and issubclass(parts.type, int | numpy.integer)
    content = known_object(state, parts)
    return content is not None and isinstance(content.value, int | numpy.integer)


def _is_array(value: Value | None) -> bool:
    return is_array(_sample(value))


def _is_dimension(array: Value | None, along: Known | None) -> bool:
    """Return whether a known number is that of a dimension of an array."""
    count: int = getattr(_sample(array), "ndim", 0)
    return along is not None and type(along.value) is int and -count <= along.value < count


def _sample(value: Value | None) -> object:
    return value.sample if isinstance(value, HostValue) else getattr(value, "value", None)


special(numpy.split)(_splitting(numpy.split, splitting_arrays.in_equal_sections))


special(numpy.array_split)(_splitting(numpy.array_split, splitting_arrays.in_sections))
