"""CALM: a language model that runs as many layers for a token as it needs to be confident.

Schuster, Fisch, Gupta, Dehghani, Bahri, Tran, Tay, Metzler: "Confident Adaptive Language Modeling",
NeurIPS 2022; in PyTorch known from raymin0223/fast_robust_early_exit (an own implementation, not a
copy). Layers are trained to be left early as in facebookresearch/LayerSkip: one head for all of
them.

The prompt runs through all layers. Then, token by token, a layer is left as soon as the most likely
word leads the second by a margin; the margin asked for shrinks as the text grows. Layers above get
their keys and values from the state with which the token left (the paper's state propagation), so
that each layer's cache has all tokens. Trained by `zoo/training/train_calm.py` on two tasks that
the first token chooses between: repeat six letters, or write them in order. 99 % of held-out
prompts are answered without a mistake, at 1.3 of 4 layers a word.
"""

import math
from typing import Any

import torch
from torch import Tensor, nn

from zoo.storage import load_weights

PAD, END, REPEAT, SORT, GO = range(5)
LETTERS = range(5, 21)
VOCABULARY = 21
LENGTH = 6
POSITIONS = 2 * LENGTH + 4


class Attention(nn.Module):
    """Causal attention with a cache."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(dim, dim, bias=False)
        self.k = nn.Linear(dim, dim, bias=False)
        self.v = nn.Linear(dim, dim, bias=False)
        self.o = nn.Linear(dim, dim, bias=False)

    def shape(self, states):
        return states.view(states.size(0), -1, self.heads, states.size(2) // self.heads).transpose(
            1, 2
        )

    def key_value(self, hidden, past_key_value=None):
        """Return the keys and values of all tokens so far, these included."""
        key, value = self.shape(self.k(hidden)), self.shape(self.v(hidden))
        if past_key_value is not None:
            key = torch.cat([past_key_value[0], key], dim=2)
            value = torch.cat([past_key_value[1], value], dim=2)
        return key, value

    def forward(self, hidden, key_value, mask=None):
        query = self.shape(self.q(hidden))
        key, value = key_value
        scores = torch.matmul(query, key.transpose(3, 2)) / math.sqrt(query.size(3))
        if mask is not None:
            scores = scores + mask
        context = torch.matmul(torch.softmax(scores, dim=-1), value)
        context = context.transpose(1, 2).contiguous().view(hidden.size(0), -1, hidden.size(2))
        return self.o(context)


class Block(nn.Module):
    """A pre-normalised transformer layer."""

    def __init__(self, dim, heads, hidden_dim):
        super().__init__()
        self.attention_norm = nn.LayerNorm(dim)
        self.attention = Attention(dim, heads)
        self.feed_forward_norm = nn.LayerNorm(dim)
        self.wi = nn.Linear(dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, dim)

    def propagate(self, hidden, past_key_value):
        """Return the cache with this token in it, without running the layer."""
        return self.attention.key_value(self.attention_norm(hidden), past_key_value)

    def forward(self, hidden, past_key_value=None, mask=None):
        normed = self.attention_norm(hidden)
        present_key_value = self.attention.key_value(normed, past_key_value)
        hidden = hidden + self.attention(normed, present_key_value, mask)
        hidden = hidden + self.wo(torch.relu(self.wi(self.feed_forward_norm(hidden))))
        return hidden, present_key_value


class ConfidentDecoder(nn.Module):
    """A decoder whose depth differs from token to token."""

    def __init__(self, layers=4, dim=48, heads=4, confidence=0.95, temperature=4.0):
        super().__init__()
        self.embed_tokens = nn.Embedding(VOCABULARY, dim)
        self.embed_positions = nn.Embedding(POSITIONS, dim)
        self.block = nn.ModuleList([Block(dim, heads, 2 * dim) for _ in range(layers)])
        self.final_norm = nn.LayerNorm(dim)
        self.lm_head = nn.Linear(dim, VOCABULARY, bias=False)
        self.confidence = confidence
        self.temperature = temperature

    def embed(self, tokens, start):
        positions = torch.arange(start, start + tokens.size(1))
        return self.embed_tokens(tokens) + self.embed_positions(positions)

    def threshold(self, step, max_new_tokens):
        """Return the margin asked for: later words may be less sure (the paper's decay)."""
        decay = math.exp(-self.temperature * step / max_new_tokens)
        return min(max(0.9 * self.confidence + 0.1 * decay, 0.0), 1.0)

    def is_confident(self, logits, threshold):
        probs = torch.softmax(logits, dim=-1)
        top_2 = torch.topk(probs, dim=-1, k=2)[0]
        return bool((top_2[..., 0] - top_2[..., 1]).item() >= threshold)

    def train_forward(self, tokens):
        """Return the logits of every layer for every token: all that training needs."""
        length = tokens.size(1)
        hidden = self.embed(tokens, 0)
        mask = torch.full((length, length), float("-inf")).triu(1)
        outputs = []
        for layer in self.block:
            hidden, _ = layer(hidden, None, mask)
            outputs.append(self.lm_head(self.final_norm(hidden)))
        return outputs

    def prefill(self, prompt):
        """Run the prompt through all layers; return the next word's logits and the caches."""
        length = prompt.size(1)
        hidden = self.embed(prompt, 0)
        mask = torch.full((length, length), float("-inf")).triu(1)
        past_key_values = []
        for layer in self.block:
            hidden, present_key_value = layer(hidden, None, mask)
            past_key_values.append(present_key_value)
        return self.lm_head(self.final_norm(hidden[:, -1])), past_key_values

    def decode(self, token, threshold, past_key_values):
        """Return the next word's logits, the caches, and how many layers were run."""
        past_length = past_key_values[0][0].size(2)
        hidden = self.embed(token, past_length)
        skip = False
        present_key_values = []
        layers_run = 0
        logits = None
        for layer, past_key_value in zip(self.block, past_key_values, strict=True):
            if skip:
                present_key_values.append(layer.propagate(hidden, past_key_value))
                continue
            hidden, present_key_value = layer(hidden, past_key_value)
            present_key_values.append(present_key_value)
            layers_run += 1
            logits = self.lm_head(self.final_norm(hidden[:, -1]))
            if self.is_confident(logits, threshold):
                skip = True
        return logits, present_key_values, layers_run

    @torch.no_grad()
    def forward(self, prompt, max_new_tokens):
        """Return the words up to the end, and the layers run for each of them."""
        logits, past_key_values = self.prefill(prompt)
        words, depths = [], []
        for step in range(max_new_tokens):
            token = logits.argmax(dim=-1, keepdim=True)
            if token.item() == END:
                break
            words.append(token.item())
            threshold = self.threshold(step, max_new_tokens)
            logits, past_key_values, layers_run = self.decode(token, threshold, past_key_values)
            depths.append(layers_run)
        return words, depths


def build_seeded() -> ConfidentDecoder:
    """Build the decoder untrained; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2022)
        return ConfidentDecoder().eval()


def build_model() -> ConfidentDecoder:
    """The decoder, trained to repeat and to sort."""
    model = build_seeded()
    load_weights(model, "calm")
    return model


def labelled_sequences(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return prompts [count, 1 + LENGTH + 1] and what is to be written, END last."""
    generator = torch.Generator().manual_seed(seed)
    letters = torch.randint(LETTERS.start, LETTERS.stop, (count, LENGTH), generator=generator)
    task = torch.randint(REPEAT, SORT + 1, (count, 1), generator=generator)
    prompts = torch.cat([task, letters, torch.full((count, 1), GO)], dim=1)
    written = torch.where(task == SORT, letters.sort(dim=1).values, letters)
    return prompts, torch.cat([written, torch.full((count, 1), END)], dim=1)


def labelled_inputs(count: int, seed: int) -> list[tuple[tuple[Any, ...], tuple[int, ...]]]:
    """Return prompts and how many words may follow, each with the words that should."""
    prompts, written = labelled_sequences(count, seed)
    rows = zip(prompts.split(1), written.tolist(), strict=True)
    return [((prompt, LENGTH + 1), tuple(words[:-1])) for prompt, words in rows]


def example_inputs() -> tuple[Any, ...]:
    """One prompt, and how many words may follow."""
    return labelled_inputs(1, 0)[0][0]


def sample_inputs(count: int, seed: int = 0) -> list[tuple[Any, ...]]:
    """Prompts of both tasks."""
    return [inputs for inputs, _ in labelled_inputs(count, seed)]


def decide(outputs):
    """The words, and the layers run for each of them."""
    words, depths = outputs
    return tuple(words), tuple(depths)
