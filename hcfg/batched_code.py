"""The tensor code of a sub-DNN for many inputs of a kind at once: a batch of any size.

```
h = relu(addmm(b, cat([l, r], 1), w))       h: [1, 64]
  -- vmap at batches of 2, 3 and 4096 -->
h = relu(view(mm(view(cat([l, r], 2), [n, 128]), w), [n, 1, 64]) + b)       h: [n, 1, 64]
```

PyTorch's ``vmap`` knows the rule for each operation, but some rules want the size of the batch as
a number. So it is traced on fake tensors for three sizes: the operations are the same, and each
number in them is a linear function of the size, found from the first two, confirmed by the third.
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch._decomp import get_decompositions
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.experimental.proxy_tensor import make_fx

from hcfg.batch_examples import computes_alike, kinds_of_all_sizes
from hcfg.execution import Forward, compile_forward
from hcfg.fakes import Tracing, fake_inputs, has_unknown_numbers, quiet_traces, unknown_numbers
from hcfg.graph import Hcfg, SubDnn
from hcfg.sizes import is_integer, is_made_of, symbols_of
from hcfg.statements import works_in_place
from hcfg.trace_modes import COMPILED_CODE, active
from rewriter.program import TensorSpec, TensorStatement


def _copied(x: Tensor, source: Tensor, non_blocking: bool = False) -> Tensor:
    return source.to(x.dtype).expand(x.shape).clone()


def _filled(x: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    number = value.to(x.dtype) if isinstance(value, Tensor) else x.new_full((), value)
    return torch.ops.aten.index_put(x, [*[None] * (dim % x.dim()), index], number)  # type: ignore[no-any-return]


def _looked_up(table: Tensor, indices: Tensor, *options: Any) -> Any:
    """Look into a computed table: the rule would put all tables of a batch into one."""
    if not isinstance(table, FakeTensor):  # a weight
        return NotImplemented
    return table.index_select(0, indices.flatten()).view(*indices.shape, *table.shape[1:])


def _taken(x: Tensor, index: Tensor) -> Tensor:
    return torch.ops.aten.index(x.flatten(), [index])  # type: ignore[no-any-return]


_SPELLED_OUT: Any = {
    **get_decompositions([torch.ops.aten.native_batch_norm]),
    torch.ops.aten.copy.default: _copied,
    torch.ops.aten.embedding.default: _looked_up,
    torch.ops.aten.fill.Tensor: _copied,
    torch.ops.aten.index_fill.int_Scalar: _filled,
    torch.ops.aten.index_fill.int_Tensor: _filled,
    torch.ops.aten.take.default: _taken,
}
"""Operations without a rule for batches; whose rule makes more of them than there is to do; or
by whose rule an index that is negative or too large finds what is another input's."""

_SIZES = (2, 3, 4096)
"""The last one is the most calls that the host puts off (``_batching.py``)."""

_LEAST = 2
"""Of other sizes that are known only at run time: smaller ones are tried when it is made."""

_Trace = fx.GraphModule


class OfBatch(nn.Module):
    """A sub-DNN whose inputs and outputs have a new first dimension: the batch, of any size."""

    def __init__(self, trace: _Trace) -> None:
        super().__init__()
        self.training = False
        self.trace = trace

    def forward(self, *inputs: Tensor) -> Any:
        """Return the outputs, a tuple."""
        return self.trace(*inputs)


def of_batch(node: SubDnn, graph: Hcfg) -> OfBatch | None:
    """Return a sub-DNN for batches, None where there is no sound way to make one.

    What it says was computed one by one as well, and compared.
    """
    if not _may_be_batched(node, graph):
        return None
    forward = _keeping_inputs(compile_forward("subdnn", node, graph), node)
    with suppress(Exception), torch.no_grad(), quiet_traces(), _rules_only():
        made = OfBatch(_of_any_size(_traces(forward, node, graph)))
        return made if _is_alike(forward, made, node, graph) else None
    return None


def _traces(forward: Forward, node: SubDnn, graph: Hcfg) -> list[_Trace]:
    """Return the operations for batches of each size; other sizes stay symbols, from 2 on."""
    tracing = Tracing(unknown_numbers=has_unknown_numbers(node, graph), floor=_LEAST)
    fakes = fake_inputs("subdnn", node, graph, tracing)
    one = [*fakes.values.values()]
    fakes.mode.allow_non_fake_inputs = True  # weights
    if fakes.mode.shape_env is not None:
        fakes.mode.shape_env.pending_fresh_unbacked_symbols.clear()  # they are no results
    with fakes.mode, unknown_numbers(tracing.unknown_numbers):
        # no operation in place: what is worked on may be the same for the whole batch
        plain = _traced(torch.func.functionalize(_traced(forward, one)), one)
        many = torch.vmap(plain, in_dims=tuple(0 if isinstance(x, Tensor) else None for x in one))
        return [_traced(many, [_batch_of(x, size) for x in one]) for size in _SIZES]


def _batch_of(x: Any, size: int) -> Any:
    """Return what stands for a batch; a number is the same for all of it."""
    return torch.empty((size, *x.shape), dtype=x.dtype) if isinstance(x, Tensor) else x


def is_code_of(made: OfBatch, node: SubDnn, graph: Hcfg) -> bool:
    """Return whether code for batches gives what a sub-DNN gives for the elements one by one."""
    forward = _keeping_inputs(compile_forward("subdnn", node, graph), node)
    with torch.no_grad():
        return _is_alike(forward, made, node, graph)


def _is_alike(forward: Forward, made: OfBatch, node: SubDnn, graph: Hcfg) -> bool:
    return all(computes_alike(forward, made, kinds) for kinds in kinds_of_all_sizes(node, graph))


@contextmanager
def _rules_only() -> Iterator[None]:
    """Let vmap raise where it has no rule, instead of taking the elements one by one."""
    functorch: Any = torch._C._functorch
    before = functorch._is_vmap_fallback_enabled()
    functorch._set_vmap_fallback_enabled(False)
    try:
        yield
    finally:
        functorch._set_vmap_fallback_enabled(before)


def _keeping_inputs(forward: Forward, node: SubDnn) -> Forward:
    """Return a sub-DNN that writes into copies of its inputs, where it may write into any."""
    if not any(map(works_in_place, node.statements)):
        return forward
    return lambda *inputs: forward(*(x.clone() if isinstance(x, Tensor) else x for x in inputs))


def _may_be_batched(node: SubDnn, graph: Hcfg) -> bool:
    """Return whether it takes tensors and integers, gives tensors as large, and only computes."""
    inputs = [graph.variables[name].spec for name in node.inputs]
    outputs = [graph.variables[name].spec for name in node.outputs]
    known = symbols_of(inputs)
    return (
        any(isinstance(spec, TensorSpec) for spec in inputs)
        and all(isinstance(spec, TensorSpec) or is_integer(spec) for spec in inputs)
        and all(
            isinstance(spec, TensorSpec) and all(is_made_of(size, known) for size in spec.shape)
            for spec in outputs
        )
        and not node.decisions
        and not any(isinstance(s, TensorStatement) and s.draws for s in node.statements)
    )


def _traced(function: Callable[..., Any], inputs: Sequence[Any]) -> _Trace:
    """Return the ATen operations of a function of fake tensors and of numbers."""
    trace = make_fx(function, _SPELLED_OUT, tracing_mode="real", _allow_non_fake_inputs=True)
    with active(COMPILED_CODE):
        return trace(*inputs)


def _of_any_size(traces: Sequence[_Trace]) -> _Trace:
    """Return one trace for all sizes of the batch. Raises ``ValueError`` where there is none."""
    first = traces[0]
    joined = _Joined(graph=fx.Graph(), numbers={})
    rows = [[*trace.graph.nodes] for trace in traces]
    if len({len(row) for row in rows}) > 1:
        raise ValueError("other operations for other sizes")
    for nodes in zip(*rows, strict=True):
        joined.add(nodes)
    for name, tensor in (*first.named_parameters(), *first.named_buffers()):
        others = [getattr(trace, name) for trace in traces]
        if not all(other is tensor for other in others):
            raise ValueError(f"{name} is another tensor for another size")
    joined.graph.lint()
    return fx.GraphModule(first, joined.graph)


@dataclass(slots=True, kw_only=True)
class _Joined:
    """A trace for any size, while it is made."""

    graph: fx.Graph
    numbers: dict[fx.Node, fx.Node]
    """Its nodes, by those of the first trace."""
    size: fx.Node | None = None

    def add(self, nodes: Sequence[fx.Node]) -> None:
        """Add what one operation of each trace says."""
        first = nodes[0]
        if len({(node.op, str(node.target), node.name) for node in nodes}) > 1:
            raise ValueError("other operations for other sizes")
        new = self.graph.node_copy(first, lambda node: self.numbers[node])
        self.numbers[first] = new
        if first.op == "placeholder":
            return
        if self.size is None:
            self.size = self._read_size(new)
        with self.graph.inserting_before(new):
            new.args = self._joined([node.args for node in nodes])
            new.kwargs = self._joined([node.kwargs for node in nodes])

    def _read_size(self, before: fx.Node) -> fx.Node:
        inputs = (node for node in self.graph.nodes if node.op == "placeholder")
        batch = next(node for node in inputs if isinstance(node.meta.get("val"), Tensor))
        with self.graph.inserting_before(before):
            return self.graph.call_function(torch.ops.aten.sym_size.int, (batch, 0))

    def _joined(self, values: Sequence[Any]) -> Any:
        """Return arguments in which numbers that differ are computed from the size."""
        first = values[0]
        if isinstance(first, fx.Node):
            return self.numbers[first]
        if isinstance(first, list | tuple):
            if len({len(value) for value in values}) > 1:
                raise ValueError("other operations for other sizes")
            return type(first)(self._joined(parts) for parts in zip(*values, strict=True))
        if isinstance(first, Mapping):
            return {key: self._joined([value[key] for value in values]) for key in first}
        if all(type(value) is type(first) and value == first for value in values):
            return first
        if not all(type(value) is int for value in values):
            raise ValueError("other operations for other sizes")
        return self._linear(values)

    def _linear(self, values: Sequence[int]) -> Any:
        """Return a number that grows with the size."""
        slope, rest = divmod(values[1] - values[0], _SIZES[1] - _SIZES[0])
        start = values[0] - slope * _SIZES[0]
        if rest or any(v != slope * n + start for v, n in zip(values, _SIZES, strict=True)):
            raise ValueError("a number that is no linear function of the size")
        number: Any = self.size
        if slope != 1:
            number = self.graph.call_function(operator.mul, (number, slope))
        return self.graph.call_function(operator.add, (number, start)) if start else number
