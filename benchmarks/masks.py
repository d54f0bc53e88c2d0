"""What branches for masks bring: ``python -m benchmarks.masks``.

Each network is compiled as it stands and with ``masks_to_branches``; both packages run in turns in
this process, on one thread, over the same pictures. Times are of the processor, so that other work
on the machine counts less. Read the ratios.
"""

import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor, nn

import dycl
from zoo import channel_gating, convnet_aig

PICTURES, ROUNDS = 50, 10

Inputs = Sequence[tuple[Tensor, ...]]


def half_shut(pictures: Inputs) -> nn.Module:
    """Return a wide ConvNet-AIG, untrained, each gate of which is shut for half of the pictures."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(14)
        net = convnet_aig.ConvNetAIG(convnet_aig.BasicBlock, [2, 2, 2], widths=(64, 128, 256))
    net.eval()
    for block in net.modules():
        if isinstance(block, convnet_aig.BasicBlock):
            _shut_half(net, block.fc2, pictures)
    return net


def _shut_half(net: nn.Module, decides: nn.Conv2d, pictures: Inputs) -> None:
    leads: list[float] = []

    def note(_module: nn.Module, _inputs: Any, logits: Tensor) -> None:
        leads.append(float(logits[0, 1] - logits[0, 0]))

    with decides.register_forward_hook(note), torch.no_grad():
        for (picture,) in pictures:
            net(picture)
    assert decides.bias is not None
    with torch.no_grad():
        decides.bias[0] += statistics.median(leads)


def measure(calls: Sequence[Callable[..., object]], pictures: Inputs) -> list[list[float]]:
    """Return the processor time of each call on each picture, in milliseconds."""
    times: list[list[float]] = [[] for _ in calls]
    for round_number in range(ROUNDS + 1):
        for (picture,) in pictures:
            given = picture.numpy()
            for call, found in zip(calls, times, strict=True):
                start = time.thread_time()
                call(given)
                if round_number:  # the first is to warm up
                    found.append((time.thread_time() - start) * 1e3)
    return times


def report(title: str, model: nn.Module, pictures: Inputs) -> str:
    """Compile a network both ways, and return its row of the table."""
    with TemporaryDirectory() as name:
        plain, branching = (
            dycl.compile(
                model,
                convnet_aig.example_inputs(),
                output=Path(name, f"package_{on}"),
                options=dycl.CompileOptions(masks_to_branches=on),
            )
            for on in (False, True)
        )
        before, after = measure([plain, branching], pictures)
    ratio = statistics.median(b / a for a, b in zip(before, after, strict=True))
    times = f"{statistics.median(before):.2f} ms | {statistics.median(after):.2f} ms"
    return f"| {title} | {times} | {ratio:.2f} |"


def main() -> None:
    """Print the table of docs/masks.md."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    pictures = convnet_aig.sample_inputs(PICTURES, 0)
    networks = {
        "ConvNet-AIG-38, 8, 16 and 32 channels (`zoo/convnet_aig.py`)": convnet_aig.build_model(),
        "channel gating, 16 and 32 channels (`zoo/channel_gating.py`)": (
            channel_gating.build_model()
        ),
        "ConvNet-AIG-14, 64, 128 and 256 channels, untrained, half of the gates shut": (
            half_shut(pictures)
        ),
    }
    print("| network | as it stands | with branches | ratio |\n|---|---:|---:|---:|")
    for title, model in networks.items():
        print(report(title, model, pictures), flush=True)


if __name__ == "__main__":
    main()
