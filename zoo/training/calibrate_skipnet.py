"""Calibrate the seeded SkipNet-74 and -110: `python -m zoo.training.calibrate_skipnet [DEPTH ...]`.

Walks through the network block by block with a batch of pictures: batch normalisation takes
their statistics, each gate's two logits are scaled and shifted so that it lets about `RUN_RATE`
of them through, the decisions apply, on to the next block. Convolutions stay as seeded, so the
paths mean nothing and the classes neither: these two models are there for their size.
"""

import sys

import torch
from rich.progress import track
from torch import Tensor, nn

from zoo import skipnet
from zoo.digits import labelled_pictures
from zoo.measurement import measure_on_digits
from zoo.skipnet import FeedForwardGate, SkipNet
from zoo.storage import save_weights

RUN_RATE = 0.6
PICTURES = 256
NAMES = {74: "skipnet74_calibration", 110: "skipnet110_calibration"}


def take_statistics(module: nn.Module, x: Tensor) -> Tensor:
    """Run a module so that its batch normalisations keep this batch's statistics."""
    norms = [norm for norm in module.modules() if isinstance(norm, nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = 1.0
        norm.train()
    out: Tensor = module(x)
    for norm in norms:
        norm.eval()
    return out


def calibrate_gate(gate: FeedForwardGate, x: Tensor) -> Tensor:
    """Set the gate's threshold in a wide gap near the wanted rate; return its decisions."""
    take_statistics(gate, x)
    with torch.no_grad():
        logits = gate.linear(gate.avgpool(gate.features(x))).flatten(1)
        favour = logits[:, 1] - logits[:, 0]
        gate.linear.weight *= 2.0 / favour.std()
        favour = 2.0 * (favour - gate.linear.bias[1] + gate.linear.bias[0]) / favour.std()
        ordered = favour.sort().values
        middle = round((1 - RUN_RATE) * len(x))
        near = ordered[middle - len(x) // 20 : middle + len(x) // 20]
        widest = int(near.diff().argmax())
        threshold = (near[widest] + near[widest + 1]) / 2
        gate.linear.bias.copy_(torch.stack([threshold, torch.zeros(())]))
    mask, _ = gate(x)
    return mask


def calibrate(model: SkipNet, x: Tensor) -> Tensor:
    """Calibrate the whole network on the pictures; return the features its classifier gets."""
    x = take_statistics(nn.Sequential(model.conv1, model.bn1, model.relu), x)
    mask = torch.ones(len(x), 1, 1, 1)
    names = [(g, i) for g in range(3) for i in range(model.num_layers[g])]
    for g, i in track(names, description="blocks"):
        shortcut = getattr(model, f"group{g + 1}_ds{i}")
        ran = take_statistics(getattr(model, f"group{g + 1}_layer{i}"), x)
        skipped = x if shortcut is None else shortcut(x)
        x = torch.where(mask > 0, ran, skipped)
        mask = calibrate_gate(getattr(model, f"group{g + 1}_gate{i}"), x)
    return model.avgpool(x).flatten(1)


def centre_classifier(linear: nn.Linear, features: Tensor) -> None:
    """Shift the seeded classifier so that its answer depends on the picture at all."""
    linear.weight /= (features @ linear.weight.T).std()
    linear.bias.copy_(-linear.weight @ features.mean(dim=0))


def is_calibrated(key: str, tensor: Tensor) -> bool:
    """Say whether a tensor differs from what the seed makes."""
    return "running_" in key or ".linear." in key or key.startswith("fc.")


def main(depths: list[int]) -> None:
    """Calibrate, store what changed, print the path spread."""
    torch.set_num_threads(1)
    for depth in depths or list(NAMES):
        model = skipnet.build_seeded(depth)
        pictures, _ = labelled_pictures(PICTURES, 0, held_out=False)
        with torch.no_grad():
            centre_classifier(model.fc, calibrate(model, pictures))
        print(save_weights(model, NAMES[depth], is_calibrated))
        print(measure_on_digits(model.eval(), skipnet.decide, 200))


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]])
