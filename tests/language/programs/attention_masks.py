"""Masks in torch's own attention layers, which take a fast path outside of training."""

import torch
from torch import nn

from tests.language.harness import case, noise

AT_THE_END = torch.tensor([[False, False, True, True], [False, True, True, True]])
NONE = torch.zeros(2, 4, dtype=torch.bool)
INSIDE = torch.tensor([[False, True, False, True], [True, False, False, False]])
ONE_ROW = torch.tensor([[True, True, True, True], [False, False, True, True]])
EVERYTHING = torch.ones(2, 4, dtype=torch.bool)
PADDINGS = [AT_THE_END, NONE, INSIDE, ONE_ROW, EVERYTHING]
TRIANGLE = torch.full((5, 5), -torch.inf).triu(1)
LOW, HIGH = noise(2, 4, 4).clamp(max=0), noise(2, 4, 4).abs() + 0.6
LOST = torch.cat([LOW[:, :-1], torch.full((2, 1, 4), torch.nan)], dim=1)
MASKS = [torch.eye(4, dtype=torch.bool), torch.tensor([True] * 4 + [False] * 12).reshape(4, 4)]


class Encoder(nn.Module):
    """An encoder and a branch behind it."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(4), **self.options)

    def forward(self, x, padding):
        y = self.encoder(x, src_key_padding_mask=padding)
        if x[0, 0, 0] > 0.5:
            y = y * 2
        return y


@case(inputs=[(x, padding) for padding in PADDINGS for x in (LOW, LOST, HIGH)], rounds=True)
class PaddedEncoder(Encoder):
    """TransformerEncoder leaves padding at the end out: 0 before its norm, whatever it held."""

    options = {}


class Inner(nn.Module):
    """A module around attention."""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x, mask):
        return self.attention(x, x, x, attn_mask=mask, need_weights=False)[0] + self.layer(x, mask)


@case(inputs=[(x, mask) for mask in MASKS for x in (LOW, HIGH)], rounds=True)
class MasksInside(nn.Module):
    """Attention within a module of the user's that has no test."""

    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x, mask):
        y = self.inner(x, mask)
        if x[0, 0, 0] > 0.5:
            y = y * 2
        return y


@case(inputs=[(x, padding) for padding in PADDINGS for x in (LOW, HIGH)], rounds=True, slow=True)
class UncheckedPadding(Encoder):
    """Without mask_check, as many positions as are no padding are kept, from the first on."""

    options = {"mask_check": False}


@case(inputs=[(x, padding) for padding in PADDINGS for x in (LOW, HIGH)], rounds=True, slow=True)
class WithoutNestedTensors(Encoder):
    """Without nested tensors padding is masked, and its own results are kept."""

    options = {"enable_nested_tensor": False}


@case(
    inputs=[(x, padding.float() * -2) for padding in PADDINGS for x in (LOW, HIGH)],
    dynamic_shapes=({0: "batch", 1: "length"}, {0: "batch", 1: "length"}),
    rounds=True,
    slow=True,
)
class PaddingOfNumbers(Encoder):
    """Padding given as numbers: all but 0 is padding, at sequences of any length."""

    options = {}


@case(inputs=[(x, mask) for mask in MASKS for x in (LOW, HIGH)], rounds=True)
class MaskedEncoder(nn.Module):
    """A mask for all positions: no nested tensors, and NaN where all is masked."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x, mask):
        y = self.encoder(x, mask, src_key_padding_mask=x[..., 0] < -2)
        if x[0, 0, 0] > 0.5:
            y = y * 2
        return y


@case(inputs=[(x, bias) for bias in (noise(4, 4), torch.eye(4) * 3) for x in (LOW, HIGH)], rounds=True)
class MaskOfNumbers(nn.Module):
    """A mask of numbers in an encoder layer masks where it is not 0."""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)

    def forward(self, x, bias):
        y = self.layer(x, bias)
        if x[0, 0, 0] > 0.5:
            y = self.layer(y)
        return y


@case(inputs=[(x, bias) for bias in (noise(4, 4), torch.eye(4) * 3) for x in (LOW, HIGH)])
class MaskBehind(nn.Module):
    """The same layers with the batch behind take no fast path: numbers are added."""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(4, 2, 8)

    def forward(self, x, bias):
        y = self.layer(x.transpose(0, 1), bias)
        if x[0, 0, 0] > 0.5:
            y = y * 2
        return y


@case(inputs=[(x, mask) for mask in MASKS for x in (LOW, HIGH)], rounds=True)
class MaskedAttention(nn.Module):
    """Attention without weights: NaN where all is masked, but 0 for other queries than keys."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x, mask):
        y, weights = self.attention(x, x, x, attn_mask=mask, need_weights=False)
        if weights is None:  # known
            y = y + 1
        z, _ = self.attention(x + 1, x, x, attn_mask=mask, need_weights=False)
        if x[0, 0, 0] > 0.5:
            y = y * 2
        return y, z, self.attention(x, x, x, attn_mask=mask)


@case(inputs=[(x, padding) for padding in PADDINGS for x in (LOW, HIGH)], rounds=True, slow=True)
class PaddedTransformer(nn.Module):
    """nn.Transformer: its encoder leaves the padding out, its decoder's masks are as shown."""

    def __init__(self):
        super().__init__()
        self.transformer = nn.Transformer(4, 2, 1, 1, 8, batch_first=True)

    def forward(self, x, padding):
        causal = nn.Transformer.generate_square_subsequent_mask(4)
        y = self.transformer(
            x,
            x * 2,
            tgt_mask=causal,
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
            tgt_is_causal=True,
        )
        if x[0, 0, 0] > 0.5:
            y = y * 2
        return y


class Gated(nn.TransformerEncoderLayer):
    """A user's layer: torch's, and a gate."""

    def __init__(self):
        super().__init__(4, 2, 8, batch_first=True)
        self.gate = nn.Linear(4, 1)

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        y = super().forward(src, src_mask, src_key_padding_mask, is_causal)
        if self.gate(src).nan_to_num().mean() > self.gate.bias.item():
            return y
        return src + y


@case(inputs=[(x, mask) for mask in MASKS for x in (LOW, HIGH, LOW * 3, HIGH * 3)], rounds=True)
class LayersOfTheUser(nn.Module):
    """torch's encoder runs layers of the user's class, which asks torch's own."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(Gated(), 2, enable_nested_tensor=False)

    def forward(self, x, mask):
        return self.encoder(x, mask)


class OwnBlock(nn.TransformerEncoderLayer):
    """A layer with a block of its own."""

    def _ff_block(self, x):
        return super()._ff_block(x) * 3


@case(inputs=[(LOW,), (HIGH,)], rounds=True)
class BlocksNobodyCalls(nn.Module):
    """The fast path calls no block of a layer: a subclass's own counts where there is none."""

    def __init__(self):
        super().__init__()
        self.fast = OwnBlock(4, 2, 8, batch_first=True)
        self.slow = OwnBlock(4, 2, 8)

    def forward(self, x):
        y = self.fast(x)
        if x[0, 0, 0] > 0.5:
            y = y + self.slow(x)
        return y


@case(
    inputs=[(noise(3, 1, 4), noise(2, 1, 4)), (noise(5, 1, 4), noise(1, 1, 4) + 1)],
    dynamic_shapes=({0: "source"}, {0: "target"}),
    rounds=True,
    slow=True,
)
class MadeMasks(nn.Module):
    """An encoder and a decoder with masks that forward makes, of sizes of run time."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(4, 2, 8)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8), 1)

    def forward(self, source, target):
        n = target.size(0)
        seen = nn.Transformer.generate_square_subsequent_mask(n).type(torch.bool)
        free = torch.zeros(source.shape[0], source.shape[0]).type(torch.bool)
        memory = self.encoder(source, free)
        y = self.decoder(target, memory, seen)
        if target.sum() > 1:
            y = y * 2
        return y


@case(
    inputs=[(torch.zeros(n, n) + mask,) for n in (3, 5) for mask in (0, TRIANGLE[:n, :n])],
    dynamic_shapes=({0: "length", 1: "length"},),
)
def asked_for_causality(mask):
    """What torch's own code asks of a mask of any size is a branch, no error."""
    is_causal = nn.modules.transformer._detect_is_causal_mask(mask)
    return mask + 1 if is_causal else mask - 1


@case(inputs=[(LOW, AT_THE_END), (HIGH, NONE)], refused="DYCL032")
def nested(x, padding):
    """Nested tensors made by hand are not supported."""
    return torch._nested_tensor_from_mask(x, ~padding, mask_check=False).to_padded_tensor(0.0)  # <- refused


@case(inputs=[(noise(2, 3, 4),), (-noise(2, 3, 4),)])
class RowsOfHeads(nn.Module):
    """What attention gives is reshaped as it lies, heads beside each other, before they are joined."""

    def __init__(self):
        super().__init__()
        self.inner, self.drop = nn.Linear(4, 4), nn.Dropout(0.1)

    def forward(self, x):
        q = self.inner(x).view(2, 3, -1, 2).transpose(1, 2)
        y = torch.nn.functional.scaled_dot_product_attention(q, q, q)
        y = y.reshape(y.shape[0], -1, 3, 2).transpose(1, 2).contiguous()
        y = self.drop(y.reshape(2, 3, -1))
        return y if y.sum() > 0 else y * 2
