"""Graphs of a package that differ in their weights alone share a file.

Such a file is a whole graph: the first of those that share it. ``graphs.json`` says at which bytes
of it the offsets of weights stand, and the manifest what each sub-DNN has there. The loader
(``runtime_files.py``) puts these numbers into the bytes, and ONNX Runtime maps the weights.

Graphs of which more is said are the loader's own affair, and much alike: they stand one after the
other in one compressed file.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import onnx

from codegen_host.json_text import json_text
from dycl.backends.interface import Artifact, Workplace
from dycl.backends.onnx_graphs.weights import place_outside, with_weights
from dycl.backends.onnxruntime.compacting import compacted
from dycl.backends.weights_file import FILE
from dycl.capture import CapturedSubDnn

DESCRIPTIONS = "graphs.json"
"""What the loader must know about files of graphs, whichever sub-DNN it loads them for."""

TOGETHER = "fast_graphs.gz"
"""The graphs of which something is said; ``graphs.json`` has at which bytes of it each stands."""

DIGITS = 12
"""Of an offset where the loader may put another one."""

_FLOATING = (
    onnx.TensorProto.FLOAT,
    onnx.TensorProto.DOUBLE,
    onnx.TensorProto.FLOAT16,
    onnx.TensorProto.BFLOAT16,
)


_LOOKING = ("Resize",)
"""Operators that look at operands when a graph is loaded: how large their results are says one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Where a graph is."""

    file: str
    """A file of its own, or what ``graphs.json`` calls it."""
    weights: tuple[int, ...]
    """Where its weights stand, in the order of the file's ``places``; none if nobody shares it."""
    uses: tuple[str, ...]
    """Further files that it needs."""


@dataclass(slots=True, kw_only=True)
class _Form:
    """Graphs that are the same but for the content of their weights."""

    file: str
    first: onnx.ModelProto
    about: Mapping[str, object]
    members: dict[str, list[onnx.TensorProto]] = field(default_factory=dict)
    """By name, the weights that may differ."""


class SharedGraphs:
    """Collects the graphs of a package, and writes those of one form to one file."""

    def __init__(self, workplace: Workplace) -> None:
        self._workplace = workplace
        self._forms: dict[bytes, _Form] = {}

    def add(
        self, name: str, model: onnx.ModelProto, about: Mapping[str, object] | None = None
    ) -> None:
        """Take a graph with its weights inside or in the package's file.

        ``name`` is that of its file, should it be the first of its form. What is said ``about`` it
        is kept beside, as JSON; graphs of which other things are said have other forms, and those
        of which anything is said have no files of their own.
        """
        made, about = compacted(model), about or {}
        weights = _weights(made)
        contents = [onnx.TensorProto.FromString(each.SerializeToString()) for each in weights]
        for each in weights:
            for part in ("raw_data", "external_data"):
                each.ClearField(part)
        key = made.SerializeToString(deterministic=True) + json.dumps(about).encode()
        form = self._forms.setdefault(key, _Form(file=name, first=made, about=about))
        form.members[name] = contents

    def write(self) -> dict[str, Stored]:
        """Write all of them; return where each is, by its name."""
        descriptions: dict[str, object] = {}
        stored: dict[str, Stored] = {}
        together = b""
        for form in self._forms.values():
            differing = _differing(list(form.members.values()))
            self._move_outside(form, differing)
            content, places = _first(form, differing)
            about = {**form.about, **({"places": places} if places else {})}
            if about:
                descriptions[form.file] = about
            is_outside = any(each.external_data for each in form.first.graph.initializer)
            uses = (*([FILE] if is_outside else []), *([DESCRIPTIONS] if about else []))
            if form.about:
                about["bytes"] = [len(together), len(together) + len(content)]
                together += content
                uses = (*uses, TOGETHER)
            else:
                self._write(form.file, content)
            for name, weights in form.members.items():
                offsets = tuple(_offset(weights[number]) for number in differing)
                stored[name] = Stored(file=form.file, weights=offsets, uses=uses)
        if together:
            self._write(TOGETHER, gzip.compress(together, mtime=0))
        if descriptions:
            self._write(DESCRIPTIONS, json_text(descriptions).encode())
        return stored

    def _write(self, file: str, content: bytes) -> None:
        (self._workplace.directory / file).write_bytes(content)

    def _move_outside(self, form: _Form, differing: Sequence[int]) -> None:
        for weights in form.members.values():
            for number in differing:
                if not weights[number].external_data:
                    content = weights[number].raw_data
                    offset = self._workplace.weights.place(content)
                    place_outside(weights[number], offset, len(content))


def write_shared(
    subdnns: Sequence[CapturedSubDnn], skeletons: Sequence[onnx.ModelProto], workplace: Workplace
) -> tuple[Artifact, ...]:
    """Write each skeleton with its sub-DNN's weights."""
    graphs = SharedGraphs(workplace)
    for subdnn, skeleton in zip(subdnns, skeletons, strict=True):
        graphs.add(plain_file(subdnn), with_weights(skeleton, subdnn, workplace.weights))
    stored = graphs.write()
    return tuple(plain_artifact(subdnn, stored[plain_file(subdnn)]) for subdnn in subdnns)


def plain_file(subdnn: CapturedSubDnn) -> str:
    """Return the file of a sub-DNN's plain graph, where it shares no other's."""
    return f"{subdnn.name}.onnx"


def plain_artifact(subdnn: CapturedSubDnn, stored: Stored) -> Artifact:
    """Return the artifact of a sub-DNN that has a plain graph only."""
    settings = {"weights": list(stored.weights)} if stored.weights else {}
    return Artifact(subdnn=subdnn.name, file=stored.file, uses=stored.uses, settings=settings)


def _weights(model: onnx.ModelProto) -> list[onnx.TensorProto]:
    """Return the constants of a graph in which graphs of one form may differ."""
    looked_at = {
        name for node in model.graph.node for name in node.input[1:] if node.op_type in _LOOKING
    }
    return [
        each for each in model.graph.initializer if _may_differ(each) and each.name not in looked_at
    ]


def _may_differ(tensor: onnx.TensorProto) -> bool:
    """Return whether graphs may share a file that have other numbers here.

    Integers are sizes and indices, and a single number is often an operand that operators look at.
    """
    return tensor.data_type in _FLOATING and bool(tensor.dims)


def _differing(members: Sequence[Sequence[onnx.TensorProto]]) -> list[int]:
    """Return the numbers of the weights that are not the same in all members."""
    return [
        number
        for number, weight in enumerate(members[0])
        if any(other[number] != weight for other in members)
    ]


def _first(form: _Form, differing: Sequence[int]) -> tuple[bytes, list[int]]:
    """Return the first graph of a form, and where in it the offsets of weights stand."""
    slots = _weights(form.first)
    own = form.members[form.file]
    for slot, weight in zip(slots, own, strict=True):
        slot.CopyFrom(weight)
    offsets = [_offset(own[number]) for number in differing]
    for mark, number in enumerate(differing):
        _set_offset(slots[number], _marked(mark))
    content = form.first.SerializeToString(deterministic=True)
    places = []
    for mark, offset in enumerate(offsets):
        before, marked, after = content.partition(_marked(mark).encode())
        assert marked and _marked(mark).encode() not in after
        places.append(len(before))
        content = before + f"{offset:0{DIGITS}}".encode() + after
    return content, places


def _entries(tensor: onnx.TensorProto) -> dict[str, Any]:
    return {entry.key: entry for entry in tensor.external_data}


def _offset(tensor: onnx.TensorProto) -> int:
    return int(_entries(tensor)["offset"].value)


def _set_offset(tensor: onnx.TensorProto, text: str) -> None:
    _entries(tensor)["offset"].value = text


def _marked(number: int) -> str:
    """Return a text that stands nowhere else in a graph, as long as an offset."""
    return f"<{number:0{DIGITS - 2}}>"
