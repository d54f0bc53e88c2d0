"""The table of models in `zoo/README.md`: `python -m zoo.report [--write | --check]`."""

import argparse
import os
import sys
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import track
from torch import nn

from zoo.catalog import CATALOG, Entry
from zoo.measurement import HELD_OUT_SEED, measure

README = Path(__file__).resolve().parent / "README.md"
BEGIN = "<!-- begin: python -m zoo.report --write -->"
END = "<!-- end -->"

LABELLED = 300
PATH_SAMPLES = 200

HEADERS = [
    "model",
    "family",
    "FILE:TARGET",
    "layers",
    "parameters",
    "weights",
    "accuracy",
    "paths",
    "choices",
    "paper; upstream repository",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What the table says about one model."""

    entry: Entry
    layers: int
    parameters: int
    accuracy: float | None
    paths: int
    choices: str

    def cells(self) -> list[str]:
        """Return the row as text, in the order of `HEADERS`."""
        entry = self.entry
        method = "" if entry.method == "forward" else f" --method {entry.method}"
        return [
            entry.name,
            str(entry.family),
            f"`{entry.target}{method}`",
            str(self.layers),
            f"{self.parameters:,}",
            "trained" if entry.trained else "seeded",
            "" if self.accuracy is None else f"{self.accuracy:.1%}",
            str(self.paths),
            self.choices,
            entry.source,
        ]


def choices_made(paths: Sequence[Hashable]) -> str:
    """Say how many gates were seen both open and closed, or how many exits were taken.

    >>> choices_made([(1, 0, 1), (1, 1, 0)])
    '2 of 3 gates both ways'
    >>> choices_made([(0, True), (5, False), (2, True)])
    'exits 0 2, late 5'
    >>> choices_made([(0, 1, 3), (2, 2)])
    ''
    """
    steps = [path for path in paths if isinstance(path, tuple)]
    if any(len(step) == 2 and isinstance(step[-1], bool) for step in steps):
        early = sorted({index for index, is_early in steps if is_early})
        late = sorted({index for index, is_early in steps if not is_early})
        return f"exits {' '.join(map(str, early))}, late {' '.join(map(str, late))}"
    values = {value for step in steps for value in step}
    if not values or len({len(step) for step in steps}) > 1 or not values <= {0, 1}:
        return ""
    gates = [set(outcomes) for outcomes in zip(*steps, strict=True)]
    return f"{sum(len(gate) == 2 for gate in gates)} of {len(gates)} gates both ways"


def examine(entry: Entry) -> Row:
    """Build a model, run it on samples and on labelled inputs."""
    model, run = entry.prepare()
    layer_types = (nn.modules.conv._ConvNd, nn.Linear, nn.RNNBase, nn.RNNCellBase)
    labelled = entry.labelled_inputs(LABELLED, HELD_OUT_SEED)
    with torch.no_grad():
        decisions = [entry.decide(run(*each)) for each in entry.sample_inputs(PATH_SAMPLES, 0)]
    paths = decisions if labelled is None else [path for _, path in decisions]
    return Row(
        entry=entry,
        layers=sum(isinstance(module, layer_types) for module in model.modules()),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        accuracy=None if labelled is None else measure(run, entry.decide, labelled).accuracy,
        paths=len(set(map(str, paths))),
        choices=choices_made(paths),
    )


def as_line(cells: Sequence[str]) -> str:
    """Return a row of the table."""
    return f"| {' | '.join(cells)} |"


def lines_in(text: str) -> dict[str, str]:
    """Return the lines of the table between the markers, by the model's name."""
    table = text.partition(BEGIN)[2].partition(END)[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")][2:]
    return {line[2:].partition(" | ")[0]: line for line in lines}


def as_markdown(lines: Sequence[str]) -> str:
    """Return the table with these lines."""
    return "\n".join([as_line(HEADERS), as_line(["---"] * len(HEADERS)), *lines])


def with_table(text: str, table: str) -> str:
    """Return the text with the table between its two markers."""
    before, found_begin, rest = text.partition(BEGIN)
    _, found_end, after = rest.partition(END)
    if not (found_begin and found_end):
        raise SystemExit(f"{README} lacks the lines {BEGIN!r} and {END!r} around the table")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; write it into the README, or say whether it is up to date there."""
    parser = argparse.ArgumentParser(prog="python -m zoo.report", description=__doc__)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="put the table into zoo/README.md")
    mode.add_argument("--check", action="store_true", help="exit 1 if zoo/README.md differs")
    parser.add_argument("--models", nargs="*", help="examine these only; keep the others' lines")
    options = parser.parse_args(arguments)

    progress = Console(stderr=True)
    torch.set_num_threads(1)
    text = README.read_text()
    kept = {} if options.models is None else lines_in(text)
    chosen = [e for e in CATALOG if e.name not in kept or e.name in options.models]
    lines = kept | {
        entry.name: as_line(examine(entry).cells())
        for entry in track(chosen, "models", console=progress)
    }
    table = as_markdown([lines[entry.name] for entry in CATALOG])
    print(table)
    if not (options.write or options.check):
        return 0
    fresh = with_table(text, table)
    if options.write and fresh != text:
        draft = README.with_suffix(f".{os.getpid()}.draft")
        draft.write_text(fresh)
        draft.replace(README)
    if options.check and fresh != text:
        print(f"{README.name} is out of date: run python -m zoo.report --write", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
