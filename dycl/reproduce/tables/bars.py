"""Groups of bars on a logarithmic scale, as in the papers."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure


def grouped_bars(
    figure: Figure,
    groups: Sequence[str],
    heights: Mapping[str, Sequence[float | None]],
    label: str,
    *,
    line: float | None = None,
) -> Axes:
    """Draw for each group a bar of each series; None leaves a gap."""
    figure.set_size_inches(max(6.0, 1.5 + 0.16 * len(groups) * (1 + len(heights))), 5)
    axes = figure.subplots()
    width = 0.85 / max(len(heights), 1)
    for number, (name, values) in enumerate(heights.items()):
        places = [
            index - 0.425 + (number + 0.5) * width
            for index, value in enumerate(values)
            if value is not None
        ]
        axes.bar(places, [value for value in values if value is not None], width, label=name)
    axes.set_xticks(range(len(groups)), groups, rotation=40, ha="right", rotation_mode="anchor")
    axes.set(yscale="log", ylabel=label, xlim=(-0.6, max(len(groups) - 0.4, 0.6)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    if line is not None:
        axes.axhline(line, color="black", linewidth=0.8)
    if heights:
        axes.legend(
            ncols=min(len(heights), 6), fontsize="small", loc="lower left", bbox_to_anchor=(0, 1)
        )
    return axes
