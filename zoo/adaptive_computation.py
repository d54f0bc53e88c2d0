"""A universal transformer with adaptive computation time: each position halts when it is done.

Dehghani et al.: "Universal Transformers", ICLR 2019, with the halting of Graves: "Adaptive
Computation Time for Recurrent Neural Networks", 2016; known from
andreamad8/Universal-Transformer-Pytorch (an own implementation, not a copy).

One layer is applied again until every position's halting probabilities add up to the threshold:
the trip count of the loop is data. Weights are seeded; 1 to 8 steps occur.
"""

import torch
from torch import nn

MAX_STEPS = 8


class AdaptiveTransformer(nn.Module):
    """Applies one transformer layer until all positions have halted."""

    def __init__(self, dim=16, threshold=0.9):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(
            dim, 2, dim_feedforward=32, dropout=0.0, batch_first=True
        )
        self.halting = nn.Linear(dim, 1)
        self.steps = nn.Embedding(MAX_STEPS, dim)
        self.threshold = threshold

    def forward(self, x):
        """Return the weighted states, the remainders, and the updates of each position."""
        state = x
        halting_probability = torch.zeros(x.shape[0], x.shape[1])
        remainders = torch.zeros(x.shape[0], x.shape[1])
        n_updates = torch.zeros(x.shape[0], x.shape[1])
        mixed = torch.zeros_like(x)
        step = 0
        while ((halting_probability < self.threshold) & (n_updates < MAX_STEPS)).any():
            state = state + self.steps(torch.tensor(step))
            p = torch.sigmoid(self.halting(state)).squeeze(-1)
            running = (halting_probability < 1.0).float()
            ending = (halting_probability + p * running > self.threshold).float() * running
            running = (halting_probability + p * running <= self.threshold).float() * running
            halting_probability = halting_probability + p * running
            remainders = remainders + ending * (1 - halting_probability)
            halting_probability = halting_probability + ending * remainders
            n_updates = n_updates + running + ending
            update = p * running + ending * remainders
            state = self.layer(state)
            mixed = state * update.unsqueeze(-1) + mixed * (1 - update.unsqueeze(-1))
            step += 1
        return mixed, remainders, n_updates


def build_model():
    torch.manual_seed(0)
    model = AdaptiveTransformer().eval()
    with torch.no_grad():
        model.halting.weight.mul_(4)
    return model


def example_inputs():
    return (torch.zeros(1, 4, 16),)


def sample_inputs(count, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [(2 * torch.randn(1, 4, 16, generator=generator),) for _ in range(count)]


def decide(outputs):
    """How often each position was updated."""
    return tuple(outputs[2].ravel().tolist())
