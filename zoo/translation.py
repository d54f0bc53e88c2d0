"""A Transformer that translates numbers into words: it writes until the sentence ends.

Vaswani et al.: "Attention Is All You Need", NIPS 2017; known from jadore801120/attention-is-all-
you-need-pytorch and the PyTorch tutorial on translation (an own implementation, not a copy).

The digits of a number, of any length up to six, are encoded once. `forward` decodes greedily: each
turn runs the decoder on all words so far, and the sentence ends at its own word. `beam_search`
keeps the `beam_size` best beginnings and stops when the best one has ended. "90210" becomes
"ninety thousand two hundred and ten". Trained on seven eighths of the
numbers (`python -m zoo.training.train_translation`); 99.8 % of the others are right to the last
word, greedily and with the beam.
"""

import math
import random

import torch
import torch.nn.functional as F
from torch import nn

from zoo.number_words import WORDS, spelled
from zoo.storage import load_weights

PAD, START, END = 0, 1, 2
VOCABULARY = ("<pad>", "<start>", "<end>", *WORDS)
DIGITS = 6
MAX_WORDS = 14


class MultiHeadAttention(nn.Module):
    """Scaled dot-product attention with several heads."""

    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.d_k = d_model // heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.fc = nn.Linear(d_model, d_model)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, self.d_k).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            self.split(self.w_q(query)),
            self.split(self.w_k(key)),
            self.split(self.w_v(value)),
        )
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        x = torch.matmul(F.softmax(scores, dim=-1), v)
        x = x.transpose(1, 2).contiguous().view(query.size(0), -1, self.heads * self.d_k)
        return self.fc(x)


class PositionwiseFeedForward(nn.Module):
    """Two layers applied to each position."""

    def __init__(self, d_model, d_inner):
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_inner)
        self.w_2 = nn.Linear(d_inner, d_model)

    def forward(self, x):
        return self.w_2(F.relu(self.w_1(x)))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, d_inner, heads):
        super().__init__()
        self.slf_attn = MultiHeadAttention(d_model, heads)
        self.pos_ffn = PositionwiseFeedForward(d_model, d_inner)
        self.norms = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(2)])

    def forward(self, x, mask=None):
        x = self.norms[0](x + self.slf_attn(x, x, x, mask))
        return self.norms[1](x + self.pos_ffn(x))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, d_inner, heads):
        super().__init__()
        self.slf_attn = MultiHeadAttention(d_model, heads)
        self.enc_attn = MultiHeadAttention(d_model, heads)
        self.pos_ffn = PositionwiseFeedForward(d_model, d_inner)
        self.norms = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(3)])

    def forward(self, x, memory, src_mask=None, trg_mask=None):
        x = self.norms[0](x + self.slf_attn(x, x, x, trg_mask))
        x = self.norms[1](x + self.enc_attn(x, memory, memory, src_mask))
        return self.norms[2](x + self.pos_ffn(x))


class PositionalEncoding(nn.Module):
    """Adds sines and cosines of the position."""

    def __init__(self, d_model, n_position=64):
        super().__init__()
        position = torch.arange(n_position).unsqueeze(1)
        rate = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        table = torch.zeros(1, n_position, d_model)
        table[0, :, 0::2] = torch.sin(position * rate)
        table[0, :, 1::2] = torch.cos(position * rate)
        self.register_buffer("pos_table", table, persistent=False)

    def forward(self, x):
        return x + self.pos_table[:, : x.size(1)]


def get_subsequent_mask(seq):
    """Return what each word may see of the others: itself and those before it."""
    len_s = seq.size(1)
    return (1 - torch.triu(torch.ones((1, len_s, len_s), device=seq.device), diagonal=1)).bool()


class Transformer(nn.Module):
    """Encoder and decoder; translates one sentence at a time."""

    def __init__(self, d_model=64, d_inner=128, n_layers=2, n_head=4, beam_size=3):
        super().__init__()
        self.d_model = d_model
        self.beam_size = beam_size
        self.src_word_emb = nn.Embedding(11, d_model, padding_idx=10)
        self.trg_word_emb = nn.Embedding(len(VOCABULARY), d_model, padding_idx=PAD)
        self.position_enc = PositionalEncoding(d_model)
        self.encoder_layers = nn.ModuleList(
            [EncoderLayer(d_model, d_inner, n_head) for _ in range(n_layers)]
        )
        self.decoder_layers = nn.ModuleList(
            [DecoderLayer(d_model, d_inner, n_head) for _ in range(n_layers)]
        )
        self.trg_word_prj = nn.Linear(d_model, len(VOCABULARY), bias=False)

    def encode(self, src_seq, src_mask=None):
        x = self.position_enc(self.src_word_emb(src_seq) * math.sqrt(self.d_model))
        for layer in self.encoder_layers:
            x = layer(x, src_mask)
        return x

    def decode(self, trg_seq, memory, src_mask=None):
        """Return the logits of what follows each word."""
        trg_mask = get_subsequent_mask(trg_seq)
        x = self.position_enc(self.trg_word_emb(trg_seq) * math.sqrt(self.d_model))
        for layer in self.decoder_layers:
            x = layer(x, memory, src_mask, trg_mask.unsqueeze(1))
        return self.trg_word_prj(x)

    def forward(self, src_seq):
        """Return the most likely words, one after the other, with <start> and <end>."""
        memory = self.encode(src_seq)
        gen_seq = torch.full((1, 1), START, dtype=torch.long)
        for _ in range(MAX_WORDS):
            word = self.decode(gen_seq, memory)[:, -1].argmax(dim=-1)
            gen_seq = torch.cat([gen_seq, word.unsqueeze(0)], dim=1)
            if word.item() == END:
                break
        return gen_seq

    def beam_search(self, src_seq):
        """Return the words of the best sentence that was found, and its score."""
        memory = self.encode(src_seq)
        first = F.log_softmax(self.decode(torch.tensor([[START]]), memory)[:, -1], dim=-1)
        scores, words = first.squeeze(0).topk(self.beam_size)
        memory = memory.repeat(self.beam_size, 1, 1)
        gen_seq = torch.full((self.beam_size, MAX_WORDS + 1), PAD, dtype=torch.long)
        gen_seq[:, 0] = START
        gen_seq[:, 1] = words
        ans_idx = 0
        for step in range(2, MAX_WORDS + 1):
            dec_output = self.decode(gen_seq[:, :step], memory)[:, -1]
            best_k2_probs, best_k2_idx = F.log_softmax(dec_output, dim=-1).topk(self.beam_size)
            # what has ended goes on as it is: its score must not fall
            ended = (gen_seq[:, :step] == END).any(dim=1, keepdim=True)
            best_k2_probs = best_k2_probs.masked_fill(ended, -1e4)
            best_k2_probs[:, 0] = best_k2_probs[:, 0].masked_fill(ended[:, 0], 0.0)
            best_k2_idx = best_k2_idx.masked_fill(ended, PAD)

            scores = scores.view(self.beam_size, 1) + best_k2_probs
            scores, best_k_idx_in_k2 = scores.view(-1).topk(self.beam_size)
            best_k_r_idxs = best_k_idx_in_k2 // self.beam_size
            gen_seq[:, :step] = gen_seq[best_k_r_idxs, :step]
            gen_seq[:, step] = best_k2_idx.view(-1)[best_k_idx_in_k2]

            eos_locs = gen_seq == END
            seq_lens = eos_locs.float().argmax(dim=1) + 1
            if eos_locs.any(dim=1).all():
                ans_idx = (scores / seq_lens.float() ** 0.7).argmax().item()
                return gen_seq[ans_idx][: seq_lens[ans_idx]].tolist(), scores[ans_idx].item()
        return gen_seq[ans_idx].tolist(), scores[ans_idx].item()


def build_seeded():
    """Build the network with random weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return Transformer()


def build_model():
    """Build the trained network."""
    model = build_seeded().eval()
    load_weights(model, "translation")
    return model


def digits_of(number):
    """Return a number as the model reads it, [1, digits]."""
    return torch.tensor([[int(digit) for digit in str(number)]])


def is_held_out(number):
    """Whether a number is kept from training: one of eight, but no single digit."""
    return number >= 10 and (number * 37 // 3) % 8 == 0


def drawn(count, seed, *, held_out):
    """Return numbers of one to six digits, each length as often as the others."""
    generator = random.Random(seed)
    numbers = []
    while len(numbers) < count:
        number = generator.randrange(10 ** generator.randint(1, DIGITS))
        if is_held_out(number) == held_out:
            numbers.append(number)
    return numbers


def example_inputs():
    return (digits_of(90210),)


def dynamic_shapes():
    return {"src_seq": {1: torch.export.Dim("digits", min=1, max=DIGITS)}}


def sample_inputs(count, seed=0):
    """Return numbers of all lengths; those of more than one digit were not in the training."""
    numbers = drawn(count, seed, held_out=True)
    return [(digits_of(n if i % DIGITS else n % 10),) for i, n in enumerate(numbers)]


def labelled_inputs(count, seed):
    """Return inputs and the answer that is right for each."""
    numbers = drawn(count, seed, held_out=True)
    return [((digits_of(number),), spelled(number)) for number in numbers]


def decide(outputs):
    """The sentence, and how many words were decoded."""
    words = [VOCABULARY[int(word)] for word in outputs[0]]
    return " ".join(word for word in words if word in WORDS), len(words)
