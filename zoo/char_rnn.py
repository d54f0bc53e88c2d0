"""A character RNN: it goes on with a beginning, letter by letter, until a stop character.

Graves: "Generating Sequences With Recurrent Neural Networks", 2013; well-known upstream repository:
karpathy/char-rnn, and spro/char-rnn.pytorch after it (an own implementation, not a copy).

`forward` is `generate` of upstream with the most likely character in place of a drawn one: the
beginning, of any length, warms up the hidden state; then each character is fed back, until a full
stop or `predict_len` characters. The network was trained on dates such as "monday the third of
may." (`python -m zoo.training.train_char_rnn`): 100 % of beginnings that break off
anywhere become dates.
"""

import random

import torch
from torch import nn

from zoo.storage import load_weights

ALL_CHARACTERS = "abcdefghijklmnopqrstuvwxyz -."
STOP = "."
LONGEST = 40

WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTHS = (
    "january february march april may june july august september october november december".split()
)
ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first "
    "twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh "
    "twenty-eighth twenty-ninth thirtieth"
).split()


class CharRNN(nn.Module):
    """Embedding, GRU and decoder; one character at a time."""

    def __init__(self, n_characters, hidden_size=96, n_layers=2):
        super().__init__()
        self.hidden_size = hidden_size
        self.n_layers = n_layers
        self.encoder = nn.Embedding(n_characters, hidden_size)
        self.rnn = nn.GRU(hidden_size, hidden_size, n_layers)
        self.decoder = nn.Linear(hidden_size, n_characters)

    def step(self, input, hidden):
        batch_size = input.size(0)
        encoded = self.encoder(input)
        output, hidden = self.rnn(encoded.view(1, batch_size, -1), hidden)
        return self.decoder(output.view(batch_size, -1)), hidden

    def init_hidden(self, batch_size):
        return torch.zeros(self.n_layers, batch_size, self.hidden_size)

    def forward(self, prime_input, predict_len=LONGEST):
        """Return the text that goes on from the beginning, which it includes."""
        hidden = self.init_hidden(1)
        predicted = ""
        for p in range(prime_input.size(0)):
            predicted += ALL_CHARACTERS[prime_input[p].item()]
            output, hidden = self.step(prime_input[p].view(1), hidden)
        for _ in range(predict_len):
            top_i = output.argmax(dim=1)
            predicted_char = ALL_CHARACTERS[top_i.item()]
            predicted += predicted_char
            if predicted_char == STOP:
                break
            output, hidden = self.step(top_i, hidden)
        return predicted


def build_seeded():
    """Build the network with random weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return CharRNN(len(ALL_CHARACTERS))


def build_model():
    """Build the trained network."""
    model = build_seeded().eval()
    load_weights(model, "char_rnn")
    return model


def char_tensor(text):
    """Return the characters' numbers, [length]."""
    return torch.tensor([ALL_CHARACTERS.index(character) for character in text])


def written(generator):
    """Return a date in words; any weekday goes with any day and month."""
    day, ordinal, month = (generator.choice(each) for each in (WEEKDAYS, ORDINALS, MONTHS))
    return f"{day} the {ordinal} of {month}."


def is_date(text):
    """Whether a text is a date as `written` writes them.

    >>> is_date("sunday the tenth of may.")
    True
    """
    kinds = (WEEKDAYS, ("the",), ORDINALS, ("of",), MONTHS)
    words = text.removesuffix(STOP).split(" ")
    if len(words) != len(kinds) or not text.endswith(STOP):
        return False
    return all(word in kind for word, kind in zip(words, kinds, strict=True))


def beginnings(count, seed):
    """Return dates that break off anywhere."""
    generator = random.Random(seed)
    dates = [written(generator) for _ in range(count)]
    return [date[: generator.randrange(1, len(date))] for date in dates]


def example_inputs():
    return (char_tensor("monday the t"),)


def dynamic_shapes():
    return {"prime_input": {0: torch.export.Dim("length", min=1, max=64)}}


def sample_inputs(count, seed=0):
    return [(char_tensor(text),) for text in beginnings(count, seed)]


def labelled_inputs(count, seed):
    """Return beginnings, each of which should become a date."""
    return [((char_tensor(text),), True) for text in beginnings(count, seed)]


def decide(outputs):
    """Whether it is a date, and the text."""
    return is_date(outputs), outputs
