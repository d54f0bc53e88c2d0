"""Texts of different lengths together and one by one: ``python -m benchmarks.many_lengths``.

The LSTM of the zoo reads a text word by word; texts that still have words left are one call of its
cell. Each count of texts is run in turns by eager PyTorch, one by one, and by ``forward_many``, on
one thread. Times are of the processor, for one text; read the ratios.
"""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

import dycl
from benchmarks.timing import measure
from zoo import lstm

COUNTS, WORDS = (1, 4, 16, 64), 12


def texts(count: int) -> list[tuple[torch.Tensor]]:
    """Return texts of a few words each."""
    lengths = random.Random(0)
    return [(torch.randn(lengths.randint(1, WORDS), 1, 300),) for _ in range(count)]


def main() -> None:
    """Print microseconds for a text, and how many times as fast as the others together is."""
    torch.set_num_threads(1)
    model = lstm.build_model()
    with TemporaryDirectory() as name, torch.no_grad():
        compiled = dycl.compile(
            model,
            texts(1)[0],
            output=Path(name) / "lstm",
            dynamic_shapes=lstm.dynamic_shapes(),
            options=dycl.CompileOptions(many_inputs=True),
        )
        print(" texts    eager     alone  together  /eager  /alone")
        for count in COUNTS:
            given = texts(count)
            arrays = [(x.numpy(),) for (x,) in given]
            found = measure(
                {
                    "eager": lambda given=given: [model(x) for (x,) in given],  # type: ignore[misc]
                    "alone": lambda arrays=arrays: [compiled(x) for (x,) in arrays],  # type: ignore[misc]
                    "together": lambda arrays=arrays: compiled.many(arrays),  # type: ignore[misc]
                }
            )
            times = "".join(f"{microseconds / count:10.1f}" for microseconds in found.values())
            ratios = [found[other] / found["together"] for other in ("eager", "alone")]
            print(f"{count:6}{times}{ratios[0]:8.2f}{ratios[1]:8.2f}", flush=True)


if __name__ == "__main__":
    main()
