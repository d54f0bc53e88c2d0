"""torch.distributions: their source is evaluated, with the checks of arguments that it makes"""

import torch
from torch import nn
from torch.distributions import (
    Categorical,
    Independent,
    Normal,
    TanhTransform,
    TransformedDistribution,
    kl_divergence,
)

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]
INVALID = [(POSITIVE,), (NEGATIVE,), (torch.full_like(POSITIVE, torch.nan),)]


@case(inputs=INVALID, messages=False)
def density(x):
    """A scale that is not above zero, and a mean that is no number, are ValueErrors"""
    return Normal(x.abs(), x).log_prob(x + 1)


@case(inputs=ROWS)
class Policy(nn.Module):
    """Probabilities that are computed when they are first asked for, and their entropy"""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 4)

    def forward(self, x):
        policy = Categorical(logits=self.layer(x))
        action = policy.probs.argmax(-1)
        if policy.entropy().mean() > 1.2:
            return action, policy.log_prob(action)
        return action, policy.entropy()


@case(inputs=ROWS)
class Divergence(nn.Module):
    """The divergence of a distribution made in the call from one of the model"""

    def __init__(self):
        super().__init__()
        self.prior = Normal(torch.zeros(3), torch.ones(3))

    def forward(self, x):
        near = kl_divergence(Normal(x, x.abs() + 1), self.prior).sum(-1)
        return near if x.sum() > 0 else near / 2


def _normal(x):
    return Normal(x, 1.0, validate_args=False)


@case(inputs=ROWS)
def no_formula(x):
    """Two classes for which there is no formula"""
    try:
        return kl_divergence(Categorical(logits=x, validate_args=False), _normal(x))
    except NotImplementedError as error:
        return x, str(error)


@case(inputs=ROWS)
def composed(x):
    """Independent dimensions, and a transformed distribution"""
    rows = Independent(Normal(x, 1.0), 1)
    squashed = TransformedDistribution(Normal(x, 1.0), [TanhTransform()])
    if x.sum() > 0:
        return rows.log_prob(x + 1), rows.mean
    return squashed.log_prob(torch.full_like(x, 0.5))  , rows.variance


@case(inputs=ROWS, may_refuse=True)
def sample(x):
    """A sample is a random number"""
    return Normal(x, 1.0).rsample()  # <- refused


@case(inputs=ROWS, may_refuse=True)
def loss_with_weights(x):
    """A module of torch's that holds a tensor of run time is not made"""
    loss = nn.BCEWithLogitsLoss(pos_weight=x[0].abs())  # <- refused
    return loss(x, x)


@case(inputs=ROWS, may_refuse=True)
def table_of_tensors(x):
    """Nor is any other object of a library that holds one"""
    table = torch.utils.data.TensorDataset(x)  # <- refused
    return table[0][0]
