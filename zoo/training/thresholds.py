"""Compare confidence thresholds of shallow-deep networks: `python -m zoo.training.thresholds NAME`.

For each candidate it prints the accuracy, how many pictures leave at which exit, and how close a
confidence comes to the threshold; the number chosen is written into `shallow_deep.CONFIGS`.
"""

import sys

import torch
import torch.nn.functional as F
from torch import Tensor

from zoo import shallow_deep
from zoo.digits import labelled_pictures, sample_pictures
from zoo.measurement import HELD_OUT_SEED
from zoo.storage import load_weights

CANDIDATES = [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99]
SAMPLES = 400


def outputs_of(name: str, pictures: Tensor) -> Tensor:
    """Return the probabilities of all outputs, [outputs, pictures, classes]."""
    model = shallow_deep.build_seeded(name)
    load_weights(model, f"shallow_deep_{name}", partial=True)
    with torch.no_grad():
        batches = [torch.stack(model(batch)) for batch in pictures.split(32)]
    return F.softmax(torch.cat(batches, dim=1), dim=2)


def exits_of(confidences: Tensor, threshold: float) -> tuple[Tensor, Tensor]:
    """Return for each picture its exit and whether it is early, from [outputs, pictures]."""
    confident = confidences[:-1] >= threshold
    is_early = confident.any(dim=0)
    first = confident.int().argmax(dim=0)
    return torch.where(is_early, first, confidences.argmax(dim=0)), is_early


def main(names: list[str]) -> None:
    """Print one line for each network and candidate."""
    torch.set_num_threads(1)
    for name in names or list(shallow_deep.NETWORKS):
        print(name)
        labelled, labels = labelled_pictures(SAMPLES, HELD_OUT_SEED, held_out=True)
        samples = torch.cat([picture for (picture,) in sample_pictures(SAMPLES, 0)])
        on_labelled, on_samples = outputs_of(name, labelled), outputs_of(name, samples)
        for threshold in CANDIDATES:
            chosen, _ = exits_of(on_labelled.amax(dim=2), threshold)
            classes = on_labelled[chosen, torch.arange(SAMPLES)].argmax(dim=1)
            accuracy = (classes == labels).float().mean()
            confidences = on_samples.amax(dim=2)
            chosen, is_early = exits_of(confidences, threshold)
            early = torch.bincount(chosen[is_early], minlength=len(confidences) - 1).tolist()
            late = torch.bincount(chosen[~is_early], minlength=len(confidences)).tolist()
            closest = (confidences[:-1] - threshold).abs().min()
            print(f"  {threshold:5.3f} {accuracy:6.1%}  early {early} late {late} {closest:.1e}")


if __name__ == "__main__":
    main(sys.argv[1:])
