"""Figures that others published, to stand beside ours. Those of one model are the catalog's."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One figure or range, and where it is from."""

    what: str
    figure: str
    paper: str


DYCL = "Chen et al.: DyCL, ISSTA 2023"

TRACING_FAILS = Published(
    what="inputs on which a traced model decides otherwise", figure="83-100 %", paper=DYCL
)
ALL_COMPILED = Published(
    what="dynamic networks that could be compiled, of nine", figure="100 %", paper=DYCL
)
SPEED = Published(
    what="as fast as the original in its framework, nine networks",
    figure="1.12-20.21 times",
    paper=DYCL,
)
