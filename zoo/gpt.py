"""A small GPT that adds: it reads a sum and writes the result until it stops.

Radford et al.: "Language Models are Unsupervised Multitask Learners" (GPT-2), 2019; the module is
laid out as in karpathy/nanoGPT, the task is that of karpathy/minGPT's adder (an own implementation,
not a copy).

`generate` reads the whole prompt, of any length, once; after that each new token is one step over
the kept keys and values, which grow by one position each time, until the model writes the stop
token. The prompt "47+85=" is continued with "231;", the digits from the last to the first, as in
minGPT. Trained on seven eighths of the sums of two numbers up to 99
(`python -m zoo.training.train_gpt`); 99.6 % of the others are right to the last digit.
"""

import random
import zlib

import torch
import torch.nn.functional as F
from torch import nn

from zoo.storage import load_weights

CHARACTERS = "0123456789+=;"
STOP = CHARACTERS.index(";")
LARGEST = 99


class CausalSelfAttention(nn.Module):
    """Attends to this position and those before it, those of earlier calls included."""

    def __init__(self, n_embd, n_head):
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)

    def forward(self, x, past=None):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        if past is not None:
            past_k, past_v = past
            k = torch.cat((past_k, k), dim=2)
            v = torch.cat((past_v, v), dim=2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=past is None)
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y), (k, v)


class Block(nn.Module):
    """Attention and a perceptron, each with a norm before and a shortcut around."""

    def __init__(self, n_embd, n_head):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention(n_embd, n_head)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = nn.ModuleDict(
            dict(c_fc=nn.Linear(n_embd, 4 * n_embd), c_proj=nn.Linear(4 * n_embd, n_embd))
        )

    def forward(self, x, past=None):
        attended, present = self.attn(self.ln_1(x), past)
        x = x + attended
        x = x + self.mlp.c_proj(F.gelu(self.mlp.c_fc(self.ln_2(x))))
        return x, present


class GPT(nn.Module):
    """A decoder-only transformer with learned positions and tied embeddings."""

    def __init__(self, vocab_size=13, block_size=16, n_layer=3, n_head=4, n_embd=64):
        super().__init__()
        self.block_size = block_size
        self.transformer = nn.ModuleDict(
            dict(
                wte=nn.Embedding(vocab_size, n_embd),
                wpe=nn.Embedding(block_size, n_embd),
                h=nn.ModuleList([Block(n_embd, n_head) for _ in range(n_layer)]),
                ln_f=nn.LayerNorm(n_embd),
            )
        )
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)
        self.transformer.wte.weight = self.lm_head.weight

    def forward(self, idx, past=None):
        """Return the logits of what follows each token, and the keys and values of all layers."""
        start = 0 if past is None else past[0][0].size(2)
        assert start + idx.size(1) <= self.block_size, "the sequence does not fit the positions"
        pos = torch.arange(start, start + idx.size(1), device=idx.device)
        x = self.transformer.wte(idx) + self.transformer.wpe(pos)
        presents = []
        for i, block in enumerate(self.transformer.h):
            x, present = block(x, None if past is None else past[i])
            presents.append(present)
        return self.lm_head(self.transformer.ln_f(x)), presents

    @torch.no_grad()
    def generate(self, idx, max_new_tokens=8):
        """Return the prompt and what follows it, up to the stop token."""
        idx_cond, past = idx, None
        for _ in range(max_new_tokens):
            logits, past = self(idx_cond, past)
            idx_cond = logits[:, -1, :].argmax(dim=-1, keepdim=True)
            idx = torch.cat((idx, idx_cond), dim=1)
            if idx_cond.item() == STOP:
                break
        return idx


def build_seeded():
    """Build the network with random weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return GPT()


def build_model():
    """Build the trained network."""
    model = build_seeded().eval()
    load_weights(model, "gpt_adder")
    return model


def encode(text):
    """Return the tokens of a text, [1, length]."""
    return torch.tensor([[CHARACTERS.index(c) for c in text]])


def written(a, b):
    """Return a sum as the model should write it: prompt and result."""
    return f"{a}+{b}=", f"{str(a + b)[::-1]};"


def is_held_out(a, b):
    """Whether a sum is kept from training: one of eight, as if at random."""
    return zlib.crc32(f"{a}+{b}".encode()) % 8 == 0


def drawn(count, seed, *, held_out):
    """Return pairs of numbers of one to two digits."""
    generator = random.Random(seed)
    pairs = []
    while len(pairs) < count:
        pair = tuple(generator.randrange(generator.choice((10, LARGEST + 1))) for _ in range(2))
        if is_held_out(*pair) == held_out:
            pairs.append(pair)
    return pairs


def example_inputs():
    return (encode("47+85="),)


def dynamic_shapes():
    return {"idx": {1: torch.export.Dim("length", min=1, max=8)}}


def sample_inputs(count, seed=0):
    return [(encode(written(a, b)[0]),) for a, b in drawn(count, seed, held_out=True)]


def labelled_inputs(count, seed):
    """Return inputs and the answer that is right for each."""
    pairs = drawn(count, seed, held_out=True)
    texts = [written(a, b) for a, b in pairs]
    return [((encode(asked),), asked + answer) for asked, answer in texts]


def decide(outputs):
    """The text, what was asked and what was answered, and its length."""
    return "".join(CHARACTERS[int(i)] for i in outputs[0]), outputs.shape[1]
