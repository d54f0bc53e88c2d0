"""Where boxes and arrows go: layers from top to bottom, by the graphlay engine."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import graphlay

from hcfg.draw.picture import Arrow, Box, Picture
from hcfg.graph import NodeId

TITLE_HEIGHT = 18.0
LINE_HEIGHT = 16.0
PADDING = 10.0
_CHARACTER_WIDTH = 7.3
_MARGIN = 24.0
_OPTIONS = {
    "direction": "topbottom",
    "spacing": {"layer_gap": 40.0, "node_gap": 32.0},
}

Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Upper left corner and size of a box."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The way of an arrow. Its label stands beside its first point, left or right of it."""

    arrow: Arrow
    points: tuple[Point, ...]
    label_left: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A picture with places."""

    width: float
    height: float
    places: Mapping[NodeId, Place]
    routes: tuple[Route, ...]


def lay_out(picture: Picture) -> Layout:
    """Return places for all boxes and arrows. The same picture gets the same places."""
    request = graphlay.Graph()
    for box in picture.boxes:
        width, height = _size(box)
        request.node(box.node, width=width, height=height)
    for arrow in picture.arrows:
        request.edge(arrow.source, arrow.target, weight=1.0 if arrow.closes_loop else 2.0)
    found = graphlay.layout(request, options=_OPTIONS).to_dict()
    low, high = found["bounds"]["min"], found["bounds"]["max"]
    shift = (_MARGIN - low["x"], _MARGIN - low["y"])
    lines = [_points(edge, shift) for edge in found["edges"]]
    leftmost: dict[NodeId, float] = {}
    for arrow, points in zip(picture.arrows, lines, strict=True):
        leftmost[arrow.source] = min(points[0][0], leftmost.get(arrow.source, points[0][0]))
    return Layout(
        width=high["x"] + shift[0] + _MARGIN,
        height=high["y"] + shift[1] + _MARGIN,
        places={
            box.node: _place(node, shift)
            for box, node in zip(picture.boxes, found["nodes"], strict=True)
        },
        routes=tuple(
            Route(arrow=arrow, points=points, label_left=points[0][0] == leftmost[arrow.source])
            for arrow, points in zip(picture.arrows, lines, strict=True)
        ),
    )


def _size(box: Box) -> tuple[float, float]:
    longest = max(len(line) for line in (box.title, *box.lines))
    width = longest * _CHARACTER_WIDTH + 2 * PADDING
    return width, TITLE_HEIGHT + len(box.lines) * LINE_HEIGHT + PADDING


def _place(node: Mapping[str, Any], shift: Point) -> Place:
    width, height = node["size"]["width"], node["size"]["height"]
    return Place(
        x=node["center"]["x"] - width / 2 + shift[0],
        y=node["center"]["y"] - height / 2 + shift[1],
        width=width,
        height=height,
    )


def _points(edge: Mapping[str, Any], shift: Point) -> tuple[Point, ...]:
    return tuple((point["x"] + shift[0], point["y"] + shift[1]) for point in edge["points"])
