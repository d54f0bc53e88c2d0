"""Tensors in the messages of errors that nobody catches: shown by element type and shape."""

from collections.abc import Iterator
from contextlib import contextmanager

import libcst as cst

from rewriter.evaluation.run import Frame
from rewriter.values import Known, TensorValue, Value


@contextmanager
def wording_error(frame: Frame) -> Iterator[None]:
    """While an error is made that leaves the program, its text may name a tensor by its shape."""
    leaves = not frame.run.protecting
    frame.run.wording += leaves
    try:
        yield
    finally:
        frame.run.wording -= leaves


def tensor_in_error(frame: Frame, node: cst.CSTNode, value: Value) -> Value | None:
    """Return the text that stands for a tensor in an error's message, None elsewhere."""
    if not frame.run.wording or not isinstance(value, TensorValue):
        return None
    kind = str(value.fake.dtype).removeprefix("torch.")
    shape = ", ".join(str(size) if isinstance(size, int) else "?" for size in value.fake.shape)
    frame.run.note(
        frame.origin(node), "the message of this error names the tensor's shape, not its elements"
    )
    return Known(f"<{kind} tensor of shape ({shape})>")
