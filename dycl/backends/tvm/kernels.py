"""Kernels written as statements: what no formula per element says."""

from collections.abc import Callable, Sequence

import torch
from tvm import te, tirx

from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.operands import zero
from dycl.backends.tvm.run_time_sizes import OPAQUE
from dycl.backends.tvm.sizes import Size, dimensions, product_of
from dycl.backends.tvm.tensors import Expression, Tensor, type_name

Statement = Expression
Combine = Callable[[Expression, Expression], Expression]


def emit_statements(
    emitter: Emitter,
    name: str,
    make: Callable[..., Statement],
    inputs: Sequence[Tensor],
    shape: Sequence[Size],
    dtype: torch.dtype,
) -> Tensor:
    """Emit a kernel; ``make`` returns its statements for the output and the inputs."""

    def formula(*arrays: Expression) -> Expression:
        def body(given: Sequence[Expression], made: Sequence[Expression]) -> Statement:
            return make(made[0], *given)

        kind = type_name(dtype)
        return te.extern([dimensions(shape)], list(arrays), body, dtype=kind, name=name)

    return emitter.emit(name, formula, inputs, shape, dtype, OPAQUE)


def load(buffer: Expression, *index: Expression) -> Expression:
    """Return an element."""
    return tirx.BufferLoad(buffer, list(index))


def store(buffer: Expression, value: Expression, *index: Expression) -> Statement:
    """Return a statement that writes an element."""
    return tirx.BufferStore(buffer, value, list(index))


def loop(
    end: Expression,
    body: Callable[[Expression], Statement],
    kind: tirx.ForKind = tirx.ForKind.SERIAL,
) -> Statement:
    """Return statements that run for each number from 0 on."""
    variable = tirx.Var("i", "int64")
    return tirx.For(variable, zero(), end, kind, body(variable))


def lanes_of(count: int, lanes: int, body: Callable[[Expression], Statement]) -> Statement:
    """Return statements that run for so many vectors of numbers, none of them in a loop."""

    def vector(i: Expression) -> Statement:
        inner = tirx.const(lanes, "int64")
        return loop(inner, lambda j: body(i * lanes + j), tirx.ForKind.VECTORIZED)

    return loop(tirx.const(count, "int64"), vector, tirx.ForKind.UNROLLED)


def running(emitter: Emitter, name: str, x: Tensor, axis: int, combine: Combine) -> Tensor:
    """Return what the elements up to each place come to, along a dimension."""
    sizes = (product_of(x.shape[:axis]), x.shape[axis], product_of(x.shape[axis + 1 :]))
    flat = emitter.reshape(x, sizes)

    def make(out: Expression, a: Expression) -> Statement:
        rows, steps, columns = dimensions(sizes)

        def element(i: Expression, k: Expression, j: Expression) -> Statement:
            value = load(a, i, k, j)
            later = combine(load(out, i, k - 1, j), value)
            first = store(out, value, i, k, j)
            return tirx.IfThenElse(tirx.EQ(k, zero()), first, store(out, later, i, k, j))

        return loop(
            rows, lambda i: loop(steps, lambda k: loop(columns, lambda j: element(i, k, j)))
        )

    out = emit_statements(emitter, name, make, [flat], sizes, x.dtype)
    return emitter.reshape(out, x.shape)


def written(
    emitter: Emitter, x: Tensor, places: Tensor, values: Tensor, combine: Combine
) -> Tensor:
    """Return a row with values put at places one after the other, each with what stands there."""
    size, count = dimensions((x.shape[0], places.shape[0]))

    def make(out: Expression, a: Expression, p: Expression, v: Expression) -> Statement:
        def put(i: Expression) -> Statement:
            place = load(p, i)
            return store(out, combine(load(out, place), load(v, i)), place)

        copied = loop(size, lambda i: store(out, load(a, i), i))
        return tirx.SeqStmt([copied, loop(count, put)])

    return emit_statements(emitter, "write", make, [x, places, values], x.shape, x.dtype)


def spread(emitter: Emitter, ends: Tensor, counts: Tensor, total: Size) -> Tensor:
    """Return each place of ``counts`` as often as it says; ``ends`` are the running sums."""
    (count,) = dimensions(counts.shape)

    def make(out: Expression, e: Expression, c: Expression) -> Statement:
        def repeat(i: Expression) -> Statement:
            start = load(e, i) - load(c, i)
            return loop(load(c, i), lambda k: store(out, i, start + k))

        return loop(count, repeat)

    return emit_statements(emitter, "spread", make, [ends, counts], [total], torch.int64)
