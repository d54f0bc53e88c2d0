"""Complex numbers in tensor code: rotary embeddings as Llama's code has them."""

from collections import namedtuple

import torch
from torch import nn

from tests.language.harness import case, noise

X = noise(1, 4, 2, 8)


def precompute_freqs_cis(dim, end, theta=10000.0):
    """Return the rotations of each position."""
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].float() / dim))
    freqs = torch.outer(torch.arange(end), freqs)
    return torch.polar(torch.ones_like(freqs), freqs)


def reshape_for_broadcast(freqs_cis, x):
    """Return the rotations in a shape that goes with x."""
    ndim = x.ndim
    assert 0 <= 1 < ndim  # known
    assert freqs_cis.shape == (x.shape[1], x.shape[-1])  # known
    shape = [d if i == 1 or i == ndim - 1 else 1 for i, d in enumerate(x.shape)]
    return freqs_cis.view(*shape)


def apply_rotary_emb(xq, xk, freqs_cis):
    """Return queries and keys, rotated."""
    xq_ = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], -1, 2))
    xk_ = torch.view_as_complex(xk.float().reshape(*xk.shape[:-1], -1, 2))
    freqs_cis = reshape_for_broadcast(freqs_cis, xq_)
    xq_out = torch.view_as_real(xq_ * freqs_cis).flatten(3)
    xk_out = torch.view_as_real(xk_ * freqs_cis).flatten(3)
    return xq_out.type_as(xq), xk_out.type_as(xk)


class _Rotary(nn.Module):
    def __init__(self):
        super().__init__()
        self.rotations = precompute_freqs_cis(8, 16)

    def rotate(self, x, rotations):
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        rotated = pairs * rotations.view(1, x.shape[1], 1, 4)
        return torch.view_as_real(rotated).flatten(3).type_as(x)


@case(inputs=[(X,), (-X,)])
class Rotated(_Rotary):
    """Weights of complex numbers, in straight-line code."""

    def forward(self, x):
        y = self.rotate(x, self.rotations[: x.shape[1]])
        return y if x.sum() > 0 else y * 2


@case(inputs=[(X,), (-X,), (X * 3,)])
class RotatedInEachLayer(_Rotary):
    """Complex numbers known at compile time, on both sides of branches."""

    def forward(self, x):
        rotations = self.rotations[: x.shape[1]]
        for _ in range(2):
            y = self.rotate(x, rotations)
            x = y + 1 if y.sum() > 0 else x + 2
        return x


@case(inputs=[(X, 0), (-X, 5), (X, 12)])
class RotatedFromAPosition(_Rotary):
    """The place in the text is known at run time."""

    def forward(self, x, start):
        y = self.rotate(x, self.rotations[start : start + 4])
        return y if y.sum() > 0 else -y


@case(inputs=[(X, 0), (-X, 5), (X * 2, 12)])
class RotationsAcrossBranches(_Rotary):
    """Rotations of a place known at run time cross the borders between branches."""

    def forward(self, x, start):
        rotations = self.rotations[start].expand(4, 4)
        for _ in range(2):
            y = self.rotate(x, rotations)
            x = y + 1 if y.sum() > 0 else x * 2
            rotations = rotations * 1j if x.mean() > 0.5 else rotations.conj()
        return x


@case(inputs=[(X[:, :1], 0), (-X[:, :1], 5), (X[:, :1], 11)])
class OnePosition(_Rotary):
    """The rotation of one position, which is known at run time, is viewed in other dimensions."""

    def forward(self, x, start):
        pairs = torch.view_as_complex(x.reshape(1, 1, 2, 4, 2))
        rotations = self.rotations[start : start + x.shape[1]]
        assert rotations.shape == (pairs.shape[1], pairs.shape[-1])  # known
        shape = [size if i in (1, 3) else 1 for i, size in enumerate(pairs.shape)]
        y = torch.view_as_real(pairs * rotations.view(*shape))
        return y if x.sum() > 0 else -y


class _Attention(nn.Module):
    def __init__(self, width, heads, kv_heads, longest):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = heads, kv_heads, width // heads
        self.wq = nn.Linear(width, heads * self.head_dim, bias=False)
        self.wk = nn.Linear(width, kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(width, kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(heads * self.head_dim, width, bias=False)
        self.cache_k = torch.zeros(1, longest, kv_heads, self.head_dim)
        self.cache_v = torch.zeros(1, longest, kv_heads, self.head_dim)

    def forward(self, x, start_pos, freqs_cis, mask):
        bsz, seqlen, _ = x.shape
        xq = self.wq(x).view(bsz, seqlen, self.heads, self.head_dim)
        xk = self.wk(x).view(bsz, seqlen, self.kv_heads, self.head_dim)
        xv = self.wv(x).view(bsz, seqlen, self.kv_heads, self.head_dim)
        xq, xk = apply_rotary_emb(xq, xk, freqs_cis)
        self.cache_k[:bsz, start_pos : start_pos + seqlen] = xk
        self.cache_v[:bsz, start_pos : start_pos + seqlen] = xv
        keys = self.cache_k[:bsz, : start_pos + seqlen]
        values = self.cache_v[:bsz, : start_pos + seqlen]
        repeats = self.heads // self.kv_heads
        keys = keys.repeat_interleave(repeats, dim=2).transpose(1, 2)
        values = values.repeat_interleave(repeats, dim=2).transpose(1, 2)
        scores = torch.matmul(xq.transpose(1, 2), keys.transpose(2, 3)) / self.head_dim**0.5
        if mask is not None:
            scores = scores + mask
        output = torch.matmul(torch.softmax(scores, dim=-1), values)
        return self.wo(output.transpose(1, 2).contiguous().view(bsz, seqlen, -1))


class _Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(11, 16)
        self.layers = nn.ModuleList([_Attention(16, 4, 2, 16)])
        self.head = nn.Linear(16, 11, bias=False)
        self.freqs_cis = precompute_freqs_cis(4, 32)

    def step(self, tokens, start_pos):
        _, seqlen = tokens.shape
        h = self.embed(tokens)
        freqs_cis = self.freqs_cis[start_pos : start_pos + seqlen]
        mask = None
        if seqlen > 1:
            mask = torch.full((seqlen, seqlen), float("-inf"))
            mask = torch.triu(mask, diagonal=1)
            mask = torch.hstack([torch.zeros((seqlen, start_pos)), mask]).type_as(h)
        for layer in self.layers:
            h = h + layer(h, start_pos, freqs_cis, mask)
        return self.head(h)


@case(inputs=[(torch.tensor([[1, 2, 3]]),), (torch.tensor([[7, 0, 9]]),)], slow=True)
class GreedyDecoding(_Decoder):
    """A prompt and then token by token, with caches that are written in place, until a token."""

    def forward(self, tokens):
        found = []
        logits = self.step(tokens, 0)
        token = logits[:, -1].argmax(-1)
        position = tokens.shape[1]
        while position < 12 and token.item() != 8:
            found.append(token.item())
            token = self.step(token[:, None], position)[:, -1].argmax(-1)
            position += 1
        return found


@case(inputs=[(X,), (-X,), (X * 3,)])
class KeptRotation(_Rotary):
    """Complex numbers are kept from one call to the next."""

    def __init__(self):
        super().__init__()
        self.phase = torch.ones(4, dtype=torch.complex64)

    def forward(self, x):
        if x.sum() > 0:
            self.phase = self.phase * self.rotations[1]
        else:
            self.phase = self.phase.conj()
        pairs = torch.view_as_complex(x.reshape(1, 4, 2, 4, 2))
        return torch.view_as_real(pairs * self.phase)


@case(inputs=[(X,), (-X,), (X,)], slow=True)
class KeptCache(_Rotary):
    """A cache of complex numbers is written in place."""

    def __init__(self):
        super().__init__()
        self.cache = torch.zeros(8, 2, 4, dtype=torch.complex64)

    def forward(self, x):
        pairs = torch.view_as_complex(x[0].reshape(4, 2, 4, 2))
        self.cache[4:] = self.cache[:4].clone()
        self.cache[:4] = pairs * self.rotations[:4, None]
        total = torch.view_as_real(self.cache.sum(0) + self.cache[6])
        return total if total.sum() > 0 else -total


Turned = namedtuple("Turned", "phase calls")


@case(inputs=[(X,), (-X,), (X * 3,), (X,)])
class KeptInNamedTuple(_Rotary):
    """Complex numbers are kept in a named tuple, beside a count."""

    def __init__(self):
        super().__init__()
        self.other = torch.ones(4, dtype=torch.complex64)
        self.turned = Turned(torch.ones(4, dtype=torch.complex64), 0)

    def forward(self, x):
        if x.sum() > 0:
            self.turned = Turned(self.other, self.turned.calls + 1)
        else:
            self.other = self.other * self.rotations[1]
        pairs = torch.view_as_complex(x.reshape(1, 4, 2, 4, 2))
        return torch.view_as_real(pairs * self.turned.phase), self.turned.calls


@case(inputs=[(X,), (-X,), (X,)], refused_on_host="DYCL405")
class KeptAndReturned(_Rotary):
    """Complex numbers that are kept are a part of the result too."""

    def __init__(self):
        super().__init__()
        self.phase = torch.ones(4, dtype=torch.complex64)

    def forward(self, x):
        if x.sum() > 0:
            self.phase = self.phase * self.rotations[1]
        return [self.phase, x]


@case(inputs=[(X, 2), (-X, 3), (X, 0)])
def turned(x, times):
    """A loop of unknown length turns complex numbers."""
    z = torch.view_as_complex(x.reshape(8, 4, 2))
    turn = torch.polar(torch.ones(4), torch.arange(4.0))
    for _ in range(times):
        z = z * turn
        if z.abs().max() > 3:
            z = z / 2
    return torch.view_as_real(z)


def _descend(z, depth):
    if depth <= 0 or z.real.sum() > 3:
        return z
    return _descend(z * 1j + 0.5, depth - 1)


@case(inputs=[(X, 2), (-X, 4), (X, 0)])
def descended(x, depth):
    """Complex numbers are arguments and results of a recursion."""
    z = torch.view_as_complex(x.reshape(8, 4, 2))
    return torch.view_as_real(_descend(z, depth))
