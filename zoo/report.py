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

from zoo.catalog import PICTURES, Entry
from zoo.measurement import measure

README = Path(__file__).resolve().parent / "README.md"
BEGIN = "<!-- begin: python -m zoo.report --write -->"
END = "<!-- end -->"

ACCURACY_PICTURES = 300
PATH_SAMPLES = 200

HEADERS = [
    "model",
    "FILE:TARGET",
    "layers",
    "parameters",
    "weights",
    "accuracy",
    "paths",
    "choices",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What the table says about one model."""

    name: str
    target: str
    layers: int
    parameters: int
    weights: str
    accuracy: float
    paths: int
    choices: str

    def cells(self) -> list[str]:
        """Return the row as text, in the order of `HEADERS`."""
        return [
            self.name,
            f"`{self.target}`",
            str(self.layers),
            f"{self.parameters:,}",
            self.weights,
            f"{self.accuracy:.1%}",
            str(self.paths),
            self.choices,
        ]


def choices_made(paths: Sequence[Hashable]) -> str:
    """Say how many gates were seen both open and closed, or how many exits were taken.

    >>> choices_made([(1, 0, 1), (1, 1, 0)])
    '2 of 3 gates both ways'
    >>> choices_made([(0, True), (5, False), (2, True)])
    'exits 0 2, late 5'
    """
    steps = [path for path in paths if isinstance(path, tuple)]
    if steps and isinstance(steps[0][-1], bool):
        early = sorted({index for index, is_early in steps if is_early})
        late = sorted({index for index, is_early in steps if not is_early})
        return f"exits {' '.join(map(str, early))}, late {' '.join(map(str, late))}"
    gates = [set(outcomes) for outcomes in zip(*steps, strict=True)]
    return f"{sum(len(gate) == 2 for gate in gates)} of {len(gates)} gates both ways"


def examine(entry: Entry) -> Row:
    """Build a model, run it on samples and on labelled pictures."""
    model, run = entry.prepare()
    layer_types = (nn.Conv2d, nn.Linear, nn.LSTM)
    with torch.no_grad():
        samples = entry.module.sample_inputs(PATH_SAMPLES, seed=0)
        paths = [entry.module.decide(run(*sample))[1] for sample in samples]
    return Row(
        name=entry.name,
        target=entry.target,
        layers=sum(isinstance(module, layer_types) for module in model.modules()),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        weights="trained" if entry.trained else "seeded",
        accuracy=measure(run, entry.module.decide, ACCURACY_PICTURES).accuracy,
        paths=len(set(paths)),
        choices=choices_made(paths),
    )


def as_markdown(rows: Sequence[Row]) -> str:
    """Return the table."""
    lines = [HEADERS, ["---"] * len(HEADERS), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


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
    options = parser.parse_args(arguments)

    progress = Console(stderr=True)
    torch.set_num_threads(1)
    table = as_markdown([examine(entry) for entry in track(PICTURES, "models", console=progress)])
    print(table)
    if not (options.write or options.check):
        return 0
    text = README.read_text()
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
