"""Speculative decoding: a small model drafts tokens, the large one keeps those it agrees with.

Leviathan, Kalman, Matias: "Fast Inference from Transformers via Speculative Decoding", ICML 2023,
in its greedy form, where the result is exactly that of the large model alone; known from
feifeibear/LLMSpeculativeSampling (an own implementation, not a copy).

How many drafted tokens are kept differs from round to round, so the sequence grows by 1 to
`DRAFTS + 1` tokens each time. Weights are seeded; the draft model is a disturbed copy of the large
one's embedding and head with a single layer, so that drafts are often, not always, right.
"""

import torch
from torch import nn

DRAFTS = 3
LENGTH = 16
VOCABULARY = 12


class Decoder(nn.Module):
    """A causal transformer without cache."""

    def __init__(self, layers, dim=16):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, dim)
        self.positions = nn.Embedding(LENGTH + DRAFTS + 1, dim)
        self.attention = nn.ModuleList(nn.Linear(dim, 3 * dim) for _ in range(layers))
        self.mixing = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))
        self.head = nn.Linear(dim, VOCABULARY, bias=False)

    def forward(self, tokens):
        length = tokens.size(1)
        x = self.tokens(tokens) + self.positions(torch.arange(length))
        mask = torch.ones(length, length, dtype=torch.bool).triu(1)
        for attention, mixing in zip(self.attention, self.mixing, strict=True):
            q, k, v = attention(x).chunk(3, dim=-1)
            scores = (q @ k.transpose(1, 2) / 4).masked_fill(mask, float("-inf"))
            x = x + torch.tanh(mixing(scores.softmax(dim=-1) @ v))
        return self.head(x)


class Speculative(nn.Module):
    """Continues a prompt greedily with the large model, helped by the small one."""

    def __init__(self):
        super().__init__()
        self.large = Decoder(layers=2)
        self.small = Decoder(layers=1)

    def forward(self, prompt):
        """Return the prompt continued to `LENGTH` tokens, and the drafts kept in each round."""
        tokens = prompt
        kept = []
        while tokens.size(1) < LENGTH:
            draft = tokens
            for _ in range(DRAFTS):
                following = self.small(draft)[:, -1].argmax(dim=-1, keepdim=True)
                draft = torch.cat([draft, following], dim=1)
            start = tokens.size(1)
            checked = self.large(draft)[:, start - 1 :].argmax(dim=-1)
            accepted = 0
            while accepted < DRAFTS and draft[0, start + accepted] == checked[0, accepted]:
                accepted += 1
            kept.append(accepted)
            tokens = torch.cat([tokens, checked[:, : accepted + 1]], dim=1)
        return tokens[:, :LENGTH], kept


def build_model():
    torch.manual_seed(0)
    model = Speculative().eval()
    with torch.no_grad():
        for name in ("tokens", "positions", "head"):
            large, small = getattr(model.large, name), getattr(model.small, name)
            small.weight.copy_(large.weight + 0.1 * torch.randn_like(large.weight))
    return model


def example_inputs():
    return (torch.tensor([[1, 2, 3]]),)


def sample_inputs(count, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randint(0, VOCABULARY, (1, 3), generator=generator),) for _ in range(count)]


def decide(outputs):
    """The tokens, and how many drafts were kept in each round."""
    return tuple(outputs[0].ravel().tolist()), tuple(outputs[1])
