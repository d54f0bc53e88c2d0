"""Places that are repeated: how often each is known at run time only, and there may be none."""

from onnxscript import ir

from dycl.backends.onnx_graphs.translations.values import Value, axes, integer, op


def repeat_interleave(repeats: Value, output_size: int | None = None) -> Value:
    """Translate ``repeat_interleave`` of numbers alone: as many of each place as its number.

    A mark is put where each run of equal places ends; how many marks come before tells the place.
    The exporter's own looks at the last end for how many there are, where there may be none.
    """
    del output_size
    ends = op.Cast(op.CumSum(repeats, integer(0)), to=ir.DataType.INT64)
    count = op.Cast(op.ReduceSum(repeats, axes(0), keepdims=True), to=ir.DataType.INT64)
    marks = op.Expand(integer(0), op.Add(count, axes(1)))
    ones = op.Expand(integer(1), op.Shape(ends))
    marked = op.ScatterElements(marks, ends, ones, axis=0, reduction="add")
    places = op.Slice(op.CumSum(marked, integer(0)), axes(0), count)
    return op.CastLike(places, repeats)
