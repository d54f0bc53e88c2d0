"""Groups of bars, as in the papers; so many groups that they need several rows."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

_GROUPS = 10
"""In a row."""


def grouped_bars(
    figure: Figure,
    groups: Sequence[str],
    heights: Mapping[str, Sequence[float | None]],
    label: str,
    *,
    is_logarithmic: bool = True,
) -> None:
    """Draw for each group a bar of each series, and a line at 1; None leaves a gap."""
    starts = range(0, max(len(groups), 1), _GROUPS)
    longest = min(max(len(groups), 3), _GROUPS)
    width = max(6.0, 1.5 + 0.17 * longest * (1 + len(heights)))
    figure.set_size_inches(width, 3.2 * len(starts) + 0.5)
    rows = figure.subplots(len(starts), 1, squeeze=False, sharey=True)[:, 0]
    for axes, start in zip(rows, starts, strict=True):
        part = {name: values[start : start + _GROUPS] for name, values in heights.items()}
        _row(axes, groups[start : start + _GROUPS], part, longest)
        axes.set_ylabel(label)
        if is_logarithmic:
            axes.set_yscale("log")
            axes.yaxis.set_major_locator(LogLocator(base=2))
            axes.yaxis.set_major_formatter("{x:g}")
            axes.yaxis.set_minor_locator(NullLocator())
    if groups:
        columns = min(len(heights), 6)
        rows[0].legend(ncols=columns, fontsize="small", loc="lower left", bbox_to_anchor=(0, 1))


def _row(
    axes: Axes, groups: Sequence[str], heights: Mapping[str, Sequence[float | None]], longest: int
) -> None:
    width = 0.85 / max(len(heights), 1)
    for number, (name, values) in enumerate(heights.items()):
        left = (number + 0.5) * width - 0.425
        bars = [(index + left, value) for index, value in enumerate(values) if value is not None]
        axes.bar([place for place, _ in bars], [value for _, value in bars], width, label=name)
    axes.set_xticks(range(len(groups)), groups, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.6, longest - 0.4)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.axhline(1.0, color="black", linewidth=0.8)
