"""Library surface: functions, methods, layers and recurrent modules behind branches."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case, noise

BOTH = [(POSITIVE,), (NEGATIVE,)]
SEQUENCE = [(noise(4, 1, 3),), (-noise(4, 1, 3).abs(),)]
IMAGES = [(noise(1, 3, 8, 8),), (-noise(1, 3, 8, 8).abs(),)]


@case(inputs=BOTH)
def elementwise(x):
    """Pointwise functions as functions, methods and operators."""
    y = torch.sigmoid(x) + x.tanh() - F.softplus(x)
    if y.sum() > -2:
        return F.gelu(y), F.leaky_relu(x, 0.1), torch.erf(x), torch.where(x > 1, x, -x)
    return F.elu(y), x.exp().log1p(), torch.clamp(x, -1, 1), F.hardtanh(x), torch.sign(x), x.floor()


@case(inputs=BOTH)
def reductions(x):
    """Reductions with and without dim and keepdim."""
    if x.sum() > 0:
        return x.mean(), x.std(), x.prod(1), x.norm(dim=0), x.var(dim=1, keepdim=True)
    return x.cumsum(1), torch.logsumexp(x, 1), x.argmin(), x.amax(1), (x > -1).sum(0)


@case(inputs=BOTH)
def median(x):
    """The median."""
    return x.median() if x.sum() > 0 else x.mean()


@case(inputs=BOTH, slow=True)
def linear_algebra(x):
    """matmul, mm, bmm, einsum, outer, addmm, @ with transposes."""
    gram = x @ x.T
    if gram[0, 1] > x.sum():
        gram = torch.einsum("ij,kj->ik", x, x) + torch.outer(x[:, 0], x[:, 1])
    batch = torch.bmm(x.unsqueeze(0), x.t().unsqueeze(0))
    return gram, batch, torch.addmm(gram, x, x.T), torch.mv(x, x[0]), x[0].dot(x[1])


@case(inputs=BOTH)
def shape_functions(x):
    """cat, stack, flip, roll, permute, flatten, gather, tril, pad, one_hot."""
    y = torch.cat([x, x.flip(0)], dim=0)
    if x.sum() > 0:
        y = torch.roll(y, 1, 0)
    index = x.argsort(1)
    hot = F.one_hot(index[:, 0], num_classes=3)
    return y, x.gather(1, index), hot, y.flatten(), torch.tril(x), torch.stack([x, x], -1), y.T


@case(inputs=IMAGES)
class ImageLayers(nn.Module):
    """Convolutions, norms, pooling, interpolation and upsampling."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 4, 3, stride=2, padding=1), nn.BatchNorm2d(4), nn.ReLU6()
        )
        self.norm = nn.GroupNorm(2, 4)
        self.depthwise = nn.Conv2d(4, 4, 3, padding=1, groups=4, bias=False)
        self.up = nn.ConvTranspose2d(4, 4, 2, stride=2)

    def forward(self, x):
        y = self.stem(x)
        if x.mean() > -0.5:
            y = self.depthwise(self.norm(y))
            y = F.adaptive_avg_pool2d(y, 2)
        else:
            y = F.interpolate(self.up(y), scale_factor=0.5, mode="nearest")
            y = F.avg_pool2d(y, 2)
        return F.max_pool2d(y, 2).flatten(1)


@case(inputs=IMAGES)
def windows_of_one_number(x):
    """One number in a tuple is the size, the step or the border along every dimension."""
    if x.mean() > -0.5:
        y, places = F.max_pool2d(x, (2,), stride=[1], padding=(1,), return_indices=True)
        return F.avg_pool2d(y, (3,), (2,), (1,)), places
    filters = torch.ones(2, 3, 3, 3)
    y = F.conv2d(x, filters, stride=(2,), padding=(1,), dilation=(1,))
    return F.conv_transpose2d(y, filters, None, (2,), (1,), (1,), 1, (2,))


@case(inputs=[(torch.tensor(-3.0),), (torch.tensor(2.0),)])
def reduced_without_dimensions(x):
    """A tensor without dimensions is reduced along its first and its last one, which it has not."""
    if x > 0:
        return x.prod(-1), x.norm(dim=0), torch.linalg.vector_norm(x, 1, dim=-1), (x < 0).all(0)
    return x.prod(0, keepdim=True), x.norm(p=0.5, dim=-1), F.normalize(x, dim=0)


@case(inputs=SEQUENCE, slow=True)
class RecurrentModules(nn.Module):
    """LSTM and GRU over sequences; their states are unpacked and passed on."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, num_layers=2)
        self.gru = nn.GRU(4, 3, bidirectional=True)

    def forward(self, x):
        out, (h, c) = self.lstm(x)
        if x.mean() < -0.3:
            out, (h, c) = self.lstm(x.flip(0), (h, c))
        final, state = self.gru(out)
        return final, state, h[-1], c.shape


@case(inputs=SEQUENCE, slow=True)
class RecurrentCells(nn.Module):
    """LSTMCell and GRUCell stepped over time with a dynamic reset."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(3, 4)
        self.gru = nn.GRUCell(4, 4)

    def forward(self, x):
        h = c = torch.zeros(1, 4)
        state = torch.zeros(1, 4)
        for t in range(x.size(0)):
            h, c = self.cell(x[t], (h, c))
            if h.abs().max() > 0.25:
                state = self.gru(h, state)
        return state, h, c


@case(inputs=[(torch.tensor([[1, 2, 3]]),), (torch.tensor([[0, 0, 4]]),)])
class Embeddings(nn.Module):
    """Embedding, positions, layer norm and a tied output projection."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 4)
        self.positions = nn.Embedding(8, 4)
        self.norm = nn.LayerNorm(4)

    def forward(self, tokens):
        y = self.embed(tokens) + self.positions(torch.arange(tokens.size(1)))
        if (tokens == 0).any():
            y = y * (tokens != 0).unsqueeze(-1)
        return F.linear(self.norm(y), self.embed.weight)


@case(inputs=[(noise(1, 4, 6),), (-noise(1, 4, 6).abs(),)])
class TransformerLayer(nn.Module):
    """nn.MultiheadAttention and a transformer encoder layer behind a gate."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(6, 2, batch_first=True)
        self.layer = nn.TransformerEncoderLayer(6, 2, 12, batch_first=True)

    def forward(self, x):
        y, weights = self.attention(x, x, x)
        if x.mean() < -0.3:
            y = self.layer(y)
        return y, weights


@case(inputs=[*BOTH, (torch.eye(3)[[0, 2]] * 5,)])
def losses_and_distances(x):
    """Losses, similarities and softmax forms used in decisions."""
    target = torch.tensor([0, 2])
    loss = F.cross_entropy(x, target)
    if loss > 0.9:
        return loss, F.mse_loss(x, x * 2), F.cosine_similarity(x[:1], x[1:])
    return F.log_softmax(x, -1), F.nll_loss(x, target), F.normalize(x), F.softmax(x, 0)


@case(inputs=[*BOTH, (POSITIVE * 9,), (POSITIVE * -9,), (POSITIVE * 0,)])
def entropy_of_distribution(x):
    """Entropy written out, and an if on it."""
    p = torch.softmax(x, dim=1)
    entropy = -(p * torch.log(p + 1e-12)).sum(dim=1).mean()
    return (p, entropy.item()) if entropy < 1.05 and x[0, 0] > 0 else (p * 0, -1.0)


@case(inputs=BOTH)
def sorting_and_searching(x):
    """sort, topk, argsort, kthvalue, bucketize, unique of known size, isin, cummax."""
    values, order = x.flatten().sort(descending=True)
    if values[0] > 1:
        return torch.topk(x, 2).indices, torch.bucketize(x, torch.tensor([0.0, 1.0])), order
    return x.kthvalue(2, dim=1).values, x.cummax(1).values, torch.isin(order, torch.tensor([0, 1]))


@case(inputs=BOTH)
def deprecated_spellings(x):
    """F.sigmoid, torch.autograd.Variable, .cpu(), tensor constructors by type."""
    y = torch.autograd.Variable(x)
    z = F.sigmoid(y).cpu()
    if z.mean() > 0.5:
        z = z + torch.FloatTensor([1, 2, 3])
    return z, F.tanh(y), y.data, torch.LongTensor([1]), x.new(2, 3).zero_()


@case(inputs=[*BOTH, (POSITIVE / 9,)], may_refuse=True)
def complex_and_fft(x):
    """Complex tensors from fft or view_as_complex are compiled or refused."""
    spectrum = torch.fft.rfft(x, dim=1)
    power = spectrum.abs()
    if power[0, 0] > 2:
        power = power * 2
    return power
