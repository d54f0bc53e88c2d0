"""Train BlockDrop of ResNet-32 on digits: `python -m zoo.training.train_blockdrop`.

Digits are so easy that the paper's reward alone ends with one small policy for all pictures.
Therefore each block has a keep rate to hold over the pictures of a batch, as in SkipNet's
training, and blocks are not to go together; the reward then decides which pictures get which.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from zoo import blockdrop
from zoo.measurement import measure_on_digits
from zoo.storage import save_weights
from zoo.training.routine import LossFunction, Schedule, train

WRONG_CLASS = -1.0
"""The reward of a policy that makes the network wrong, whatever it saves."""
KEEP_RATE = 0.55
"""The share of pictures for which the policy should keep a block."""
EXPLORATION = 0.9
"""Keep probabilities are drawn in from 0 and 1 by this factor while sampling, as in the paper."""


def rewards_of(policy: Tensor, logits: Tensor, labels: Tensor) -> Tensor:
    """Return 1 minus the square of the share of blocks kept, where the class is right."""
    correct = logits.argmax(dim=1) == labels
    return torch.where(correct, 1.0 - policy.mean(dim=1).square(), WRONG_CLASS)


def spread_penalty(probs: Tensor) -> Tensor:
    """Return how far [batch, blocks] keep probabilities are from many decided, different paths."""
    off_rate = (probs.mean(dim=0) - KEEP_RATE).square().sum()
    doubt = (probs * (1 - probs)).mean(dim=0).sum()
    centred = probs - probs.mean(dim=0)
    scaled = centred / (centred.square().sum(dim=0).sqrt() + 1e-3)
    # blocks that are always kept or dropped together are one choice, not two
    together = (scaled.T @ scaled - torch.eye(probs.size(1))).square().sum(dim=1).mean()
    return 6.0 * off_rate + 1.0 * doubt + 1.0 * together


def policy_loss(model: blockdrop.BlockDrop, *, joint: bool) -> LossFunction:
    """Return the self-critical policy gradient: rewards relative to those of the greedy policy.

    Alone (not joint) the policy learns by a curriculum: it may first choose the last block
    only, then more and more; the others are kept. Joint, the network learns with it.
    """

    def loss(pictures: Tensor, labels: Tensor, done: float) -> Tensor:
        probs = model.agent(pictures)
        bounded = probs * EXPLORATION + (1 - probs) * (1 - EXPLORATION)
        blocks = probs.size(1)
        chosen = blocks if joint else min(blocks, 1 + int(1.5 * done * blocks))
        free = (torch.arange(blocks) >= blocks - chosen).float()
        policy = torch.bernoulli(bounded.detach()) * free + (1 - free)
        greedy = (probs.detach() > 0.5).float() * free + (1 - free)
        logits = model.resnet.forward_masked(pictures, policy)
        with torch.no_grad():
            usual = rewards_of(greedy, model.resnet.forward_masked(pictures, greedy), labels)
            advantage = rewards_of(policy, logits, labels) - usual
        surprise = F.binary_cross_entropy(bounded, policy, reduction="none") * free
        gradient = 3.0 * (advantage.view(-1, 1) * surprise).mean()
        classified = F.cross_entropy(logits, labels) if joint else 0.0
        return gradient + spread_penalty(probs) + classified

    return loss


def main() -> None:
    """Train in the paper's three steps, store the weights, print accuracy and path spread."""
    model = blockdrop.build_seeded().train()
    train(
        "ResNet-32 alone",
        list(model.resnet.parameters()),
        lambda pictures, labels, _: F.cross_entropy(model.resnet.forward_full(pictures), labels),
        Schedule(steps=500),
    )
    model.resnet.eval()  # its statistics stay while blocks are dropped
    train(
        "policy alone",
        list(model.agent.parameters()),
        policy_loss(model, joint=False),
        Schedule(steps=500, seed=1, learning_rate=2e-3),
    )
    print(measure_on_digits(model.eval(), blockdrop.decide, 200))
    model.train()
    train(
        "both together",
        list(model.parameters()),
        policy_loss(model, joint=True),
        Schedule(steps=600, seed=2, learning_rate=2e-3),
    )
    print(save_weights(model, "blockdrop32"))
    print(measure_on_digits(model.eval(), blockdrop.decide, 500))


if __name__ == "__main__":
    main()
