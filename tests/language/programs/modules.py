"""nn.Module features: optional submodules, buffers, hooks, containers, attributes."""

import torch
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
class OptionalSubmodules(nn.Module):
    """`is None` and truth tests on submodules and attributes."""

    def __init__(self, use_norm=True):
        super().__init__()
        self.norm = nn.LayerNorm(3) if use_norm else None  # known
        self.down = None
        self.tags = []

    def forward(self, x):
        residual = x
        if self.norm is not None:  # known
            x = self.norm(x)
        if self.down is not None:  # known
            residual = self.down(residual)  # never
        if not self.tags and residual.sum() > 0:  # known
            x = x + residual
        return x


class _Block(nn.Module):
    """A residual block that may be skipped."""

    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1)
        self.bn = nn.BatchNorm2d(width)
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 1))

    def forward(self, x):
        if self.gate(x).mean() > 0:
            return torch.relu(self.bn(self.conv(x))) + x
        return x


IMAGE = torch.arange(32.0).reshape(1, 2, 4, 4) / 16 - 1


@case(inputs=[(IMAGE,), (IMAGE * -2,), (IMAGE * 0,)])
class Convolutional(nn.Module):
    """Convolutions, batch norm in eval mode and pooling in gated stages."""

    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList(
            [nn.ModuleList([_Block(2), _Block(2)]), nn.ModuleList([_Block(2)])]
        )
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(2, 3)

    def forward(self, x):
        for i, stage in enumerate(self.stages):
            for block in stage:
                x = block(x)
            if i < len(self.stages) - 1:  # known
                x = self.pool(x)
        x = x.mean(dim=(2, 3))
        return self.fc(x)


@case(inputs=BOTH)
class ParametersAndBuffers(nn.Module):
    """Parameters and buffers are used directly; a buffer of numbers is the threshold."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 3))
        self.register_parameter("bias", None)
        self.register_buffer("threshold", torch.tensor(0.25))
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(3) * i) for i in range(2)])

    def forward(self, x):
        y = x @ self.weight
        if self.bias is not None:  # known
            y = y + self.bias  # never
        if x.mean() > self.threshold:
            for scale in self.scales:
                y = y + scale
        return y, self.weight.shape[0], self.threshold.item()


@case(inputs=BOTH)
class TrainingFlag(nn.Module):
    """self.training is False at compile time: dropout and training arms vanish."""

    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(0.5)
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        x = self.dropout(self.layer(x))
        if self.training:  # known
            return x, x.sum()  # never
        if x.sum() > 0:
            x = nn.functional.dropout(x, 0.5, self.training)
            x = x + 1
        return x


@case(inputs=[*BOTH, (LARGE,)])
class Hooks(nn.Module):
    """Forward hooks and pre-hooks run at each call of the hooked module."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.layer.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
        self.layer.register_forward_hook(self.limit)

    @staticmethod
    def limit(module, args, output):
        if output.max() > 3:
            return output.clamp(max=3)
        return None

    def forward(self, x):
        if x.sum() > 0:
            return self.layer(x)
        return self.layer(-x)


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
class AttributeWithinCall(nn.Module):
    """Attributes written and read again within one call by several methods."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.skipped = 0

    def step(self, x):
        if x.sum() > 0:
            return self.layer(x)
        self.skipped += 1
        return x + 1

    def forward(self, x):
        self.skipped = 0
        for _ in range(2):
            x = self.step(x)
        result = x, self.skipped
        self.skipped = 0
        return result


@case(inputs=BOTH)
class NestedAttributes(nn.Module):
    """Attributes are reached through several objects, including plain config objects."""

    class Config:
        """Plain numbers."""

        width = 3
        limits = (0.0, 2.0)

    def __init__(self):
        super().__init__()
        self.config = self.Config()
        self.encoder = nn.Module()
        self.encoder.proj = nn.Linear(self.config.width, 3)
        self.encoder.gain = 2.0

    def forward(self, x):
        y = self.encoder.proj(x) * self.encoder.gain
        if y.mean() > self.config.limits[0]:
            return y.clamp(*self.config.limits)
        return y


@case(inputs=BOTH)
class ModuleIteration(nn.Module):
    """children, named_children, modules, parameters and state of known modules."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(3, 3, bias=False)

    def forward(self, x):
        names = []
        for name, child in self.named_children():
            if x.sum() > 0:
                x = child(x)
                names.append(name)
        for module in self.children():
            x = module(x)
        count = sum(p.numel() for p in self.parameters())
        return x, names, count, len(list(self.modules()))


@case(inputs=BOTH)
class ChosenActivation(nn.Module):
    """A module attribute that holds a function, one that holds a class."""

    def __init__(self, activation="gelu"):
        super().__init__()
        self.activation = getattr(nn.functional, activation)
        self.kind = nn.Softplus
        self.fallback = self.kind()

    def forward(self, x):
        if x.sum() > 0:
            return self.activation(x)
        return self.fallback(x) if isinstance(self.fallback, self.kind) else x  # known


@case(inputs=BOTH)
class SharedWeights(nn.Module):
    """One module used twice; two modules that share a weight."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(3, 3, bias=False)
        self.out = nn.Linear(3, 3, bias=False)
        self.out.weight = self.embed.weight

    def forward(self, x):
        y = self.embed(self.embed(x))
        if y.mean() > x.mean():
            y = self.out(y)
        return y, self.out.weight is self.embed.weight


class _Branchy(nn.Sequential):
    """A Sequential with its own forward that stops early."""

    def forward(self, x):
        for layer in self:
            x = layer(x)
            if x.abs().max() < 0.3:
                break
        return x


@case(inputs=[*BOTH, (ZERO,)])
class CustomSequential(nn.Module):
    """A subclass of Sequential whose forward loops over itself."""

    def __init__(self):
        super().__init__()
        self.body = _Branchy(nn.Linear(3, 3, bias=False), nn.Tanh(), nn.Linear(3, 1))

    def forward(self, x):
        return self.body(x).sum()


@case(inputs=[(MIXED,), (NEGATIVE,), (POSITIVE,)])
class RecurrentGate(nn.Module):
    """A hidden state that is carried from block to block."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTMCell(3, 4)
        self.gate = nn.Linear(4, 1)
        self.blocks = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
        self.hidden = None

    def forward(self, x):
        hidden = self.hidden
        choices = []
        for block in self.blocks:
            hidden = self.rnn(x, hidden) if hidden is not None else self.rnn(x)  # known
            choice = torch.sigmoid(self.gate(hidden[0])).mean() > 0.45
            if choice:
                x = x + block(x)
            choices.append(bool(choice))
        return x, choices


@case(inputs=BOTH)
class TwoNamesForOneModule(nn.Module):
    """A submodule is reached by two names: its own, and as a part of another one."""

    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Linear(3, 3), nn.LayerNorm(3))
        self.block = nn.Sequential(self.down, nn.ReLU())

    def forward(self, x):
        y = self.block(x) + self.down(x)
        return y if x.sum() > 0 else -y


class _Gate(nn.Module):
    """A hard gate: drawn in training, with a temperature and a setting; else of the sign."""

    def __init__(self):
        super().__init__()
        self.score = nn.Linear(3, 3)

    def forward(self, x, temperature, settings):
        y = self.score(x)
        if self.training:  # known
            y = nn.functional.gumbel_softmax(y * settings["scale"], temperature)  # never
        else:
            y = (y > 0).float()
        return x * y, y.mean()


@case(inputs=[(POSITIVE, 0.5, True), (NEGATIVE, 2.5, False), (MIXED, 2.0, True)])
class NumbersForTraining(nn.Module):
    """A module is given numbers of run time that it looks at in training only."""

    def __init__(self):
        super().__init__()
        self.gate = _Gate()

    def forward(self, x, temperature, hard):
        y, share = self.gate(x, temperature, {"scale": temperature + 1, "hard": hard})
        return (y, share) if share > 0.5 else (x, share)


@case(inputs=[(POSITIVE, 0), (NEGATIVE, 2), (POSITIVE, 1), (POSITIVE, 5)])
class NamedParameters(nn.Module):
    """Torch's dicts of parameters and modules are asked for names that are known at run time."""

    def __init__(self):
        super().__init__()
        names = [f"n{i}" for i in range(3)]
        self.scales = nn.ParameterDict({name: torch.randn(3) for name in names})
        self.layers = nn.ModuleDict({name: nn.Linear(3, 3) for name in names[1:]})

    def forward(self, x, n):
        name = f"n{n}"
        there = name in self.layers, name not in self.scales, "n1" in self.scales
        best = self.scales.get(name, None)
        y = x if best is None else x * best
        try:
            return y + self.scales[f"n{n + 1}"], there
        except AttributeError as error:
            return y, there, str(error)


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,), (POSITIVE.flip(0, 1),)])
class CodesOfWords(nn.Module):
    """A tree of decisions whose parameters have the names of its inner nodes."""

    def __init__(self):
        super().__init__()
        self.nodes = nn.ParameterDict({f"n{i}": torch.randn(()) for i in range(1, 4)})

    def forward(self, x):
        total, node = x.sum() * 0, 1
        for bit in bin(int(x.argmax()) % 4 + 4)[3:]:
            score = self.nodes[f"n{node}"] * x.sum()
            total = total + (score if bit == "1" else -score)
            node = node * 2 + int(bit)
        return total, node


class Anyhow(nn.ModuleDict):
    """Finds names whatever their case."""

    def __contains__(self, name):
        return super().__contains__(name.lower())


class Hidden(nn.ModuleDict):
    """Shows fewer names than it has."""

    def keys(self):
        return [name for name in super().keys() if name != "n1"]  # never


@case(inputs=[(POSITIVE, 0), (NEGATIVE, 1), (POSITIVE, 2)])
class NamesOfOwn(nn.Module):
    """A class of the user's says itself which names it has."""

    def __init__(self):
        super().__init__()
        self.layers = Anyhow({f"n{i}": nn.Linear(3, 3) for i in range(2)})
        self.more = Hidden({f"n{i}": nn.Linear(3, 3) for i in range(2)})

    def forward(self, x, n):
        if f"N{n}" in self.layers and "N1" in self.layers:  # known
            return self.layers[f"n{n}"](x), f"n{n}" in self.more, "n1" in self.more
        return x


class Wrapping(nn.ModuleList):
    """Counts its places without an end."""

    def __getitem__(self, place):
        return super().__getitem__(place % 3)


class Lowered(nn.ModuleDict):
    """Finds its modules by names in capital letters."""

    def __getitem__(self, name):
        return super().__getitem__(name.lower())


@case(inputs=[(POSITIVE, 0), (NEGATIVE, 1), (POSITIVE, 5), (NEGATIVE, -2)])
class PlacesOfOwn(nn.Module):
    """Classes of the user's ask torch's containers for places and names known at run time."""

    def __init__(self):
        super().__init__()
        self.rows = Wrapping(nn.Linear(3, 3) for _ in range(3))
        self.names = Lowered({f"n{i}": nn.Linear(3, 3) for i in range(2)})

    def forward(self, x, n):
        y = self.rows[n](x) + self.rows[4](x)
        try:
            return self.names[f"N{n}"](y)
        except KeyError as error:
            return y, str(error)


@case(inputs=BOTH)
def layers_of_lists(x):
    """Layers of torch's made in the call of lists, of which they make tuples: changes are not seen"""
    sizes = [1, 2, 0, 0]
    padding = nn.ZeroPad2d(sizes)
    sizes[0] = 4
    sizes.append(5)
    edge = nn.ConstantPad1d([1, 1], 3.0) if x.sum() > 0 else nn.ConstantPad1d([2, 0], -3.0)
    return padding(x), padding.padding, edge(x), sizes


@case(inputs=BOTH, refused="DYCL045")
def layer_that_keeps_a_list(x):
    """A layer made in the call that keeps the list which it was given"""
    sizes = [1, 3]
    layer = nn.Unflatten(1, sizes)  # <- refused
    sizes.reverse()
    return layer(x)  # never


@case(inputs=BOTH)
def layers_of_lists_in_their_calls(x):
    """A layer made in the call that keeps a list which nobody else has"""
    layer = nn.AvgPool1d([2], stride=[1]) if x.sum() > 0 else nn.AvgPool1d([1])
    return layer(x), layer.kernel_size, nn.Unflatten(1, [3, 1])(x)


@case(inputs=BOTH, refused="DYCL034")
def list_that_a_layer_keeps(x):
    """The list of a layer made in the call is not written"""
    layer = nn.Unflatten(1, [3, 1])
    layer.unflattened_size[0] = 1  # <- refused
    return layer(x)  # never
