"""An LSTM that reads a text of any length, word by word.

Hochreiter, Schmidhuber: "Long Short-Term Memory", Neural Computation 1997; input 300 and hidden 512
with one and two layers are the sizes that compilers for dynamic networks are compared on, as in
Shen et al.: "Nimble: Efficiently Compiling Dynamic Neural Networks", MLSys 2021; cells in a loop as
in pytorch/examples, time_sequence_prediction (an own implementation, not a copy).

The loop over the words is Python's, as such models are written where something happens between two
steps: how often it turns is the length of the input. `build_fused` has the same network as one
`nn.LSTM` instead. Weights are seeded; the class depends on the text.
"""

import torch
from torch import nn

WORDS = 60
"""The longest sample text."""


class LSTMClassifier(nn.Module):
    """Steps its cells once for each word; classifies the last state."""

    def __init__(self, input_size=300, hidden_size=512, num_layers=1, num_classes=5):
        super().__init__()
        self.hidden_size = hidden_size
        self.cells = nn.ModuleList(
            [
                nn.LSTMCell(input_size if layer == 0 else hidden_size, hidden_size)
                for layer in range(num_layers)
            ]
        )
        self.output = nn.Linear(hidden_size, num_classes)

    def init_hidden(self, x):
        zeros = x.new_zeros(x.size(1), self.hidden_size)
        return [(zeros, zeros) for _ in self.cells]

    def forward(self, x):
        """Return the logits of the classes for words [length, batch, 300]."""
        states = self.init_hidden(x)
        for t in range(x.size(0)):
            inputs = x[t]
            for layer, cell in enumerate(self.cells):
                states[layer] = cell(inputs, states[layer])
                inputs = states[layer][0]
        return self.output(states[-1][0])


class FusedLSTMClassifier(nn.Module):
    """The same as one layer of the library."""

    def __init__(self, input_size=300, hidden_size=512, num_layers=1, num_classes=5):
        super().__init__()
        self.lstm = nn.LSTM(input_size, hidden_size, num_layers)
        self.output = nn.Linear(hidden_size, num_classes)

    def forward(self, x):
        _, (h, _) = self.lstm(x)
        return self.output(h[-1])


def _seeded(kind, num_layers):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = kind(num_layers=num_layers).eval()
    with torch.no_grad():
        model.output.weight.mul_(4)
    return model


def build_model():
    """Build the network with one layer."""
    return _seeded(LSTMClassifier, 1)


def build_two_layers():
    """Build the network with two layers."""
    return _seeded(LSTMClassifier, 2)


def build_fused():
    """Build two layers as one module of the library."""
    return _seeded(FusedLSTMClassifier, 2)


def example_inputs():
    return (torch.zeros(8, 1, 300),)


def dynamic_shapes():
    return {"x": {0: torch.export.Dim("length", min=1, max=512)}}


def sample_inputs(count, seed=0):
    """Return texts of 1 to 60 words."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, WORDS + 1, (count,), generator=generator).tolist()
    return [(torch.randn(length, 1, 300, generator=generator),) for length in lengths]


def decide(outputs):
    """The class."""
    return int(outputs.argmax())
