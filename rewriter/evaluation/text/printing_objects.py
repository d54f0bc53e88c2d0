"""What ``print`` and logging get of objects: their text, written by the program itself."""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.builtin_functions.copying import each
from rewriter.evaluation.instances.generated_methods import (
    is_argument_object,
    is_instance,
    shown_fields,
)
from rewriter.evaluation.instances.user_classes import method_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.text.text_formatting import format_value, has_changed_text
from rewriter.state import State
from rewriter.values import Known, Value


def printed_values(
    frame: Frame, node: cst.CSTNode, state: State, values: list[Value]
) -> Iterator[tuple[State, list[Value]]]:
    """Yield values with the texts of the objects among them."""

    def printed(state: State, value: Value) -> Outcomes:
        if is_argument_object(value) and method_of(state, value, "__str__") is None:
            frame.refuse("DYCL046", node, "an object that is an argument is printed")
        has_text = is_instance(state, value) or shown_fields(state, value)
        if is_argument_object(value) or has_text or has_changed_text(frame, state, value):
            yield from format_value(frame, node, state, value, Known(""), "s")
        else:
            yield state, value

    for after, texts in each(state, tuple(values), printed):
        yield after, list(texts)
