"""A universal transformer with adaptive computation time: each position halts when it is done.

Dehghani, Gouws, Vinyals, Uszkoreit, Kaiser: "Universal Transformers", ICLR 2019, with the halting
of Graves: "Adaptive Computation Time for Recurrent Neural Networks", 2016; known from
andreamad8/Universal-Transformer-Pytorch (an own implementation, not a copy).

One layer is applied again, with signals for position and time added, until every position's halting
probabilities add up to the threshold: the trip count of the loop is data. Trained with a cost for
each step by `zoo/training/train_adaptive_computation.py` on the generated reviews of
`zoo/phrases.py`: 93 % accuracy on held-out ones.
"""

import math

import torch
from torch import Tensor, nn

from zoo.bert_layers import extended_attention_mask
from zoo.phrases import LENGTH, VOCABULARY, labelled_reviews, sample_phrases
from zoo.storage import load_weights


def gen_timing_signal(length, channels, min_timescale=1.0, max_timescale=1.0e4):
    """Return sines and cosines of many wave lengths, [1, length, channels]."""
    position = torch.arange(length).float()
    num_timescales = channels // 2
    increment = math.log(max_timescale / min_timescale) / (num_timescales - 1)
    inv_timescales = min_timescale * torch.exp(torch.arange(num_timescales).float() * -increment)
    scaled_time = position.unsqueeze(1) * inv_timescales.unsqueeze(0)
    return torch.cat([torch.sin(scaled_time), torch.cos(scaled_time)], dim=1).unsqueeze(0)


class EncoderLayer(nn.Module):
    """A pre-normalised transformer layer; its attention takes an additive mask."""

    def __init__(self, dim, heads, hidden_dim):
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.feed_forward_norm = nn.LayerNorm(dim)
        self.feed_forward = nn.Sequential(
            nn.Linear(dim, hidden_dim), nn.ReLU(), nn.Linear(hidden_dim, dim)
        )

    def split_heads(self, x):
        return x.view(x.size(0), x.size(1), self.heads, x.size(2) // self.heads).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        q, k, v = map(self.split_heads, self.qkv(self.attention_norm(x)).chunk(3, dim=-1))
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(q.size(3)) + mask
        context = torch.matmul(torch.softmax(scores, dim=-1), v)
        context = context.permute(0, 2, 1, 3).contiguous().view(x.size())
        x = x + self.out(context)
        return x + self.feed_forward(self.feed_forward_norm(x))


class ACTBasic(nn.Module):
    """Applies a function again until all positions have halted."""

    def __init__(self, hidden_size, threshold=0.9):
        super().__init__()
        self.sigma = nn.Sigmoid()
        self.p = nn.Linear(hidden_size, 1)
        self.p.bias.data.fill_(1)
        self.threshold = threshold

    def forward(self, state, fn, time_enc, pos_enc, max_hop, mask):
        halting_probability = torch.zeros(state.shape[0], state.shape[1])
        remainders = torch.zeros(state.shape[0], state.shape[1])
        n_updates = torch.zeros(state.shape[0], state.shape[1])
        previous_state = torch.zeros_like(state)
        step = 0
        while ((halting_probability < self.threshold) & (n_updates < max_hop)).any():
            state = state + time_enc[:, : state.shape[1], :]
            state = state + pos_enc[:, step, :].unsqueeze(1).repeat(1, state.shape[1], 1)

            p = self.sigma(self.p(state)).squeeze(-1)
            # those that have not halted, those that halt in this step, those that go on
            still_running = (halting_probability < 1.0).float()
            after = halting_probability + p * still_running
            new_halted = (after > self.threshold).float() * still_running
            still_running = (after <= self.threshold).float() * still_running

            halting_probability = halting_probability + p * still_running
            remainders = remainders + new_halted * (1 - halting_probability)
            halting_probability = halting_probability + new_halted * remainders
            n_updates = n_updates + still_running + new_halted

            update_weights = (p * still_running + new_halted * remainders).unsqueeze(-1)
            state = fn(state, mask)
            previous_state = state * update_weights + previous_state * (1 - update_weights)
            step += 1
        return previous_state, (remainders, n_updates)


class UniversalTransformer(nn.Module):
    """Classifies reviews with one layer."""

    def __init__(self, dim=32, heads=4, max_hop=6, num_labels=3):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, dim, padding_idx=0)
        self.layer = EncoderLayer(dim, heads, 2 * dim)
        self.act_fn = ACTBasic(dim)
        self.max_hop = max_hop
        self.register_buffer("timing_signal", gen_timing_signal(LENGTH, dim), persistent=False)
        self.register_buffer("position_signal", gen_timing_signal(max_hop, dim), persistent=False)
        self.norm = nn.LayerNorm(dim)
        self.classifier = nn.Linear(dim, num_labels)

    def forward(self, tokens, attention_mask):
        """Return the logits, the remainders, and the updates of each position."""
        x = self.embedding(tokens)
        mask = extended_attention_mask(attention_mask, x.dtype)
        x, (remainders, n_updates) = self.act_fn(
            x, self.layer, self.timing_signal, self.position_signal, self.max_hop, mask
        )
        return self.classifier(self.norm(x)[:, 0]), remainders, n_updates


def build_seeded() -> UniversalTransformer:
    """Build the transformer untrained; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2019)
        return UniversalTransformer().eval()


def build_model() -> UniversalTransformer:
    """The classifier of reviews, trained."""
    model = build_seeded()
    load_weights(model, "adaptive_computation")
    return model


def example_inputs() -> tuple[Tensor, ...]:
    """One review, and which of its tokens are not padding."""
    return sample_phrases(1, 0)[0]


def sample_inputs(count: int, seed: int = 0) -> list[tuple[Tensor, ...]]:
    """Reviews from plain to intricate."""
    return sample_phrases(count, seed)


def labelled_inputs(count: int, seed: int) -> list[tuple[tuple[Tensor, ...], int]]:
    """Return reviews, each with what it says."""
    return labelled_reviews(count, seed)


def decide(outputs):
    """The class, and how often each position was updated."""
    return int(outputs[0].argmax()), tuple(outputs[2].ravel().tolist())
