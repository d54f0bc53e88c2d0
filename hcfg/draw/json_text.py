"""The graph as JSON, for tools: nodes, edges, borders of sub-DNNs and source lines."""

import json
from collections.abc import Mapping

from hcfg.draw.picture import Box, picture_of
from hcfg.graph import Hcfg, SubDnn, called_functions, parameter_variables
from hcfg.wording import body_lines, source_lines, spec_text

FORMAT_VERSION = 1


def to_json(graph: Hcfg) -> str:
    """Return ``graph`` as the text of a JSON file. Its format has a version."""
    picture = picture_of(graph)
    return (
        json.dumps(
            {
                "format": FORMAT_VERSION,
                "name": graph.name,
                "source_file": graph.source_file,
                "entry": graph.entry,
                "inputs": _specs(parameter_variables(graph), graph),
                "functions": [
                    {
                        "name": name,
                        "entry": function.entry,
                        "parameters": _specs(function.parameters, graph),
                    }
                    for name, function in graph.functions.items()
                ],
                "nodes": [
                    {"id": box.node, "kind": box.kind, **_content(box, graph)}
                    for box in picture.boxes
                ],
                "edges": [
                    {
                        "source": arrow.source,
                        "target": arrow.target,
                        "outcome": arrow.label or None,
                        "closes_loop": arrow.closes_loop,
                    }
                    for arrow in picture.arrows
                    if not arrow.calls
                ],
            },
            indent=2,
        )
        + "\n"
    )


def _content(box: Box, graph: Hcfg) -> Mapping[str, object]:
    node = graph.nodes[box.node]
    borders = {}
    if isinstance(node, SubDnn):
        borders = {"inputs": _specs(node.inputs, graph), "outputs": _specs(node.outputs, graph)}
    calls = called_functions(node)
    return {
        **({} if box.function is None else {"function": box.function}),
        **borders,
        **({"calls": calls} if calls else {}),
        "code": body_lines(node, graph),
        "source": [
            {
                "file": origin.file,
                "line": origin.line,
                "text": origin.text.strip(),
                "function": origin.function,
            }
            for origin in source_lines(node)
        ],
    }


def _specs(names: tuple[str, ...], graph: Hcfg) -> list[dict[str, str]]:
    return [{"name": n, "type": spec_text(graph.variables[n].spec)} for n in names]
