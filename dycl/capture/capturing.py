"""Captures one sub-DNN, or says at which line it cannot be."""

from functools import partial

import torch

from dycl.capture.blame import first_failing_statement
from dycl.capture.captured import CapturedSubDnn, Port, Weight
from dycl.capture.holder import Holder, build_holder
from dycl.capture.selected_rows import may_write_into_rows
from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.recording import Recording, record
from hcfg.statements import writes
from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.origin import Origin
from rewriter.program import HostSpec, ScalarSpec, TensorSpec
from rewriter.specs import ARRAY_DTYPES

_LAYOUT_OPERATORS = ("aten.as_strided.", "aten.set_.", "aten.as_strided_.")
"""They read memory by position, and a compiled sub-DNN gets its inputs laid out anew."""

_ASSERTIONS = ("aten._assert_async.", "aten._assert_tensor_metadata.", "aten._assert_scalar.")
"""They raise when their tensor says so; compiled tensor code cannot."""

_UNLIKE = ("aten.multilabel_margin_loss",)
"""PyTorch's own decompositions of them give other numbers than the operations do."""


def capture(
    name: NodeId,
    node: SubDnn,
    graph: Hcfg,
    recording: Recording | None = None,
    *,
    share: bool = True,
) -> CapturedSubDnn:
    """Return a sub-DNN of a graph as a module of its own.

    ``share`` says whether it may be exported together with equal ones.
    Raises CompileError with every diagnostic about what cannot be compiled soundly.
    """
    recorded = record(name, node, graph) if recording is None else recording
    problems = [*recorded.diagnostics, *_refuse_operators(name, node, graph, recorded)]
    inputs = _ports(node, node.inputs, graph, problems)
    outputs = _ports(node, node.outputs, graph, problems)
    if problems:
        raise CompileError(problems)
    selects_rows = may_write_into_rows(recorded.operations)
    holder = build_holder(node, graph, recorded.overwritten, selects_rows=selects_rows)
    held = _held_tensors(holder)
    return CapturedSubDnn(
        name=name,
        inputs=inputs,
        outputs=outputs,
        module=holder,
        weights=tuple(
            Weight(names=tuple(held[id(tensor)]), tensor=tensor) for tensor in recorded.weights
        ),
        structure=recorded.structure,
        shareable=share and not recorded.opaque,
        node=node,
        graph=graph,
        floor=recorded.floor,
    )


def _ports(
    node: SubDnn, names: tuple[str, ...], graph: Hcfg, problems: list[Diagnostic]
) -> tuple[Port, ...]:
    ports: list[Port] = []
    for name in names:
        spec = graph.variables[name].spec
        match spec:
            case TensorSpec():
                if spec.dtype not in ARRAY_DTYPES:
                    problems.append(_no_array(name, spec, node, graph))
                ports.append(Port(name=name, dtype=spec.dtype, shape=spec.shape))
            case ScalarSpec() if spec.type is int:
                ports.append(Port(name=name, dtype=torch.int64, shape=(), number=spec))
            case ScalarSpec() | HostSpec():
                raise CompileError([_not_a_tensor(name, node, graph)])
    return tuple(ports)


def _not_a_tensor(name: str, node: SubDnn, graph: Hcfg) -> Diagnostic:
    return Diagnostic(
        code="DYCL407",
        message=f"{graph.variables[name].hint} is a number known only at run time, and no "
        "integer, and tensor code uses it",
        origin=_assignment(name, node),
        help="pass it as a tensor argument, or name it in options.static_arguments",
    )


def _no_array(name: str, spec: TensorSpec, node: SubDnn, graph: Hcfg) -> Diagnostic:
    return Diagnostic(
        code="DYCL405",
        message=f"{graph.variables[name].hint} is a {spec.dtype} tensor, which no backend takes "
        "or gives",
        origin=_assignment(name, node),
        help="convert it before it is returned or tested: .float(), torch.view_as_real(...)",
    )


def _assignment(name: str, node: SubDnn) -> Origin:
    """Return where the sub-DNN assigns a variable, else where it begins."""
    assigning = [s.origin for s in node.statements if name in writes(s)]
    return assigning[-1] if assigning else node.statements[0].origin


def _refuse_operators(
    name: NodeId, node: SubDnn, graph: Hcfg, recording: Recording
) -> list[Diagnostic]:
    problems = []
    for operators, code, message, advice in _REFUSED:
        if _uses(recording, operators):
            fails = partial(_beginning_uses, name, graph, operators)
            origin = first_failing_statement(node, graph, fails)
            problems.append(Diagnostic(code=code, message=message, origin=origin, help=advice))
    return problems


def _beginning_uses(name: NodeId, graph: Hcfg, operators: tuple[str, ...], part: SubDnn) -> bool:
    return _uses(record(name, part, graph), operators)


def _uses(recording: Recording, operators: tuple[str, ...]) -> bool:
    return any(operator in line for line in recording.operations for operator in operators)


_REFUSED = (
    (
        _LAYOUT_OPERATORS,
        "DYCL404",
        "this reads memory by its layout, which compiled code does not keep",
        "use view, reshape, permute or unfold",
    ),
    (
        _ASSERTIONS,
        "DYCL408",
        "this asserts something about a tensor inside tensor code, which cannot raise there",
        "test it in Python: `if not condition.item(): raise ...`",
    ),
    (
        _UNLIKE,
        "DYCL412",
        "what PyTorch decomposes this to, for every backend, gives other numbers",
        "write it with other operations",
    ),
)


def _held_tensors(holder: Holder) -> dict[int, list[str]]:
    """Return the names of every parameter and buffer, by the tensor's identity.

    A module that is held under two names counts once: swapping its tensors twice would put
    the second swap's tensors back, not the user's.
    """
    held: dict[int, list[str]] = {}
    for prefix, module in holder.named_modules():  # each module once
        for name, tensor in (
            *module.named_parameters(prefix, recurse=False, remove_duplicate=False),
            *module.named_buffers(prefix, recurse=False, remove_duplicate=False),
        ):
            held.setdefault(id(tensor), []).append(name)
    return held
