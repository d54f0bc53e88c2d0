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
from dycl.backends.onnxruntime.finite_graphs import with_sums_of_squares
from dycl.backends.onnxruntime.layout_choice import Draft
from dycl.backends.onnxruntime.sentinels import rename
from dycl.backends.weights_file import FILE
from dycl.capture import CapturedSubDnn

IN_BLOCKS = "_in_blocks"
"""How the loader knows inputs and outputs that are laid out so: by the end of their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Writes graphs into a package: equal ones once, and their weights to its file."""

    workplace: Workplace
    borders: Sequence[Border]
    drafts: Mapping[str, Draft]
    block: int
    files: dict[bytes, str] = field(default_factory=dict)

    def write(self, draft: Draft, fast: onnx.ModelProto | None) -> Artifact:
        """Write both graphs of a sub-DNN."""
        name = draft.subdnn.name
        plain = onnx.ModelProto()
        plain.CopyFrom(draft.plain)
        self._store_all(plain)
        offsets = _offsets(plain)
        file = self._file(plain, f"{name}.onnx")
        if fast is None:
            return Artifact(subdnn=name, file=file, uses=(FILE,) if offsets else ())
        made, settings = self._fast(draft, fast, offsets)
        beside = self._file(made, f"{name}.fast.onnx")
        uses = (beside, FILE) if offsets or _offsets(made) else (beside,)
        return Artifact(
            subdnn=name, file=file, uses=uses, settings={"fast": {"file": beside, **settings}}
        )

    def _fast(
        self, draft: Draft, fast: onnx.ModelProto, offsets: Mapping[str, int]
    ) -> tuple[onnx.ModelProto, dict[str, object]]:
        made = onnx.ModelProto()
        made.CopyFrom(fast)
        sums = with_sums_of_squares(made)
        made = canonical(made, draft.subdnn)
        weights = []
        laid_out = set()
        for tensor, recipe in recipes(made, draft.plain, offsets, self.block):
            laid_out.add(tensor.name)
            weights.append({**recipe, "padded": list(tensor.dims)})
            place_outside(tensor, offset=0, length=len(tensor.raw_data))  # the loader brings it
        self._store_all(made, laid_out)
        ports = draft.at(self.borders)
        for port in sorted(ports):
            rename(made.graph, port, port + IN_BLOCKS)
        settings = {
            "onnxruntime": onnxruntime.__version__,
            "block": self.block,
            "in_blocks": sorted(ports),
            "borders": [
                [number, sum(border in other.ports.values() for other in self.drafts.values())]
                for number, border in enumerate(self.borders)
                if any(draft.ports[port] == border for port in ports)
            ],
            "sums": len(sums),
            "weights": weights,
        }
        return made, settings

    def _store_all(self, model: onnx.ModelProto, but: Collection[str] = ()) -> None:
        for tensor in model.graph.initializer:
            if tensor.name not in but:
                content = onnx.numpy_helper.to_array(tensor).tobytes()
                store(tensor, content, self.workplace.weights)

    def _file(self, model: onnx.ModelProto, name: str) -> str:
        content = model.SerializeToString(deterministic=True)
        if content not in self.files:
            self.files[content] = name
            (self.workplace.directory / name).write_bytes(content)
        return self.files[content]


def _offsets(model: onnx.ModelProto) -> dict[str, int]:
    """Return where in the file the weights of a graph stand, those that are not inside."""
    return {
        tensor.name: int(entry.value)
        for tensor in model.graph.initializer
        for entry in tensor.external_data
        if entry.key == "offset"
    }


def canonical(model: onnx.ModelProto, subdnn: CapturedSubDnn) -> onnx.ModelProto:
    """Return a graph with names that do not depend on who made them."""
    part = Part(
        inputs=tuple(range(len(model.graph.input))),
        outputs=tuple(range(len(model.graph.output))),
        input_names=tuple(f"x{i}" for i in range(len(subdnn.inputs))),
    )
    return split(model, part)
