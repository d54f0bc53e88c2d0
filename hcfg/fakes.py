"""Fake tensors for the inputs of a sub-DNN, from what the table of variables says."""

import torch
from torch._dynamo.source import ConstantSource
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

from hcfg.graph import Hcfg, NodeId, SubDnn
from rewriter.diagnostics import DyclBug
from rewriter.program import Dimension, HostSpec, ScalarSpec, TensorSpec

_FIRST_HINT = 1009
"""Sizes that stand for symbolic dimensions: large, odd, and no two alike."""


def fake_mode(node: SubDnn, graph: Hcfg) -> FakeTensorMode:
    """Return a mode that can hold the sub-DNN's inputs; symbolic only where needed."""
    specs = [graph.variables[name].spec for name in node.inputs]
    symbolic = any(
        isinstance(size, str) for s in specs if isinstance(s, TensorSpec) for size in s.shape
    )
    return FakeTensorMode(shape_env=ShapeEnv() if symbolic else None)


def fake_inputs(
    node_id: NodeId, node: SubDnn, graph: Hcfg, fakes: FakeTensorMode
) -> dict[str, torch.Tensor]:
    """Return a new fake tensor for each input, by name."""
    symbols: dict[str, int | torch.SymInt] = {}
    inputs: dict[str, torch.Tensor] = {}
    for name in node.inputs:
        spec = graph.variables[name].spec
        match spec:
            case TensorSpec():
                shape = [_size(size, symbols, fakes) for size in spec.shape]
                with fakes:
                    inputs[name] = torch.empty(shape, dtype=spec.dtype)
            case ScalarSpec() | HostSpec():
                raise DyclBug(f"{node_id}: {name!r} is no tensor, but read by tensor code")
    return inputs


def _size(
    size: Dimension, symbols: dict[str, int | torch.SymInt], fakes: FakeTensorMode
) -> int | torch.SymInt:
    if isinstance(size, int):
        return size
    if size not in symbols:
        environment = fakes.shape_env
        assert environment is not None
        hint = _FIRST_HINT + 2 * len(symbols)
        source = ConstantSource(size)
        symbol = environment.create_symbol(
            hint, source, dynamic_dim=DimDynamic.DYNAMIC, constraint_dim=None
        )
        symbols[size] = environment.create_symintnode(symbol, hint=hint, source=source)
    return symbols[size]


def require_general(node_id: NodeId, fakes: FakeTensorMode) -> None:
    """Raise ``DyclBug`` where a recording holds only for the sizes that stood for symbols."""
    if fakes.shape_env is not None and fakes.shape_env.guards:
        guards = ", ".join(str(guard.expr) for guard in fakes.shape_env.guards)
        raise DyclBug(f"{node_id}: what it computes depends on symbolic sizes: {guards}")
