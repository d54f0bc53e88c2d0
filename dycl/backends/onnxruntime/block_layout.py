"""Writes sub-DNNs as plain graphs and, where that makes them faster, as fast ones beside.

The plain graph runs anywhere and is right for whatever comes. The fast one is laid out for this
machine's block of channels: tensors that only sub-DNNs look into pass between them in blocks
(``sentinels.py``), and special numbers are left to the plain one (``finite_graphs.py``).
``docs/block_layout.md`` has the picture.
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import onnx

from dycl.backends.interface import Artifact, Workplace
from dycl.backends.onnx_graphs.weights import with_weights
from dycl.backends.onnxruntime.borders import Border
from dycl.backends.onnxruntime.finite_borders import told_finite
from dycl.backends.onnxruntime.finite_graphs import without_exact_arms
from dycl.backends.onnxruntime.layout_choice import Draft, choose
from dycl.backends.onnxruntime.layout_writing import Writer, canonical
from dycl.backends.onnxruntime.optimising import BASIC, optimised
from dycl.backends.onnxruntime.sharing import SharedGraphs, plain_file
from dycl.backends.weights_file import WeightsFile
from dycl.capture import CapturedSubDnn


def write_layouts(
    subdnns: Sequence[CapturedSubDnn],
    skeletons: Sequence[onnx.ModelProto],
    workplace: Workplace,
    borders: tuple[Border, ...],
    block: int,
) -> tuple[Artifact, ...]:
    """Write all sub-DNNs; those that are fast with ``block`` channels together in two ways.

    ``borders`` between them are those where images may be in blocks.
    """
    drafts: dict[str, Draft] = {}
    others: list[tuple[CapturedSubDnn, onnx.ModelProto]] = []
    for subdnn, skeleton in zip(subdnns, skeletons, strict=True):
        ports = _ports_at(subdnn, borders)
        draft = None
        is_known = not any(port.is_symbolic for port in (*subdnn.inputs, *subdnn.outputs))
        if is_known and (ports or _has_pools(skeleton)):
            draft = _draft(subdnn, skeleton, ports)
        if draft is None:
            others.append((subdnn, skeleton))
            borders = tuple(border for border in borders if border not in ports.values())
        else:
            drafts[subdnn.name] = draft
    fast, chosen = choose(drafts, borders, block)
    graphs = SharedGraphs(workplace)
    for subdnn, skeleton in others:
        graphs.add(plain_file(subdnn), with_weights(skeleton, subdnn, workplace.weights))
    writer = Writer(
        workplace=workplace,
        borders=chosen,
        drafts=drafts,
        block=block,
        graphs=graphs,
        finite=told_finite(subdnns, fast),
    )
    for name, draft in drafts.items():
        writer.add(draft, fast.get(name))
    stored = graphs.write()
    return tuple(writer.artifact(subdnn, stored) for subdnn in subdnns)


def _ports_at(subdnn: CapturedSubDnn, borders: Sequence[Border]) -> dict[str, Border]:
    border_of = {name: border for border in borders for name in border}
    named = [(f"x{i}", port.name) for i, port in enumerate(subdnn.inputs)]
    named += [(f"y{i}", port.name) for i, port in enumerate(subdnn.outputs)]
    return {port: border_of[name] for port, name in named if name in border_of}


def _has_pools(skeleton: onnx.ModelProto) -> bool:
    return any(node.op_type == "If" for node in skeleton.graph.node) and (
        without_exact_arms(skeleton) is not None
    )


def _draft(
    subdnn: CapturedSubDnn, skeleton: onnx.ModelProto, ports: Mapping[str, Border]
) -> Draft | None:
    """Return both graphs with their weights in them; None where there can be no fast one."""
    with tempfile.TemporaryDirectory() as scratch:
        with WeightsFile(Path(scratch)) as weights:
            model = with_weights(skeleton, subdnn, weights)
        file = Path(scratch) / "plain.onnx"
        file.write_bytes(model.SerializeToString())
        plain = canonical(optimised(file, BASIC), subdnn)
        if any(node.domain for node in plain.graph.node):  # not to rely on this very version
            plain = onnx.load(file)
    finite = without_exact_arms(plain)
    if finite is None:
        return None
    has_pools = _has_pools(skeleton)
    return Draft(subdnn=subdnn, plain=plain, finite=finite, ports=ports, has_pools=has_pools)
