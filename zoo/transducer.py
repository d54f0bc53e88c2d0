"""Greedy decoding of an RNN transducer: at each frame, emit symbols until it says "blank".

Graves: "Sequence Transduction with Recurrent Neural Networks", 2012; the decoding loop is the one
of speech toolkits such as NVIDIA NeMo's greedy decoder (an own implementation, not a copy).

The prediction network runs only when a symbol was emitted: how often depends on what was said.
Weights are seeded, with a blank likely enough that some frames emit nothing and some emit several.
"""

import torch
from torch import nn

BLANK = 0
MAX_SYMBOLS = 3


class Transducer(nn.Module):
    """Encoder, prediction network and joint network."""

    def __init__(self, features=8, hidden=16, vocab_size=12):
        super().__init__()
        self.encoder = nn.LSTM(features, hidden, batch_first=True)
        self.embedding = nn.Embedding(vocab_size, hidden)
        self.prediction = nn.GRUCell(hidden, hidden)
        self.joint = nn.Sequential(nn.Tanh(), nn.Linear(hidden, vocab_size))

    def forward(self, frames):
        """Return the symbols, the frame each belongs to, and the score of all."""
        encoded, _ = self.encoder(frames)
        symbols, positions = [], []
        score = 0.0
        state = self.prediction(self.embedding(torch.tensor([BLANK])))
        for t in range(encoded.size(1)):
            for _ in range(MAX_SYMBOLS):
                logits = self.joint(encoded[:, t] + state).log_softmax(dim=1)
                best, symbol = logits.max(dim=1)
                score += best.item()
                if symbol.item() == BLANK:
                    break
                symbols.append(symbol.item())
                positions.append(t)
                state = self.prediction(self.embedding(symbol), state)
        return symbols, positions, score


def build_model():
    torch.manual_seed(0)
    model = Transducer().eval()
    with torch.no_grad():
        model.joint[1].weight.mul_(4)
        model.joint[1].bias[BLANK] += 2.2
    return model


def example_inputs():
    return (torch.zeros(1, 6, 8),)


def sample_inputs(count, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [(3 * torch.randn(1, 6, 8, generator=generator),) for _ in range(count)]


def decide(outputs):
    """The symbols."""
    return tuple(outputs[0])
