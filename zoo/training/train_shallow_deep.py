"""Train shallow-deep networks: `python -m zoo.training.train_shallow_deep [NAME ...]`.

ResNet-56 is trained as a whole. Of the others only the classifiers are, the paper's "IC-only"
training: their convolutions stay as seeded, so a pass over the pictures, once, gives all features.
"""

import sys

import torch
import torch.nn.functional as F
from rich.progress import track
from torch import Tensor, nn

from zoo import shallow_deep
from zoo.digits import labelled_pictures
from zoo.measurement import measure_on_digits
from zoo.shallow_deep import ShallowDeepNetwork
from zoo.storage import save_weights
from zoo.training.routine import LossFunction, Schedule, train

PICTURES = 1600
"""How many pictures the classifiers of seeded networks are trained on."""
MODESTY = 0.3
"""Label smoothing of the first classifier of seeded networks; the last has none."""


def weighted_loss(model: ShallowDeepNetwork) -> LossFunction:
    """Return the paper's loss: internal classifiers count more and more as training goes on."""

    def loss(pictures: Tensor, labels: Tensor, done: float) -> Tensor:
        *internal, last = model(pictures)
        total = F.cross_entropy(last, labels)
        for index, output in enumerate(internal, start=1):
            limit = 0.15 * (index + 1) / 1.15
            weight = 0.01 + min(1.0, done) * (min(0.9, limit) - 0.01)
            total = total + weight * F.cross_entropy(output, labels)
        return total

    return loss


def classifiers_of(model: ShallowDeepNetwork) -> list[nn.Linear]:
    """Return the final linear layer of each output, in the order of the outputs."""
    internal = [layer.output.linear for layer in model.layers if layer.output is not None]
    return [*internal, model.end_layers[-1]]


def gather_features(model: ShallowDeepNetwork, pictures: Tensor) -> list[Tensor]:
    """Return what each classifier gets as input for these pictures."""
    gathered: list[list[Tensor]] = [[] for _ in classifiers_of(model)]
    hooks = [
        linear.register_forward_pre_hook(lambda _, inputs, rows=rows: rows.append(inputs[0]))
        for linear, rows in zip(classifiers_of(model), gathered, strict=True)
    ]
    with torch.no_grad():
        for batch in track(pictures.split(16), description="features"):
            model(batch)
    for hook in hooks:
        hook.remove()
    return [torch.cat(rows) for rows in gathered]


def calibrate_statistics(model: ShallowDeepNetwork, pictures: Tensor) -> None:
    """Let batch normalisation see the pictures, as seeded statistics fit no activation."""
    norms = [module for module in model.modules() if isinstance(module, nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None  # an average over all batches
        norm.reset_running_stats()
        norm.train()
    with torch.no_grad():
        for batch in pictures.split(32):
            model(batch)
    for norm in norms:
        norm.eval()


def train_classifiers(model: ShallowDeepNetwork) -> None:
    """Train all classifiers of a seeded network on features computed once.

    Random convolutions lose information layer by layer, so early classifiers would answer
    nearly everything; smoother labels keep them modest and leave pictures to the later ones.
    """
    pictures, labels = labelled_pictures(PICTURES, 0, held_out=False)
    calibrate_statistics(model, pictures[:128])
    features = gather_features(model, pictures)
    for index, (linear, rows) in enumerate(zip(classifiers_of(model), features, strict=True)):
        optimizer = torch.optim.AdamW(linear.parameters(), lr=1e-3, weight_decay=1e-2)
        torch.manual_seed(index)
        smoothing = MODESTY * (1 - index / (len(features) - 1))
        for _ in track(range(12), description=f"classifier {index}"):
            for batch in torch.randperm(PICTURES).split(50):
                optimizer.zero_grad()
                outputs = linear(rows[batch])
                F.cross_entropy(outputs, labels[batch], label_smoothing=smoothing).backward()
                optimizer.step()


def main(names: list[str]) -> None:
    """Train the named networks, store the weights, print accuracy and path spread."""
    torch.set_num_threads(1)
    for name in names or list(shallow_deep.NETWORKS):
        model = shallow_deep.build_seeded(name)
        if name == "resnet56":
            model.train()
            train(name, list(model.parameters()), weighted_loss(model), Schedule(steps=600))
            print(save_weights(model.eval(), f"shallow_deep_{name}"))
        else:
            train_classifiers(model)
            trained = {linear.weight.data_ptr() for linear in classifiers_of(model)}
            trained |= {linear.bias.data_ptr() for linear in classifiers_of(model)}

            def keep(key: str, tensor: Tensor, trained: set[int] = trained) -> bool:
                return "running_" in key or tensor.data_ptr() in trained

            print(save_weights(model, f"shallow_deep_{name}", keep))
        print(name, measure_on_digits(model.early_exit, shallow_deep.decide, 500))


if __name__ == "__main__":
    main(sys.argv[1:])
