"""Train ConvNet-AIG-38 on digits: `python -m zoo.training.train_convnet_aig`.

Each block has a target rate, as in the paper. Drawn gates can keep it without looking at the
picture; so a second penalty, as for SkipNets, makes them decided, which leaves only that way.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from zoo import convnet_aig
from zoo.measurement import measure_on_digits
from zoo.storage import save_weights
from zoo.training.routine import Schedule, train

RUN_RATE = 0.55
"""The share of pictures for which a block should run."""


def main() -> None:
    """Train, store the weights, print accuracy and path spread."""
    model = convnet_aig.build_seeded().train()
    relevance: list[Tensor] = []
    for module in model.modules():
        if isinstance(module, convnet_aig.BasicBlock):
            module.fc2.register_forward_hook(lambda _, __, logits: relevance.append(logits))

    def loss(pictures: Tensor, labels: Tensor, done: float) -> Tensor:
        relevance.clear()
        logits, _ = model(pictures)
        opened = torch.stack([F.softmax(each, dim=1)[:, 1].flatten() for each in relevance])
        off_rate = (opened.mean(dim=1) - RUN_RATE).square().mean()
        doubt = (opened * (1 - opened)).mean()
        growing = min(1.0, 2.0 * done)
        return F.cross_entropy(logits, labels) + growing * (6.0 * off_rate + 1.5 * doubt)

    train("ConvNet-AIG-38", list(model.parameters()), loss, Schedule(steps=700))
    print(save_weights(model, "convnet_aig38"))
    print(measure_on_digits(model.eval(), convnet_aig.decide, 500))


if __name__ == "__main__":
    main()
