"""Loops under the progress bars of tqdm, which show nothing in a compiled program"""

import importlib.util
import sys
from pathlib import Path

import torch
from torch import nn

from tests.language.harness import POSITIVE, case, noise

if importlib.util.find_spec("tqdm") is None:  # pragma: no cover
    sys.path.append(str(Path(__file__).parents[2] / "doubles"))

import tqdm as whole  # noqa: E402
from tqdm import tqdm, trange  # noqa: E402
from tqdm.auto import tqdm as automatic  # noqa: E402
from tqdm.auto import trange as ranged  # noqa: E402

COUNTS = [(POSITIVE, 3), (POSITIVE, 0), (POSITIVE, 20)]


@case(inputs=COUNTS)
def over_ranges(x, n):
    """Ranges of known and of unknown length, under each name of the bar."""
    total = x
    for i in tqdm(range(4), desc="known"):
        total = total + i
    for i in trange(n, disable=True):
        total = total * 0.5 + i
    for i in automatic(range(1, n), leave=False):
        total = total + i
    for i in whole.tqdm(range(n, 0, -1)):
        total = total - i * 0.1
    for i in ranged(2, n, 3):
        total = total + i
    return total


@case(inputs=COUNTS)
def over_others(x, n):
    """Lists, rows, pairs of enumerate and zip, a generator, in loops and comprehensions."""
    total = 0.0
    for place, row in tqdm(enumerate(x), total=len(x), disable=None):
        total += place * row.sum()
    for place, row in enumerate(tqdm(x)):
        total += place + row[0]
    rows = [i for i in tqdm([i * 2 for i in range(n)]) if i != 2]
    both = [a + b for a, b in tqdm(zip(rows, range(3)), total=3)]
    return total, rows, both, sum(tqdm(i for i in rows)), list(trange(n)), len(tqdm(rows))


@case(inputs=COUNTS)
def told_more(x, n):
    """A bar that is told what to show, and counted by hand, in a with statement."""
    steps = tqdm(range(n))
    for i in steps:
        x = x * 0.9
        steps.set_description(f"step {i}")
        steps.set_postfix(loss=x.sum().item(), step=i)
    with tqdm(total=n) as bar:
        while bar.n < n:
            x = x + 1.0
            bar.update(1)
            if x.sum() > 60.0:
                break
    bar.close()
    return x, bar.n, bar.total


@case(inputs=COUNTS, may_refuse=True)
def of_iterators(x, n):
    """The length of a bar over an iterator is what it was told."""
    bar, other = tqdm(enumerate(x), total=7), tqdm(i for i in range(n))
    return len(bar), bar.total, other.total, bool(bar), len(tqdm(range(n)))


@case(inputs=[(POSITIVE, 3), (POSITIVE, 1)])
def written(x, n):
    """write() prints a line."""
    for i in trange(n):
        tqdm.write(f"step {i}")
    return x


@case(inputs=COUNTS, refused="DYCL046")
def asked_how_far(x, n):
    """How far a bar over something is depends on when it showed it last."""
    steps = tqdm(range(n))
    done = 0
    for _ in steps:
        done += steps.n  # <- refused
    return x, done


@case(inputs=[*COUNTS, (-POSITIVE, 2)])
def counted_where_shown(x, n):
    """A bar that is counted by hand and shown on a terminal only, also by a method handed on."""
    with tqdm(total=n, disable=None) as bar:
        told = bar.update
        for i in range(n):
            x = x * 0.9 + i
            if x.sum() > i:
                told()
            else:
                bar.update(2)
    bar.reset(total=3)
    return x, bar.total


@case(inputs=COUNTS, refused="DYCL046")
def asked_how_far_where_shown(x, n):
    """How far a bar is that counts on a terminal only depends on the terminal."""
    bar = tqdm(total=n, disable=None)
    bar.update()
    return x, bar.n  # <- refused


@case(inputs=[(noise(2, 4), torch.tensor([4.0, 2.0, 1.0, 0.0])), (noise(2, 4), torch.zeros(4))])
class Sampler(nn.Module):
    """A sampler of a diffusion model: Euler's method over a schedule."""

    def __init__(self):
        super().__init__()
        self.model = nn.Linear(4, 4)

    @torch.no_grad()
    def forward(self, x, sigmas, disable=None):
        for i in trange(len(sigmas) - 1, disable=disable):
            denoised = self.model(x) / (sigmas[i] + 1.0)
            d = (x - denoised) / (sigmas[i] + 0.1)
            x = x + d * (sigmas[i + 1] - sigmas[i])
            if sigmas[i + 1] == 0:
                x = x.clamp(-1.0, 1.0)
        return x
