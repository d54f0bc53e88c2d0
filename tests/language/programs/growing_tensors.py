"""Tensors that grow or shrink in loops, and tensors of different sizes that join."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case, noise


@case(inputs=[(noise(1, 3, seed=s), n) for s in (0, 1) for n in (0, 1, 4)])
def grows_by_number(x, n):
    """A sequence that is one longer after each turn; its length and the counter stay related."""
    t = 0
    while t < n:
        x = torch.cat([x, x[:, -1:] * 2], 1)
        t = t + 1
    return x, x.size(1) - t, t


@case(inputs=[(torch.tensor([[1, 2]]),), (torch.tensor([[5, 0]]),), (torch.tensor([[3, 4]]),)])
class GreedyDecoder(nn.Module):
    """Greedy decoding of at most 40 tokens, until the end token."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(6, 8)
        self.head = nn.Linear(8, 6)

    def forward(self, tokens):
        for _ in range(40):
            hidden = self.embedding(tokens).mean(1)
            token = (self.head(hidden) + tokens.size(1) % 5).argmax(-1, keepdim=True)
            token = (token + tokens.size(1)) % 6
            tokens = torch.cat([tokens, token], dim=1)
            if token.item() == 5:
                break
        return tokens, tokens.size(1)


@case(inputs=[(torch.tensor([[1, 2]]),), (torch.tensor([[5, 0]]),)])
class TransformerDecoder(nn.Module):
    """Transformer decoding with a subsequent mask made anew in each step."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(6, 8)
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
        self.head = nn.Linear(8, 6)

    def subsequent_mask(self, size):
        return torch.triu(torch.ones(1, size, size), diagonal=1).type(torch.uint8) == 0

    def decode(self, ys):
        mask = self.subsequent_mask(ys.size(1))
        h = self.embedding(ys)
        scores = self.q(h) @ self.k(h).transpose(-2, -1)
        weights = scores.masked_fill(mask == 0, -1e9).softmax(dim=-1)
        return weights @ self.v(h)

    def forward(self, src):
        ys = torch.zeros(1, 1).type_as(src)
        for _ in range(20):
            out = self.decode(ys) + self.embedding(src).mean(1, keepdim=True)
            word = self.head(out[:, -1]).argmax(dim=1).item()
            word = (word + ys.size(1)) % 6
            ys = torch.cat([ys, torch.zeros(1, 1).type_as(src).fill_(word)], dim=1)
            if word == 4:
                break
        return ys


@case(inputs=[(noise(4, 3),), (noise(4, 3, seed=1),), (-noise(4, 3).abs(),), (noise(4, 3).abs(),)])
def shrinks_by_mask(x):
    """Rows leave a batch as they finish, until none is left or two turns are done."""
    turns = 0
    while x.size(0) > 0 and turns < 2:
        x = x[x.sum(1) > 0] - 0.5
        turns += 1
    return x, turns


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def different_sizes_join(x):
    """After an if tensors differ in size; the code after works for both."""
    if x.sum() > 1:
        y = torch.cat([x, x], 1)
    else:
        y = x[:, :1]
    return y * 2, y.size(1), y.sum(1)


@case(inputs=[(POSITIVE, n) for n in (0, 1, 3, 12)])
def many_sizes_join(x, n):
    """An unrolled loop that leaves early with tensors of many sizes."""
    total = x
    for step in range(12):
        if step == n:
            break
        total = torch.cat([total, x[:, :1] + step], 1)
    return total, total.shape[1]


@case(inputs=[(noise(2, 3, seed=s),) for s in range(4)], slow=True)
class KeyValueCache(nn.Module):
    """Keys and values of earlier steps are kept and attended to."""

    def __init__(self):
        super().__init__()
        self.k, self.v, self.q = nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        keys, values = torch.zeros(2, 0, 3), torch.zeros(2, 0, 3)
        steps = 0
        while steps < 20:
            keys = torch.cat([keys, self.k(x).unsqueeze(1)], 1)
            values = torch.cat([values, self.v(x).unsqueeze(1)], 1)
            weights = (self.q(x).unsqueeze(1) @ keys.transpose(1, 2)).softmax(-1)
            x = x + (weights @ values).squeeze(1)
            steps += 1
            if x.abs().max() > 3:
                break
        return x, keys.shape, steps
