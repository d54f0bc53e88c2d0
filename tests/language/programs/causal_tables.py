"""Decoders that cut their masks out of a table, by the length of a cache that grows."""

import torch
from torch import nn

from tests.language.harness import case

PROMPTS = [(torch.tensor([[1, 2, 3]]), n) for n in (2, 4, 1, 6, 0)]
ENDING = [(torch.tensor([[a, b, c]]),) for a, b, c in ((1, 2, 3), (3, 3, 0), (2, 1, 4), (0, 4, 4))]


class _Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 4)
        self.mix = nn.Linear(4, 12)
        self.head = nn.Linear(4, 5)
        self.register_buffer("bias", torch.tril(torch.ones(8, 8, dtype=torch.bool)))

    def attend(self, tokens, past):
        query, key, value = self.mix(self.embed(tokens)).split(4, dim=-1)
        if past is not None:
            key, value = torch.cat((past[0], key), 1), torch.cat((past[1], value), 1)
        weights = query @ key.transpose(1, 2)
        wide, long = query.size(-2), key.size(-2)
        allowed = self.bias[long - wide : long, :long]
        weights = torch.where(allowed, weights, torch.full([], -1e9))
        return self.head(weights.softmax(-1) @ value), (key, value)


@case(inputs=ENDING, slow=True)
class UntilTheEnd(_Decoder):
    """The last token's part of the table, which has no row for more tokens than it was made for"""

    def forward(self, tokens):
        past, steps, going = None, 0, True
        while going:
            given = tokens if past is None else tokens[:, past[0].shape[1] :]
            logits, past = self.attend(given, past)
            tokens = torch.cat((tokens, logits[:, -1:].argmax(-1)), 1)
            steps += 1
            going = bool(tokens[0, -1] != 4) and tokens.shape[1] < 8
        return tokens, steps


@case(inputs=ENDING)
class FromTheEnd(_Decoder):
    """What is given in each step is counted from the end"""

    def forward(self, tokens):
        past, wide = None, tokens.shape[1]
        while tokens[0, -1] != 4 and tokens.shape[1] < 5:
            logits, past = self.attend(tokens[:, -wide:], past)
            tokens = torch.cat((tokens, logits[:, -1:].argmax(-1)), 1)
            wide = tokens.shape[1] - past[0].shape[1]
        return tokens
