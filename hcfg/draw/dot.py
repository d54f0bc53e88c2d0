"""The drawing as DOT, for those who have Graphviz."""

from collections.abc import Iterator

from hcfg.draw.palette import COLOURS, arrow_colour
from hcfg.draw.picture import Arrow, Box, Picture, picture_of
from hcfg.graph import Hcfg


def to_dot(graph: Hcfg) -> str:
    """Return a drawing of ``graph`` as the text of a DOT file."""
    picture = picture_of(graph)
    lines = [
        f"digraph {_quoted(picture.title)} {{",
        '    node [shape=box style="filled,rounded" fontname="DejaVu Sans Mono" fontsize=10];',
        '    edge [fontname="DejaVu Sans Mono" fontsize=10];',
        *(f"    {_node(box)}" for box in picture.boxes if box.function is None),
        *(line for name in graph.functions for line in _cluster(name, picture)),
        *(f"    {_edge(arrow)}" for arrow in picture.arrows),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _cluster(function: str, picture: Picture) -> Iterator[str]:
    yield f"    subgraph {_quoted(f'cluster_{function}')} {{"
    yield f"        label={_quoted(function)}; style=rounded;"
    yield from (f"        {_node(box)}" for box in picture.boxes if box.function == function)
    yield "    }"


def _node(box: Box) -> str:
    # \l ends a line and sets it flush left
    label = "".join(f"{_escaped(line)}\\l" for line in (box.title, *box.lines))
    colours = COLOURS[box.kind]
    return (
        f'{_quoted(box.node)} [label="{label}" fillcolor="{colours.fill}" '
        f'color="{colours.border}"];'
    )


def _edge(arrow: Arrow) -> str:
    attributes = [f'color="{arrow_colour(arrow.label)}"']
    if arrow.label:
        attributes.append(f'label="{arrow.label}"')
    if arrow.closes_loop or arrow.calls:
        attributes.append("style=dashed constraint=false")
    return f"{_quoted(arrow.source)} -> {_quoted(arrow.target)} [{' '.join(attributes)}];"


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
