"""Colours of the kinds of nodes, the same in every drawing."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Colours:
    """Of a box."""

    fill: str
    border: str


LEGEND: Mapping[str, str] = {
    "subdnn": "sub-DNN: compiled tensor code",
    "host": "host code",
    "branch": "decision at run time",
    "loop": "loop head",
    "entry": "entry",
    "return": "return",
    "raise": "raise",
}

COLOURS: Mapping[str, Colours] = {
    "subdnn": Colours(fill="#dbeafe", border="#2563eb"),
    "host": Colours(fill="#f3f4f6", border="#6b7280"),
    "branch": Colours(fill="#fef3c7", border="#d97706"),
    "loop": Colours(fill="#ede9fe", border="#7c3aed"),
    "entry": Colours(fill="#ffffff", border="#111827"),
    "return": Colours(fill="#dcfce7", border="#16a34a"),
    "raise": Colours(fill="#fee2e2", border="#dc2626"),
}

ARROW = "#4b5563"
TRUE = "#15803d"
FALSE = "#b91c1c"
TEXT = "#111827"
MUTED = "#4b5563"


def arrow_colour(label: str) -> str:
    """Return the colour of an arrow by the outcome it stands for."""
    return {"true": TRUE, "false": FALSE}.get(label, ARROW)
