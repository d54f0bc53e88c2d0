"""GRU encoder and decoder with attention: reads a number, writes it in Roman numerals.

Bahdanau, Cho, Bengio: "Neural Machine Translation by Jointly Learning to Align and Translate",
ICLR 2015, and Luong, Pham, Manning: "Effective Approaches to Attention-based Neural Machine
Translation", EMNLP 2015; known from the PyTorch tutorial on translation with a sequence to sequence
network and attention, and from bentrevett/pytorch-seq2seq (an own implementation, not a copy).

As in the tutorial, sentences are words of a `Lang`, and decoding appends the word of each step to
a list until "<EOS>": "1994" becomes "M C M X C I V <EOS>". Inputs have one to four digits. Trained
on seven eighths of the numbers below 4000 (`python -m zoo.training.train_seq2seq`); both
are right on 100 % of the others.
"""

import random

import torch
import torch.nn.functional as F
from torch import nn

from zoo.storage import load_weights

SOS_token = 0
EOS_token = 1
MAX_LENGTH = 17
LARGEST = 3999


class Lang:
    """The words of a language and their numbers."""

    def __init__(self, words):
        self.word2index = {}
        self.index2word = {SOS_token: "<SOS>", EOS_token: "<EOS>"}
        self.n_words = 2
        for word in words:
            self.addWord(word)

    def addWord(self, word):
        if word not in self.word2index:
            self.word2index[word] = self.n_words
            self.index2word[self.n_words] = word
            self.n_words += 1

    def tensor(self, words):
        """Return a sentence as numbers with its end, [1, words]."""
        return torch.tensor([[self.word2index[word] for word in words] + [EOS_token]])


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.dropout = nn.Dropout(0.1)

    def forward(self, input):
        embedded = self.dropout(self.embedding(input))
        output, hidden = self.gru(embedded)
        return output, hidden


class BahdanauAttention(nn.Module):
    """Scores by a small network over the query and each key."""

    def __init__(self, hidden_size):
        super().__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        weights = F.softmax(scores.squeeze(2).unsqueeze(1), dim=-1)
        return torch.bmm(weights, keys), weights


class LuongAttention(nn.Module):
    """Scores by a product of the query and each key: "dot" or "general"."""

    def __init__(self, method, hidden_size):
        super().__init__()
        if method not in ("dot", "general"):
            raise ValueError(f"{method} is not an attention method")
        self.method = method
        if method == "general":
            self.Wa = nn.Linear(hidden_size, hidden_size, bias=False)

    def forward(self, query, keys):
        if self.method == "general":
            query = self.Wa(query)
        weights = F.softmax(torch.bmm(query, keys.transpose(1, 2)), dim=-1)
        return torch.bmm(weights, keys), weights


class BahdanauDecoderRNN(nn.Module):
    """Looks where the last state says, then steps the GRU."""

    def __init__(self, hidden_size, output_size):
        super().__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = BahdanauAttention(hidden_size)
        self.gru = nn.GRU(2 * hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, input, hidden, encoder_outputs):
        context, attn_weights = self.attention(hidden.permute(1, 0, 2), encoder_outputs)
        input_gru = torch.cat((self.embedding(input), context), dim=2)
        output, hidden = self.gru(input_gru, hidden)
        return self.out(output), hidden, attn_weights


class LuongDecoderRNN(nn.Module):
    """Steps the GRU, then looks where its output says."""

    def __init__(self, attn_model, hidden_size, output_size):
        super().__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.attn = LuongAttention(attn_model, hidden_size)
        self.concat = nn.Linear(2 * hidden_size, hidden_size)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, input, hidden, encoder_outputs):
        rnn_output, hidden = self.gru(self.embedding(input), hidden)
        context, attn_weights = self.attn(rnn_output, encoder_outputs)
        concat_output = torch.tanh(self.concat(torch.cat((rnn_output, context), dim=2)))
        return self.out(concat_output), hidden, attn_weights


class Translator(nn.Module):
    """Encoder, decoder and the words of both languages."""

    def __init__(self, input_lang, output_lang, attention, hidden_size=64):
        super().__init__()
        self.output_lang = output_lang
        self.encoder = EncoderRNN(input_lang.n_words, hidden_size)
        if attention == "bahdanau":
            self.decoder = BahdanauDecoderRNN(hidden_size, output_lang.n_words)
        else:
            self.decoder = LuongDecoderRNN(attention, hidden_size, output_lang.n_words)

    def forward(self, input_tensor):
        """Return the decoded words and where the decoder looked for each."""
        encoder_outputs, decoder_hidden = self.encoder(input_tensor)
        decoder_input = torch.tensor([[SOS_token]])
        decoded_words = []
        decoder_attentions = torch.zeros(MAX_LENGTH, input_tensor.size(1))
        for di in range(MAX_LENGTH):
            decoder_output, decoder_hidden, decoder_attention = self.decoder(
                decoder_input, decoder_hidden, encoder_outputs
            )
            decoder_attentions[di] = decoder_attention[0, 0]
            topv, topi = decoder_output.topk(1)
            if topi.item() == EOS_token:
                decoded_words.append("<EOS>")
                break
            decoded_words.append(self.output_lang.index2word[topi.item()])
            decoder_input = topi.squeeze(2).detach()
        return decoded_words, decoder_attentions[: di + 1]


DIGITS = Lang("0123456789")
ROMAN = Lang("IVXLCDM")


def build_seeded(attention):
    """Build the network with random weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return Translator(DIGITS, ROMAN, attention)


def build_model():
    """Build the trained network with Bahdanau's attention."""
    model = build_seeded("bahdanau").eval()
    load_weights(model, "seq2seq_bahdanau")
    return model


def build_luong():
    """Build the trained network with Luong's attention."""
    model = build_seeded("general").eval()
    load_weights(model, "seq2seq_luong")
    return model


def roman(number):
    """Return a number in Roman numerals.

    >>> roman(1994)
    'MCMXCIV'
    """
    values = (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)
    symbols = "M CM D CD C XC L XL X IX V IV I".split()
    text = ""
    for value, symbol in zip(values, symbols, strict=True):
        count, number = divmod(number, value)
        text += symbol * count
    return text


def is_held_out(number):
    """Whether a number is kept from training: one of eight, but no single digit."""
    return number >= 10 and (number * 37 // 3) % 8 == 0


def drawn(count, seed, *, held_out):
    """Return numbers of one to four digits, long ones more often."""
    generator = random.Random(seed)
    numbers = []
    while len(numbers) < count:
        number = generator.randint(1, generator.choice((9, 99, 999, LARGEST, LARGEST)))
        if is_held_out(number) == held_out:
            numbers.append(number)
    return numbers


def example_inputs():
    return (DIGITS.tensor("1994"),)


def dynamic_shapes():
    return {"input_tensor": {1: torch.export.Dim("words", min=2, max=5)}}


def sample_inputs(count, seed=0):
    """Return numbers of all lengths; those of more than one digit were not in the training."""
    numbers = drawn(count, seed, held_out=True)
    return [(DIGITS.tensor(str(n if i % 5 else i % 9 + 1)),) for i, n in enumerate(numbers)]


def labelled_inputs(count, seed):
    """Return inputs and the answer that is right for each."""
    numbers = drawn(count, seed, held_out=True)
    return [((DIGITS.tensor(str(number)),), roman(number)) for number in numbers]


def decide(outputs):
    """The numeral, and how many words were decoded."""
    words = outputs[0]
    return "".join(words).removesuffix("<EOS>"), len(words)
