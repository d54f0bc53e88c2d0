"""Writes the plain and the fast graph of a sub-DNN into a package, with each weight once."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import onnx
import onnxruntime

from dycl.backends.interface import Artifact, Workplace
from dycl.backends.onnx_graphs.splitting import Part, split
from dycl.backends.onnx_graphs.weights import place_outside, store
from dycl.backends.onnxruntime.borders import Border
from dycl.backends.onnxruntime.filters import recipes
from dycl.backends.onnxruntime.finite_borders import is_told
from dycl.backends.onnxruntime.finite_graphs import pooled, with_sums_of_squares
from dycl.backends.onnxruntime.layout_choice import Draft
from dycl.backends.onnxruntime.sentinels import rename
from dycl.backends.onnxruntime.sharing import (
    SharedGraphs,
    Stored,
    plain_artifact,
    plain_file,
)
from dycl.backends.weights_file import FILE
from dycl.capture import CapturedSubDnn

IN_BLOCKS = "_in_blocks"
"""How the loader knows inputs and outputs that are laid out so: by the end of their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Adds graphs of sub-DNNs to those of a package."""

    workplace: Workplace
    borders: Sequence[Border]
    drafts: Mapping[str, Draft]
    block: int
    graphs: SharedGraphs
    finite: frozenset[str] = frozenset()
    """Tensors between sub-DNNs of which all fast graphs that make one tell whether it is finite."""
    own: dict[str, dict[str, object]] = field(default_factory=dict)
    """What the loader must know about fast graphs, by sub-DNN, besides their files."""

    def add(self, draft: Draft, fast: onnx.ModelProto | None) -> None:
        """Add both graphs of a sub-DNN."""
        plain = onnx.ModelProto()
        plain.CopyFrom(draft.plain)
        self._store_all(plain)
        self.graphs.add(plain_file(draft.subdnn), plain)
        if fast is not None:
            made, about, own = self._fast(draft, fast)
            self.graphs.add(_fast_file(draft.subdnn), made, about)
            self.own[draft.subdnn.name] = own

    def artifact(self, subdnn: CapturedSubDnn, stored: Mapping[str, Stored]) -> Artifact:
        """Return a sub-DNN's artifact, once all graphs are written."""
        artifact = plain_artifact(subdnn, stored[plain_file(subdnn)])
        if subdnn.name not in self.own:
            return artifact
        fast, own = stored[_fast_file(subdnn)], self.own[subdnn.name]
        files = {*artifact.uses, *fast.uses, *([FILE] if own["filters"] else [])}
        settings = {"file": fast.file, **own, "weights": list(fast.weights)}
        return Artifact(
            subdnn=subdnn.name,
            file=artifact.file,
            uses=tuple(sorted(files)),
            settings={**artifact.settings, "fast": settings},
        )

    def _fast(
        self, draft: Draft, fast: onnx.ModelProto
    ) -> tuple[onnx.ModelProto, dict[str, object], dict[str, object]]:
        """Return a graph, what is said about it, and what is only so for this sub-DNN."""
        made = onnx.ModelProto()
        made.CopyFrom(fast)
        finite = self._known_finite(draft, pooled(made))
        sums = with_sums_of_squares(made, [f"x{place}" for place in finite])
        made = canonical(made, draft.subdnn)
        found, filters = [], []
        for tensor, recipe, content in recipes(made, draft.plain, self.block):
            found.append(recipe)
            filters.append(self.workplace.weights.place(content))
            place_outside(tensor, offset=0, length=len(tensor.raw_data))  # the loader brings it
        self._store_all(made, {str(recipe["name"]) for recipe in found})
        ports = draft.at(self.borders)
        for port in sorted(ports):
            rename(made.graph, port, port + IN_BLOCKS)
        about = {
            "onnxruntime": onnxruntime.__version__,
            "block": self.block,
            "in_blocks": sorted(ports),
            "sums": len(sums),
            "recipes": found,
        }
        own = {"borders": self._borders_at(draft, ports), "filters": filters, "finite": finite}
        return made, about, own

    def _known_finite(self, draft: Draft, pools: Collection[str]) -> list[int]:
        """Return the inputs that are pooled, and finite where other fast graphs have made them.

        Their sums of squares have been looked at then.
        """
        return [
            place
            for place, port in enumerate(draft.subdnn.inputs)
            if f"x{place}" in pools and is_told(port, self.finite)
        ]

    def _borders_at(self, draft: Draft, ports: Collection[str]) -> list[list[int]]:
        """Return the borders of a sub-DNN's ports, each with how many sub-DNNs are at it."""
        return [
            [number, sum(border in other.ports.values() for other in self.drafts.values())]
            for number, border in enumerate(self.borders)
            if any(draft.ports[port] == border for port in ports)
        ]

    def _store_all(self, model: onnx.ModelProto, but: Collection[str] = ()) -> None:
        for tensor in model.graph.initializer:
            if tensor.name not in but:
                content = onnx.numpy_helper.to_array(tensor).tobytes()
                store(tensor, content, self.workplace.weights)


def _fast_file(subdnn: CapturedSubDnn) -> str:
    return f"{subdnn.name}.fast.onnx"


def canonical(model: onnx.ModelProto, subdnn: CapturedSubDnn) -> onnx.ModelProto:
    """Return a graph with names that do not depend on who made them."""
    part = Part(
        inputs=tuple(range(len(model.graph.input))),
        outputs=tuple(range(len(model.graph.output))),
        input_names=tuple(f"x{i}" for i in range(len(subdnn.inputs))),
    )
    return split(model, part)
