"""The text of a package's ``__init__.py``."""

import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from codegen_host.argument_text import (
    ARGUMENT_MODULES,
    argument_bounds,
    argument_spec_text,
)
from codegen_host.function_text import definition_lines, readable
from codegen_host.host_function import (
    IN_BATCHES,
    JOIN_TENSORS,
    MAKE_TENSOR,
    host_function,
    host_functions,
)
from codegen_host.kept_state import STATE_NAMES, state_imports, state_lines
from codegen_host.many_inputs_text import MANY, many_inputs_lines
from codegen_host.marks import TestPlace, find_tests, unmarked_lines
from codegen_host.references import (
    AFTER_ERRORS,
    ATTEMPT,
    REFILLING,
    HostReferences,
    array_text,
    host_references,
)
from codegen_host.steps_text import STEPS
from hcfg.batching import subdnns_of
from hcfg.flow import run_order
from hcfg.graph import Hcfg, SubDnn
from rewriter.printing.hidden_names import plain_names, require_visible
from rewriter.printing.wrapping import WIDTH, wrap_lines
from rewriter.program import STATE

_OWN_NAMES = frozenset({
    "InputError", "Package", "array", "derived", "fixed", "forward", "left_out", "multiple",
    "written",
})  # fmt: skip
_MODULE_NAMES = _OWN_NAMES | {
    AFTER_ERRORS, ATTEMPT, MAKE_TENSOR, "np", "number", "observe", "_package", "Any", "Attributes",
    "CarriesAttributes", "NamedTuple", "dataclass", "field", "record", STATE, "Batching",
    IN_BATCHES, *JOIN_TENSORS.values(), "ManyInputs", "forward_many", *REFILLING,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardText:
    """A generated module and what belongs to it."""

    text: str
    tests: tuple[TestPlace, ...]
    """Where the conditions of branches stand."""
    constants: Mapping[str, NDArray[np.generic]]
    """Arrays that the module loads, in order."""


def forward_text(graph: Hcfg, entry_point: str, version: str) -> ForwardText:
    """Return the module whose ``forward`` runs a graph.

    ``entry_point`` is the original's name (``SkipNet.forward``), ``version`` dycl's.
    """
    subdnns = [n for n in run_order(graph) if isinstance(graph.nodes[n], SubDnn)]
    function, specialised = host_function(graph), host_functions(graph)
    functions = (*specialised, function)
    own = _MODULE_NAMES | set(subdnns) | graph.functions.keys()
    if graph.many_inputs:
        own |= {STEPS.format(name) for name in (*graph.functions, function.name)}
    references = host_references(functions, graph.knowns, own)
    used = {name for each in functions for name in plain_names(each, [graph.knowns])}
    require_visible(function, references.names | used | set(subdnns) | graph.functions.keys())
    taken = own | references.names | used
    head = _head(graph, references, subdnns, entry_point, version)
    body: list[str] = []
    for each in functions:
        is_entry = each is function
        named = readable(each, references, subdnns, taken, is_entry=is_entry)
        body += _decorators(references) if is_entry else []
        body += definition_lines(named, references)
        body += [] if is_entry else ["", ""]
    if graph.many_inputs:
        body += ["", "", *many_inputs_lines(graph, references, subdnns, taken)]
    tail = _tail(entry_point, graph)
    marked = [*head, *body, *tail]
    lines = wrap_lines(unmarked_lines(marked))
    text = "\n".join(lines) + "\n"
    return ForwardText(text=text, tests=find_tests(marked, text), constants=references.constants)


def _head(
    graph: Hcfg,
    references: HostReferences,
    subdnns: Sequence[str],
    entry_point: str,
    version: str,
) -> list[str]:
    file = PurePath(graph.source_file).name
    arguments = argument_spec_text(graph)
    own = references.classes.own_imports()
    offered = list(references.classes.declared)
    kept = state_lines(graph.state, partial(array_text, references))
    imports = {*references.imports, *references.classes.imports(), *state_imports(kept)}
    offered += STATE_NAMES if kept else ()
    offered += [MANY] if graph.many_inputs else []
    return [
        f'"""{entry_point} of {file}, compiled by dycl {version}.',
        "",
        "The control flow of the model in Python. Each ``subdnn_N`` is a straight line of its",
        "tensor code, compiled; comments give the original's lines.",
        *_deciding(graph, subdnns),
        '"""',
        "",
        *_lines_if(sorted(imports)),
        *_imports({"InputError", *arguments.names}),
        *_import_if("_objects", own),
        *_import_if("_schemas", arguments.schema_names),
        *_import_if("_tensors", references.making_tensors),
        *([f"from ._attempts import {ATTEMPT}"] if references.attempts else []),
        *_import_if("_after_errors", {AFTER_ERRORS} if references.after_errors else ()),
        *_import_if("_refilling", references.refilling),
        *_import_if("_batching", {"Batching"} if graph.put_off else ()),
        *_import_if("_many_inputs", {"ManyInputs"} if graph.many_inputs else ()),
        "",
        f"__all__ = {_listed(offered, _alias(entry_point, graph))}",
        "",
        *arguments.definitions,
        "_package = Package(__file__, arguments={",
        *(f"    {line}," for line in arguments.lines),
        f"}}{_bounds(graph)})",
        "observe = _package.observe",
        *_unpacked(subdnns, "_package.subdnns"),
        *_batching(graph, subdnns),
        *_unpacked(list(references.constants), "_package.constants()"),
        *kept,
        *references.classes.lines(file),
        "",
        "",
    ]


def _decorators(references: HostReferences) -> list[str]:
    return ["@_package.entry", *([f"@{AFTER_ERRORS}.entry"] if references.after_errors else [])]


def _deciding(graph: Hcfg, subdnns: Sequence[str]) -> list[str]:
    """Return what there is to say of sub-DNNs that make decisions of their own."""
    nodes = ((name, graph.nodes[name]) for name in subdnns)
    names = [f"``{name}``" for name, node in nodes if isinstance(node, SubDnn) and node.decisions]
    text = f"Branches and loops of the model are inside of {', '.join(names)}."
    return textwrap.wrap(text, WIDTH) if names else []


def _batching(graph: Hcfg, subdnns: Sequence[str]) -> list[str]:
    """Return how sub-DNNs are told those for batches of them."""
    if not graph.put_off:
        return []
    late = subdnns_of(graph, graph.put_off)
    put_off = [name for name in subdnns if name in late]
    lines = [f"    ({name}, {graph.batches[name]}, {_results(graph, name)})," for name in put_off]
    made = [f"{IN_BATCHES} = Batching(  # a sub-DNN, the one for batches, number of results"]
    return [*made, *lines, ")", *_unpacked(put_off, f"{IN_BATCHES}.subdnns")]


def _results(graph: Hcfg, name: str) -> int:
    node = graph.nodes[name]
    assert isinstance(node, SubDnn)
    return len(node.outputs)


def _bounds(graph: Hcfg) -> str:
    pairs = (
        f'"{name}": ({bounds.minimum}, {bounds.maximum})'
        for name, bounds in argument_bounds(graph).items()
    )
    text = ", ".join(pairs)
    return f", sizes={{{text}}}" if text else ""


def _imports(used: Collection[str]) -> list[str]:
    """Return where names that say what arguments must be come from, and the package itself."""
    lines = ["from ._package import Package"]
    for module in ("_arguments", *dict.fromkeys(ARGUMENT_MODULES.values())):
        names = [name for name in used if ARGUMENT_MODULES.get(name, "_arguments") == module]
        lines += _import_if(module, names)
    return sorted(lines)


def _import_if(module: str, names: Collection[str]) -> list[str]:
    return [f"from .{module} import {', '.join(sorted(names))}"] if names else []


def _lines_if(lines: Sequence[str]) -> list[str]:
    return [*lines, ""] if lines else []


def _unpacked(names: Sequence[str], source: str) -> list[str]:
    """Return an assignment of a tuple to many names."""
    if not names:
        return []
    inner = f"{', '.join(names)}{',' if len(names) == 1 else ''}"
    line = f"{inner} = {source}"
    return [line if len(line) <= WIDTH else f"({inner}) = {source}"]


def _alias(entry_point: str, graph: Hcfg) -> str | None:
    name = entry_point.rpartition(".")[2]
    taken = _MODULE_NAMES if graph.state is None else {*_MODULE_NAMES, *STATE_NAMES}
    return name if name.isidentifier() and name not in taken else None


def _listed(others: Sequence[str], alias: str | None) -> str:
    """Return what the package offers, as text."""
    names = [*others, "InputError", *([] if alias is None else [alias]), "forward", "observe"]
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _tail(entry_point: str, graph: Hcfg) -> list[str]:
    alias = _alias(entry_point, graph)
    return [] if alias is None else ["", "", f"{alias} = forward"]
