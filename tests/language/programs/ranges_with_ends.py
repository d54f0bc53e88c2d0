"""torch.range, whose end is included."""

import torch

from tests.language.harness import case

X = torch.tensor([0.5, -1.0, 2.0])
WHOLE = [(X, 0, 4, 1), (X, 0, 7, 2), (X, 7, 0, -3), (X, 1, 1, 1), (X, 1, 0, 1), (X, 1, 2, 0)]
BROKEN = [(X, 0.0, 1.0, 0.1), (X, 1.0, 0.0, -0.3), (X, 0.0, 0.7, 0.1), (X, 2.0, 1.0, 0.5)]


@case(inputs=WHOLE, slow=True)
def by_integers(x, start, end, step):
    """Integers of run time and known ones give floats; a step away from the end raises"""
    return torch.range(1, 3) + x, torch.range(start, end, step), torch.range(0, len(x[x > 0]))


@case(inputs=BROKEN)
def by_floats(x, start, end, step):
    """As many as the quotient says, in double precision"""
    return torch.range(start, end, step=step), torch.range(0, 1, 0.25, device=x.device) * x[0]
