"""Methods that give a tensor object another shape: ``y.unsqueeze_(0)``, ``y.resize_(n)``."""

from collections.abc import Callable

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.holders import become, is_one_object
from rewriter.evaluation.tensors.strided_views import require_rows
from rewriter.prelude import shaping
from rewriter.size_expressions import is_dense_layout
from rewriter.state import State
from rewriter.values import Known, TensorValue, Value

RESHAPING = frozenset({"t_", "transpose_", "swapaxes_", "swapdims_", "squeeze_", "unsqueeze_"})
"""Methods that change the shape of a tensor object, not its content."""
RESIZING = frozenset({"resize_", "resize_as_"})
"""Methods that may leave out elements, or add such as hold nothing certain."""


def reshaped(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: TensorValue | Known,
    name: str,
    view: Callable[[State, TensorValue], Outcomes],
) -> Outcomes:
    """Evaluate ``y.unsqueeze_(0)`` as ``y = y.unsqueeze(0)`` for all that hold the object."""
    current = state.current(receiver) if isinstance(receiver, TensorValue) else None
    if (
        current is None
        or current.name in frame.run.storages.aliased
        or not is_one_object(frame.run, state, current)
    ):
        frame.refuse(
            "DYCL042",
            node,
            f"Tensor.{name}: a tensor that others may hold gets another shape in place",
            "use an operation that gives a new tensor, and assign its result",
        )
    for after, made in view(state, current):
        assert isinstance(made, TensorValue)
        if made.name != current.name:
            become(frame.run, after, current, made)
        yield after, made


def resized(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: TensorValue | Known,
    name: str,
    sizes: list[Value],
) -> Outcomes:
    """Evaluate ``y.resize_(n)`` as the view of the first ``n`` elements of ``y``'s memory.

    Refused where there are fewer, as PyTorch says nothing of what the others hold; where that
    is found out by the host, it raises.
    """
    require_rows(frame, node)

    def view(before: State, current: TensorValue) -> Outcomes:
        if not is_dense_layout(current.fake):
            frame.refuse("DYCL042", node, f"Tensor.{name}: a tensor that does not lie by rows")
        operands = [current, *sizes]
        for after, count in call_value(frame, node, before, _COUNTS[name], operands, {}):
            held = current.fake.numel()
            if isinstance(count, Known) and isinstance(held, int) and count.value > held:
                frame.refuse("DYCL042", node, f"Tensor.{name}: what new elements hold is unknown")
            yield from call_value(frame, node, after, _VIEWS[name], operands, {})

    yield from reshaped(frame, node, state, receiver, name, view)


_COUNTS = {"resize_": Known(shaping.count_of), "resize_as_": Known(shaping.count_of_other)}
_VIEWS = {"resize_": Known(shaping.resized), "resize_as_": Known(shaping.resized_as)}
