"""Trees in batches and one call after the other: ``python -m benchmarks.batches``.

Full binary trees with one layer in each node, of several widths and depths. Each model is compiled
with its recursion in batches and without; both packages and eager PyTorch run in turns in this
process, on one thread. Times are of the processor, so that other work on the machine counts less.
Read the ratios: ``WORTH`` in ``hcfg/passes/batch_recursion.py`` comes from them.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import torch

import dycl
from benchmarks.timing import measure
from hcfg.passes import batch_recursion
from zoo import tree_fc

WIDTHS, DEPTHS = (64, 256, 384, 512, 1024), (1, 2, 3, 4, 6)


def full(depth: int) -> tree_fc.Node:
    """Return a full tree."""
    if depth == 0:
        return tree_fc.Node(7)
    return tree_fc.Node(0, full(depth - 1), full(depth - 1))


def compiled(width: int, output: Path, off: frozenset[str]) -> dycl.CompiledModel:
    """Return the package of a model."""
    options = dycl.CompileOptions(disabled_passes=off)
    model = tree_fc._seeded(width)
    return dycl.compile(model, tree_fc.example_inputs(), output=output, options=options)


def report(width: int) -> None:
    """Print a line for each depth."""
    model = tree_fc._seeded(width)
    kilobytes = 2 * width * width * 4 // 1024
    with TemporaryDirectory() as name, torch.no_grad():
        batches = compiled(width, Path(name) / "batches", frozenset())
        alone = compiled(width, Path(name) / "alone", frozenset({"batch-recursion"}))
        for depth in DEPTHS:
            tree = full(depth)
            found = measure(
                {
                    "eager": lambda tree=tree: model(tree),  # type: ignore[misc]
                    "alone": lambda tree=tree: alone(tree),  # type: ignore[misc]
                    "batches": lambda tree=tree: batches(tree),  # type: ignore[misc]
                }
            )
            ratios = [found[other] / found["batches"] for other in ("eager", "alone")]
            times = "".join(f"{microseconds:10.1f}" for microseconds in found.values())
            print(
                f"{width:6}{kilobytes:8}{depth:6}{times}{ratios[0]:8.2f}{ratios[1]:8.2f}",
                flush=True,
            )


def main() -> None:
    """Print microseconds, and how many times as fast as the others batches are."""
    torch.set_num_threads(1)
    batch_recursion.WORTH = 0
    print(" width  weights  depth    eager     alone   batches  /eager  /alone")
    for width in WIDTHS:
        report(width)


if __name__ == "__main__":
    main()
