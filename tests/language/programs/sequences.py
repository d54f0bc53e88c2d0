"""Attention and sequence library functions behind branches."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from tests.language.harness import LARGE, NEGATIVE, POSITIVE, case, noise

@case(inputs=[(noise(1, 2, 4, 3),), (-noise(1, 2, 4, 3).abs(),)], slow=True)
def fused_attention(q):
    """F.scaled_dot_product_attention, with and without causality."""
    y = F.scaled_dot_product_attention(q, q, q, is_causal=True)
    if y.mean() > -0.3:
        y = F.scaled_dot_product_attention(q, y, y)
    return y


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def padded_rows(x):
    """pad_sequence over a list of rows of different length."""
    rows = [x[0], x[1, :2]]
    if x.sum() > 0:
        rows.append(x[0, :1])
    return pad_sequence(rows, batch_first=True)


@case(inputs=[(noise(1, 6, 3),), (noise(1, 6, 3) * 3 + 1,)])
class TemporalConvolution(nn.Module):
    """Conv1d, causal padding by F.pad, GLU and pooling over time."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(3, 6, 3)
        self.norm = nn.InstanceNorm1d(3, affine=True)

    def forward(self, x):
        y = F.glu(self.conv(F.pad(x.transpose(1, 2), (2, 0))), dim=1)
        if y.abs().mean() > 0.4:
            y = self.norm(y)
        return F.avg_pool1d(y, 2).amax(dim=-1)


@case(inputs=[(torch.tensor([[1, 5, 2]]),), (torch.tensor([[3, 3, 3]]),)])
class SinusoidalPositions(nn.Module):
    """Position tables as buffers, sliced by the length; embedding scale by math."""

    def __init__(self):
        super().__init__()
        angles = torch.arange(8)[:, None] / 10 ** torch.arange(2)[None]
        self.register_buffer("table", torch.cat([angles.sin(), angles.cos()], dim=1))
        self.embed = nn.Embedding(6, 4)

    def forward(self, tokens):
        x = self.embed(tokens) * self.embed.embedding_dim**0.5 + self.table[: tokens.size(1)]
        if tokens.unique().numel() > 1:
            x = F.layer_norm(x, x.shape[-1:])
        return x


@case(inputs=[(noise(2, 3, 4),), (noise(2, 3, 4) + 2,)], slow=True)
class DecoderLayer(nn.Module):
    """nn.TransformerDecoder with a causal mask behind a gate."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerDecoderLayer(4, 2, 8, batch_first=True)
        self.decoder = nn.TransformerDecoder(layer, 2)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.size(1))
        if x.mean() > 1:
            return self.decoder(x, x * 0.5)
        return self.decoder(x, x, tgt_mask=mask)


@case(inputs=[(POSITIVE,), (NEGATIVE,), (LARGE,)])
def beam_bookkeeping(scores):
    """Flattened top-k with // and % to find beam and token, gather of rows."""
    values, flat = scores.view(-1).topk(2)
    beams = torch.div(flat, scores.size(1), rounding_mode="floor")
    tokens = flat % scores.size(1)
    picked = scores.index_select(0, beams)
    if values[0] - values[1] > 1:
        return beams[:1], tokens[:1], picked[:1]
    return beams, tokens, picked.gather(1, tokens[:, None])


@case(inputs=[(noise(2, 3, 4),), (noise(2, 3, 4) + 2,)])
class WithoutWeights(nn.Module):
    """What attention gives in place of weights that nobody wants is None, on its fast path, too."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x):
        y, weights = self.attention(x, x, x, need_weights=False)
        if weights is None:  # known
            y = y + 1
        if x[0, 0, 0] > 0.5:
            y = y * 2
        return y, weights
