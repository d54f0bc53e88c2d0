"""What PyTorch computes for a gradient, as a graph of operations on tensors."""

import math
import types
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel

from rewriter.builder import Builder
from rewriter.evaluation.calls.backward_operations import DECOMPOSED
from rewriter.evaluation.observation import quiet_fake_tensors
from rewriter.gradient_lines import Broken, Slice
from rewriter.printing.expression_text import plain_text
from rewriter.printing.statement_text import statement_lines
from rewriter.program import TensorStatement
from rewriter.specs import TensorSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What ``torch.autograd.grad`` is asked for; all tensors by their variables."""

    part: Slice
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    weights: tuple[str | None, ...]
    """What each output is multiplied by: ``grad_outputs``."""
    leaves: tuple[tuple[int, str], ...]
    """Which tensors ask for gradients, and after how many statements of the line."""
    written: Mapping[int, Sequence[str]]
    """Which parts chosen at run time, that have memory of their own here, are written where the
    tensor is that they are views of; by the statement's place on the line."""
    allow_unused: bool


def traced(
    builder: Builder, asked: Asked
) -> tuple[torch.fx.Graph, Mapping[str, object], list[str]]:
    """Return the graph of a gradient, the tensors it holds, and the variables it takes.

    Raises:
        Broken: where it cannot be traced.
    """
    names = (*asked.part.read, *asked.inputs, *(w for w in asked.weights if w is not None))
    made = asked.part.made()
    read = [n for n in dict.fromkeys(names) if n in builder.variables and n not in made]
    samples = [_sample(builder, name) for name in read]
    knowns = {name: known.value for name, known in builder.knowns.items()}
    lines = [(index, _code(each), each.records) for index, each in asked.part.statements]

    def run(*values: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        space: dict[str, Any] = {**knowns, **dict(zip(read, values, strict=True))}
        waiting = sorted(asked.leaves)
        for index, code, records in lines:
            waiting = _ask(space, waiting, index)
            with torch.set_grad_enabled(records):
                exec(code, space)
            for name in asked.written.get(index, ()):
                torch.autograd.graph.increment_version(space[name])
        _ask(space, waiting, math.inf)
        with torch.enable_grad():
            return torch.autograd.grad(
                [space[name] for name in asked.outputs],
                [space[name] for name in asked.inputs],
                [None if name is None else space[name] for name in asked.weights],
                allow_unused=asked.allow_unused,
            )

    with _tracing():
        try:
            module = make_fx(
                run,
                decomposition_table=DECOMPOSED,
                tracing_mode="fake",
                _allow_non_fake_inputs=True,
            )(*samples)
        except Exception as error:
            raise Broken(f"PyTorch's {type(error).__name__}: {error}") from error
    if any(each.target in _BY_ZEROS for each in module.graph.nodes):
        raise Broken("a product of elements, whose gradient goes by how many of them are zero")
    module.graph.eliminate_dead_code()
    _refuse_operations(module.graph)
    held = {
        n.target: getattr(module, str(n.target)) for n in module.graph.nodes if n.op == "get_attr"
    }
    return module.graph, {str(name): value for name, value in held.items()}, read


def _ask(
    space: dict[str, Any], leaves: Sequence[tuple[int, str]], reached: float
) -> list[tuple[int, str]]:
    """Have the tensors ask for gradients that do so before a statement; return the others."""
    for place, name in leaves:
        if place <= reached:
            space[name].requires_grad_()
    return [leaf for leaf in leaves if leaf[0] > reached]


def _code(statement: TensorStatement) -> types.CodeType:
    text = "\n".join(statement_lines(statement, plain_text))
    return compile(text, "<gradient>", "exec")


def _sample(builder: Builder, name: str) -> torch.Tensor:
    spec = builder.variables[name].spec
    if not isinstance(spec, TensorSpec):
        raise Broken("a number known only at run time")
    sizes = [size for size in spec.shape if isinstance(size, int)]
    if len(sizes) < len(spec.shape):
        raise Broken("a size known only at run time")
    if spec.strides is None:
        raise Broken("a tensor that lies in memory in several ways")
    return torch.empty_strided(sizes, spec.strides, dtype=spec.dtype)


_BY_ZEROS = (torch.ops.aten.prod.default, torch.ops.aten.prod.dim_int)


@contextmanager
def _tracing() -> Iterator[None]:
    with (
        torch.no_grad(),
        quiet_fake_tensors(),
        warnings.catch_warnings(),
        sdpa_kernel(SDPBackend.MATH),  # whose operations have derivatives of their own
    ):
        warnings.simplefilter("ignore")
        yield


def _refuse_operations(graph: torch.fx.Graph) -> None:
    """Raise where a graph has what exists for derivatives only, or is another one each time."""
    for each in graph.nodes:
        if "backward" in str(each.target):
            raise Broken(f"{each.target}, which no backend takes")
        if torch.Tag.nondeterministic_seeded in getattr(each.target, "tags", ()):
            raise Broken("random numbers, which would be drawn twice")
