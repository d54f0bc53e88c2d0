"""Groups of bars, as in the papers; so many groups that they need several rows."""

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, NullLocator

_GROUPS = 10
"""In a row, at most."""

_LABEL = 2.0
"""Inches of an entry in the legend."""


def grouped_bars(
    figure: Figure,
    groups: Sequence[str],
    heights: Mapping[str, Sequence[float | None]],
    label: str,
    *,
    is_logarithmic: bool = True,
) -> None:
    """Draw for each group a bar of each series from a line at 1; None leaves a gap."""
    # rows of the same length: the last one is not left half empty
    length = max(3, math.ceil(len(groups) / max(1, math.ceil(len(groups) / _GROUPS))))
    starts = range(0, max(len(groups), 1), length)
    width = max(8.0, 1.5 + 0.17 * length * (1 + len(heights)))
    figure.set_size_inches(width, 3.2 * len(starts) + 0.5)
    rows = figure.subplots(len(starts), 1, squeeze=False, sharey=True)[:, 0]
    for axes, start in zip(rows, starts, strict=True):
        part = {name: values[start : start + length] for name, values in heights.items()}
        if is_logarithmic:
            axes.set_yscale("log")
        _row(axes, groups[start : start + length], part, length)
        axes.set_ylabel(label)
        if is_logarithmic:
            axes.yaxis.set_major_locator(LogLocator(base=2))
            axes.yaxis.set_major_formatter("{x:g}")
            axes.yaxis.set_minor_locator(NullLocator())
    # a series may have no bar in a row: the legend is not taken from one
    patches = [Patch(color=f"C{number}", label=name) for number, name in enumerate(heights)]
    if groups:
        columns = min(len(heights), int(width // _LABEL))
        figure.legend(handles=patches, ncols=columns, fontsize="small", loc="outside upper center")


def _row(
    axes: Axes, groups: Sequence[str], heights: Mapping[str, Sequence[float | None]], longest: int
) -> None:
    width = 0.85 / max(len(heights), 1)
    for number, values in enumerate(heights.values()):
        left = (number + 0.5) * width - 0.425
        bars = [(index + left, value) for index, value in enumerate(values) if value is not None]
        # what is slower hangs below the line, what is faster stands on it
        above = [value - 1 for _, value in bars]
        places = [place for place, _ in bars]
        axes.bar(places, above, width, bottom=1, color=f"C{number}")
    axes.set_xticks(range(len(groups)), groups, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.6, longest - 0.4)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.axhline(1.0, color="black", linewidth=0.8)
