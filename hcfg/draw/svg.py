"""The drawing as SVG: one file that any browser shows, without scripts."""

from collections.abc import Iterable
from html import escape

from hcfg.draw.layout import LINE_HEIGHT, PADDING, TITLE_HEIGHT, Place, Point, Route, lay_out
from hcfg.draw.palette import ARROW, COLOURS, FALSE, MUTED, TEXT, TRUE, arrow_colour
from hcfg.draw.picture import Box, picture_of
from hcfg.graph import Hcfg

_CORNER = 8.0
"""Radius of the bends of arrows."""

_STYLE = f"""
text {{ font: 12px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: {TEXT}; }}
.title {{ font-weight: bold; }}
.label {{ font-weight: bold; font-size: 11px; }}
.line {{ white-space: pre; }}
.arrow {{ fill: none; stroke-width: 1.5; }}
.back {{ stroke-dasharray: 6 4; }}
"""


def to_svg(graph: Hcfg) -> str:
    """Return a drawing of ``graph`` as the text of an SVG file."""
    picture = picture_of(graph)
    layout = lay_out(picture)
    width, height = _number(layout.width), _number(layout.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">',
        f"<title>{escape(picture.title)}</title>",
        f"<style>{_STYLE}</style>",
        f"<defs>{''.join(_marker(colour) for colour in (ARROW, TRUE, FALSE))}</defs>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *(line for route in layout.routes for line in _arrow(route)),
        *(line for box in picture.boxes for line in _box(box, layout.places[box.node])),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _marker(colour: str) -> str:
    return (
        f'<marker id="head-{colour[1:]}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>'
    )


def _box(box: Box, place: Place) -> Iterable[str]:
    colours = COLOURS[box.kind]
    details = "\n".join(box.details)
    yield f'<g id="{box.node}" class="{box.kind}"><title>{escape(details)}</title>'
    yield (
        f'<rect x="{_number(place.x)}" y="{_number(place.y)}" width="{_number(place.width)}" '
        f'height="{_number(place.height)}" rx="{12 if box.kind == "branch" else 3}" '
        f'fill="{colours.fill}" stroke="{colours.border}" stroke-width="1.5"/>'
    )
    left = place.x + PADDING
    yield _text(left, place.y + TITLE_HEIGHT - 3, box.title, f'class="title" fill="{MUTED}"')
    for number, line in enumerate(box.lines, start=1):
        height = place.y + TITLE_HEIGHT - 2 + number * LINE_HEIGHT
        yield _text(left, height, line, 'class="line" xml:space="preserve"')
    yield "</g>"


def _arrow(route: Route) -> Iterable[str]:
    arrow = route.arrow
    colour = arrow_colour(arrow.label)
    classes = "arrow back" if arrow.closes_loop or arrow.calls else "arrow"
    yield (
        f'<path class="{classes}" stroke="{colour}" marker-end="url(#head-{colour[1:]})" '
        f'd="{_path(route.points)}"/>'
    )
    if arrow.label:
        x, y = route.points[0]
        offset, anchor = (-6, "end") if route.label_left else (6, "start")
        style = f'class="label" text-anchor="{anchor}" style="fill: {colour}"'
        yield _text(x + offset, y + 14, arrow.label, style)


def _text(x: float, y: float, text: str, attributes: str) -> str:
    return f'<text x="{_number(x)}" y="{_number(y)}" {attributes}>{escape(text)}</text>'


def _path(points: tuple[Point, ...]) -> str:
    """Return a polyline with rounded bends as path data."""
    parts = [f"M{_point(points[0])}"]
    for before, bend, after in zip(points, points[1:], points[2:], strict=False):
        parts.append(
            f"L{_point(_towards(bend, before))}Q{_point(bend)} {_point(_towards(bend, after))}"
        )
    parts.append(f"L{_point(points[-1])}")
    return "".join(parts)


def _towards(start: Point, end: Point) -> Point:
    """Return the point a corner's radius away from ``start``, or half-way to ``end``."""
    (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
    length = (dx * dx + dy * dy) ** 0.5
    share = min(_CORNER / length, 0.5) if length else 0.0
    return x + dx * share, y + dy * share


def _point(point: Point) -> str:
    return f"{_number(point[0])} {_number(point[1])}"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
