"""``manifest.json``: what tools want to know about a package, as JSON values."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from codegen_host.argument_text import argument_bounds, argument_description
from codegen_host.forward_text import ForwardText
from codegen_host.json_text import json_text
from codegen_host.marks import TestPlace
from hcfg.flow import run_order
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    LoopHead,
    Node,
    NodeId,
    Raise,
    Return,
    SubDnn,
    called_functions,
    kind_of,
    successors,
)
from hcfg.sizes import is_integer
from hcfg.wording import places
from rewriter.program import TensorSpec

FORMAT = 4
GENERATOR = "dycl"


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendRecord:
    """A backend that compiled sub-DNNs of a package."""

    name: str
    versions: Mapping[str, str]
    packages: tuple[str, ...]
    """What its loader needs, besides numpy."""
    settings: Mapping[str, object]
    """What its loader reads."""
    machine: Mapping[str, object] | None
    """What machine its artifacts need, None where they run on any."""
    loader: str = field(repr=False)
    """The text of the loader."""
    tuning: Mapping[str, object] | None = None
    """What was measured to make its code faster, None where nothing was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledFile:
    """The artifact of one sub-DNN: its file and the files that one needs."""

    file: str
    uses: tuple[str, ...]
    backend: str
    settings: Mapping[str, object] = field(default_factory=dict)
    """What the backend's loader reads about this sub-DNN."""
    measured: Mapping[str, object] | None = None
    """Why this backend was chosen: what was measured; None where there was no choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledSubDnns:
    """All artifacts of a package, and the backends that made them."""

    files: Mapping[NodeId, CompiledFile]
    backends: tuple[BackendRecord, ...]


def manifest_of(
    graph: Hcfg,
    entry_point: str,
    version: str,
    compiled: CompiledSubDnns,
    text: ForwardText,
    directory: Path,
    original: Hcfg | None = None,
) -> dict[str, object]:
    """Return the manifest of the package whose files lie in ``directory`` already.

    ``original`` is the graph before parts of it became artifacts with decisions inside.
    """
    constants = {name: f"constants/{name}.npy" for name in text.constants}
    artifacts = compiled.files
    used = {file for artifact in artifacts.values() for file in (artifact.file, *artifact.uses)}
    files = sorted(used | set(constants.values()))
    digests = {file: _digest(directory / file) for file in files}
    return {
        "format": FORMAT,
        "generator": GENERATOR,
        "name": graph.name,
        "entry_point": entry_point,
        "dycl": version,
        "backends": {backend.name: _backend_entry(backend) for backend in compiled.backends},
        "source": {
            "file": PurePath(graph.source_file).name,
            "sha256": _digest_of_source(Path(graph.source_file)),
        },
        "inputs": [
            {
                "name": parameter.name,
                "star": parameter.star,
                "keyword_only": parameter.keyword_only,
                "optional": parameter.default is not None,
                **argument_description(parameter.spec),
            }
            for parameter in graph.parameters
        ],
        "sizes": {
            name: {"minimum": bounds.minimum, "maximum": bounds.maximum}
            for name, bounds in argument_bounds(graph).items()
        },
        **_subdnns(graph, artifacts),
        "constants": constants,
        "files": digests,
        "graph": graph_description(graph),
        **({} if original is None else {"lowered_from": digest_of_graph(original)}),
        "source_map": [_place(test) for test in text.tests],
        "notes": list(graph.notes),
    }


def graph_description(graph: Hcfg) -> dict[str, object]:
    """Return nodes and edges as JSON values.

    ``then`` of a node are those that may run next; of a branch, the one where the test is true
    comes first. ``test`` of a branch is in the user's words.
    """
    nodes = [
        {
            "id": node_id,
            "kind": kind_of(graph.nodes[node_id]),
            **_test(node_id, graph.nodes[node_id]),
            "source": places(graph.nodes[node_id]),
            "then": list(successors(graph.nodes[node_id])),
            **_asks_the_way(graph.nodes[node_id]),
            **_calls(graph.nodes[node_id]),
        }
        for node_id in run_order(graph)
    ]
    functions = [
        {"name": name, "entry": function.entry} for name, function in graph.functions.items()
    ]
    return {"nodes": nodes, **({"functions": functions} if functions else {})}


def digest_of_graph(graph: Hcfg) -> str:
    """Return what tells a graph from others by their descriptions."""
    text = json.dumps(graph_description(graph), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _asks_the_way(node: Node) -> dict[str, object]:
    return {"asks_the_way": True} if isinstance(node, Branch) and node.asks_the_way else {}


def _place(test: TestPlace) -> dict[str, object]:
    """Return where in ``__init__.py`` a branch decides: from line and column to line and column."""
    at = [test.line, test.column, test.end_line, test.end_column]
    return {"node": test.node, "at": at, **({"inverted": True} if test.inverted else {})}


def _calls(node: Node) -> dict[str, object]:
    """Return the specialised functions that a node calls, nothing for most nodes."""
    functions = called_functions(node)
    return {"calls": list(functions)} if functions else {}


def write_manifest(manifest: Mapping[str, object], directory: Path) -> None:
    """Write ``manifest.json``."""
    (directory / "manifest.json").write_text(json_text(manifest), encoding="utf-8")


def _test(node_id: NodeId, node: Node) -> dict[str, object]:
    match node:
        case Branch():
            origin = node.origin
            return {"test": origin.text[origin.column : origin.end_column].strip() or node_id}
        case Entry() | SubDnn() | HostBlock() | LoopHead() | Return() | Raise():
            return {}


def _backend_entry(backend: BackendRecord) -> dict[str, object]:
    return {
        "versions": dict(backend.versions),
        "packages": ["numpy", *backend.packages],
        "machine": backend.machine,
        "runtime": dict(backend.settings),
        **({} if backend.tuning is None else {"tuning": dict(backend.tuning)}),
    }


def _subdnns(graph: Hcfg, artifacts: Mapping[NodeId, CompiledFile]) -> dict[str, object]:
    """Return the sub-DNNs, and once what many of them have in common: their ``artifacts``."""
    common: list[dict[str, object]] = []
    entries = []
    for node_id in run_order(graph):
        node = graph.nodes[node_id]
        if not isinstance(node, SubDnn):
            continue
        artifact = artifacts[node_id]
        shared: dict[str, object] = {
            "backend": artifact.backend,
            "file": artifact.file,
            "uses": list(artifact.uses),
            "inputs": [_port(name, graph) for name in node.inputs],
            "outputs": [_port(name, graph) for name in node.outputs],
        }
        if shared not in common:
            common.append(shared)
        choice = {} if artifact.measured is None else {"measured": dict(artifact.measured)}
        entries.append(
            {
                "id": node_id,
                "artifact": common.index(shared),
                "inputs": [graph.variables[name].hint for name in node.inputs],
                "outputs": [graph.variables[name].hint for name in node.outputs],
                "runtime": dict(artifact.settings),
                **choice,
                **({"decisions": len(node.decisions)} if node.decisions else {}),
            }
        )
    return {"artifacts": common, "subdnns": entries}


def _port(name: str, graph: Hcfg) -> object:
    """Return an element type and sizes in a row, or ``"number"`` for an integer of the host."""
    spec = graph.variables[name].spec
    if is_integer(spec):
        return "number"
    assert isinstance(spec, TensorSpec)
    return [str(spec.dtype).removeprefix("torch."), *spec.shape]


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest_of_source(path: Path) -> str | None:
    try:
        return _digest(path)
    except OSError:
        return None  # a model typed into an interpreter has no file
