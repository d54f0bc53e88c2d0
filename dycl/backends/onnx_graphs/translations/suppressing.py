"""Boxes that overlap better ones are left out, as torchvision's kernel does it.

The runtime's operator takes the corners of a box in any order, and says nothing of scores that
are NaN. The kernel takes a box that ends before it begins for one that overlaps nothing, and
sorts NaN first.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from onnxscript import ir

from dycl.backends.onnx_graphs.translations.values import Value, axes, flat, integer, number, op


def nms(boxes: Value, scores: Value, iou_threshold: float) -> Value:
    """Translate ``torchvision::nms``."""
    if boxes.dtype != ir.DataType.FLOAT or scores.dtype != ir.DataType.FLOAT:
        raise NotImplementedError(f"nms of {boxes.dtype}")
    if not 0 <= iou_threshold <= 1:
        raise NotImplementedError(f"nms with the threshold {iou_threshold}")
    columns = op.Split(boxes, num_outputs=4, axis=1)
    begins = [op.Greater(columns[2 + i], columns[i]) for i in range(2)]
    boxes = op.Where(op.And(*begins), boxes, number(boxes, 0))
    best = op.Min(scores, number(scores, float(np.finfo(np.float32).max)))
    ranked = op.Where(op.IsNaN(scores), number(scores, float("inf")), best)
    chosen = op.NonMaxSuppression(
        op.Unsqueeze(boxes, axes(0)),
        op.Unsqueeze(ranked, axes([0, 1])),
        integer(np.iinfo(np.int64).max),
        op.Constant(value=ir.tensor(np.array([_from_below(iou_threshold)]))),
    )
    return flat(op.Gather(chosen, op.Constant(value_ints=[2]), axis=1))


def _from_below(threshold: float) -> np.float32:
    """Return the largest number in single precision that is no larger.

    The kernel compares with the threshold in double precision; what is above the one is above the
    other. Rounded up, the threshold itself would be no longer above.
    """
    nearest = np.float32(threshold)
    return np.nextafter(nearest, np.float32(0)) if float(nearest) > threshold else nearest


def of_libraries() -> Mapping[Callable[..., Any], Callable[..., Any]]:
    """Return the translations of operators that are there once a library is imported."""
    operator = getattr(torch.ops.torchvision, "nms", None)
    return {} if operator is None else {operator.default: nms}
