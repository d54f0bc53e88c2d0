"""Layers that models use, on images and on sequences. Continues ``operator_table.py``."""

from collections.abc import Callable, Mapping

import torch
import torch.nn.functional as F
from torch import nn

from tests.dycl.operator_operands import IMAGE, X, normal
from tests.dycl.operator_table import Cases, OperatorCase

BILINEAR = normal(2, 4, 4)
TIMED = normal(3, 4, 4)


def _module(module: nn.Module) -> nn.Module:
    """Return a module with seeded weights, in eval mode."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for tensor in (*module.parameters(), *module.buffers()):
            if tensor.is_floating_point():
                tensor.copy_(torch.rand(tensor.shape, generator=generator) * 0.4 + 0.1)
    return module.eval()


def _flat(result: tuple[torch.Tensor, object]) -> tuple[torch.Tensor, ...]:
    output, state = result
    if isinstance(state, tuple):
        return (output, *state)
    assert isinstance(state, torch.Tensor)
    return (output, state)


_LSTM = _module(nn.LSTM(4, 5, num_layers=2, bidirectional=True))
_GRU = _module(nn.GRU(4, 5, batch_first=True))
_RNN = _module(nn.RNN(4, 5))
_CELLS = {
    "lstm": _module(nn.LSTMCell(4, 5)),
    "gru": _module(nn.GRUCell(4, 5)),
    "rnn": _module(nn.RNNCell(4, 5)),
}
_ATTENTION = _module(nn.MultiheadAttention(4, 2, batch_first=True))
_ENCODER = _module(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True))
_EMBEDDING = _module(nn.Embedding(2, 3))


_IMAGES: dict[str, Callable[..., object]] = {
    "convolution": _module(nn.Conv2d(4, 6, 3, stride=2, padding=1)),
    "convolution same": _module(nn.Conv2d(4, 6, 4, padding="same")),
    "convolution dilated": _module(nn.Conv2d(4, 6, 3, dilation=2, bias=False)),
    "convolution depthwise": _module(nn.Conv2d(4, 8, 3, groups=4)),
    "convolution reflect": _module(nn.Conv2d(4, 6, 3, padding=1, padding_mode="reflect")),
    "transposed convolution": _module(
        nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1)
    ),
    "batch norm": _module(nn.BatchNorm2d(4)),
    "batch norm without statistics": nn.BatchNorm2d(4, track_running_stats=False).eval(),
    "convolution and batch norm": _module(
        nn.Sequential(nn.Conv2d(4, 6, 3), nn.BatchNorm2d(6), nn.ReLU())
    ),
    "instance norm": _module(nn.InstanceNorm2d(4, affine=True)),
    "group norm": _module(nn.GroupNorm(2, 4)),
    "layer norm": _module(nn.LayerNorm([9, 7])),
    "rms norm": _module(nn.RMSNorm(7)),
    "local response norm": nn.LocalResponseNorm(2),
    "dropout in eval": _module(nn.Dropout(0.5)),
    "randomised relu": _module(nn.RReLU(0.1, 0.5)),
    "prelu": _module(nn.PReLU(4)),
    "max pool": nn.MaxPool2d(2),
    "max pool ceil": nn.MaxPool2d(3, 2, ceil_mode=True),
    "max pool padded": nn.MaxPool2d(3, 2, padding=1),
    "max pool indices": nn.MaxPool2d(2, return_indices=True),
    "average pool": nn.AvgPool2d(2),
    "average pool ceil": nn.AvgPool2d(3, 2, ceil_mode=True),
    "average pool padded": nn.AvgPool2d(3, 2, padding=1),
    "average pool without padding count": nn.AvgPool2d(3, 2, padding=1, count_include_pad=False),
    "average pool with a divisor": nn.AvgPool2d(3, 2, padding=1, divisor_override=2),
    "sum pool without padding count": nn.AvgPool2d(2, 1, 1, False, False, divisor_override=1),
    "adaptive average pool": nn.AdaptiveAvgPool2d(1),
    "adaptive average pool uneven": nn.AdaptiveAvgPool2d((4, 3)),
    "adaptive max pool": nn.AdaptiveMaxPool2d(1),
    "global mean": lambda x: x.mean((2, 3)),
    "nearest": lambda x: F.interpolate(x, scale_factor=2, mode="nearest"),
    "nearest uneven": lambda x: F.interpolate(x, size=(5, 11), mode="nearest"),
    "nearest exact": lambda x: F.interpolate(x, size=(5, 11), mode="nearest-exact"),
    "bilinear": lambda x: F.interpolate(x, size=(5, 11), mode="bilinear"),
    "bilinear aligned": lambda x: F.interpolate(
        x, scale_factor=2, mode="bilinear", align_corners=True
    ),
    "bilinear by factor": lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear"),
    "bilinear antialias": lambda x: F.interpolate(x, size=(5, 4), mode="bilinear", antialias=True),
    "bicubic": lambda x: F.interpolate(x, size=(5, 11), mode="bicubic"),
    "area": lambda x: F.interpolate(x, size=(3, 7), mode="area"),
    "channel shuffle": lambda x: F.channel_shuffle(x, 2),
}

_SEQUENCES: dict[str, Callable[..., object]] = {
    "linear": _module(nn.Linear(4, 5)),
    "linear on vectors": lambda x: F.linear(x[0, 0], x[0]),
    "bilinear layer": lambda x: F.bilinear(x, x, BILINEAR),
    "layer norm of last": _module(nn.LayerNorm(4)),
    "lstm": lambda x: _flat(_LSTM(x)),
    "lstm with state": lambda x: _flat(_LSTM(x, (torch.ones(4, 3, 5), torch.ones(4, 3, 5)))),
    "gru": lambda x: _flat(_GRU(x)),
    "rnn": lambda x: _flat(_RNN(x)),
    "lstm cell": lambda x: _CELLS["lstm"](x[0]),
    "lstm cell with state": lambda x: _CELLS["lstm"](x[0], (x[1, :, :1] * torch.ones(5),) * 2),
    "gru cell": lambda x: _CELLS["gru"](x[0]),
    "rnn cell": lambda x: _CELLS["rnn"](x[0]),
    "convolution in one dimension": lambda x: F.conv1d(x, torch.ones(2, 3, 2)),
    "convolution with time first": lambda x: torch.conv_tbc(x, TIMED, X[0, 0], 1),
    "max pool in one dimension": lambda x: F.max_pool1d(x, 2),
    "average pool in one dimension": lambda x: F.avg_pool1d(x, 2),
    "adaptive pool in one dimension": lambda x: F.adaptive_avg_pool1d(x, 2),
    "linear interpolation": lambda x: F.interpolate(x, size=7, mode="linear"),
    "attention layer": lambda x: _ATTENTION(x, x, x),
    "encoder layer": lambda x: _ENCODER(x),
    "batch norm in one dimension": _module(nn.BatchNorm1d(3)),
    "weight norm": _module(nn.utils.parametrizations.weight_norm(nn.Linear(4, 5))),
    "embedding layer": lambda x: _EMBEDDING((x > 0).long()),
    "convolution in three dimensions": lambda x: F.conv3d(x[None, None], torch.ones(1, 1, 2, 2, 2)),
}


def _cases(functions: Mapping[str, Callable[..., object]], x: torch.Tensor) -> Cases:
    return tuple(OperatorCase(name=n, function=f, inputs=(x,)) for n, f in functions.items())


LAYERS: Mapping[str, Cases] = {
    "images": _cases(_IMAGES, IMAGE),
    "sequences": _cases(_SEQUENCES, X),
}
