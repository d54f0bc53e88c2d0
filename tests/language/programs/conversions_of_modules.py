"""``module.to(...)`` and the like, taken where they change nothing; ``eval()`` and ``train()``."""

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


class Router(nn.Module):
    """Casts its classifier before each use, as mixtures of experts do."""

    dtype = torch.float32

    def __init__(self):
        super().__init__()
        self.classifier = nn.Linear(3, 2)
        self.classifier.weight.data = torch.tensor([[1.0], [-1.0]]).expand(2, 3).clone()
        self.experts = nn.ModuleList(nn.Linear(3, 3) for _ in range(2))

    def cast(self):
        self.classifier = self.classifier.to(self.dtype)

    def forward(self, x):
        self.cast()
        chosen = self.classifier(x.to(self.dtype)).sum(0).argmax().item()
        return self.experts[0](x) if chosen == 0 else self.experts[1](x)


@case(inputs=BOTH)
class CastsTheClassifier(Router):
    """A layer is put in its own place as the type that it has."""


@case(inputs=BOTH, refused="DYCL034")
class CastsToAnotherType(Router):
    """A layer is converted in the call."""

    dtype = torch.float64


@case(inputs=BOTH)
class ConvertsToWhatItIs(nn.Module):
    """eval(), train(False), float(), cpu() and to("cpu") of what is so already."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout(0.5))

    def forward(self, x):
        y = self.body.eval().train(False).float()(x)
        if x.sum() > 0:
            return self.body.cpu().to("cpu").to(dtype=torch.float32)(y)
        return y


@case(inputs=BOTH, factory=True)
def eval_of_a_part_in_training():
    """eval() of a model that is in eval mode itself, but for a layer."""
    model = ConvertsToWhatItIs().eval()
    model.body[1].training = True
    return model.forward


class Frozen(nn.Sequential):
    """A container with a train() of its own."""

    def train(self, mode=True):
        self.trained = mode
        return super().train(mode)


@case(inputs=BOTH, rounds=True)
class EvalThatCallsOwnTrain(nn.Module):
    """eval() calls train() of a layer's own."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(Frozen(nn.Linear(3, 3)))

    def forward(self, x):
        y = self.body.eval()(x)
        return y if x.sum() > 0 else -y


@case(inputs=BOTH, rounds=True)
class ModesBesideState(nn.Module):
    """eval() and train() that change nothing, and parameters(), where a buffer is written."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.register_buffer("count", torch.zeros(3))
        self.last = None

    def forward(self, x):
        self.count += 1
        self.last = x * 2
        first = next(self.parameters())
        x = x.to(first.device).to(first.dtype)
        was = self.training
        self.eval()
        y = self.layer(x) + self.count
        self.train(was)
        return y if x.sum() > 0 else -y, [name for name, _ in self.named_parameters()]


@case(inputs=BOTH, rounds=True)
class ModesThatChange(nn.Module):
    """eval() where the call sets a mode itself."""

    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        self.drop.training = not self.drop.training
        self.eval()
        return self.drop(x) if x.sum() > 0 else -self.drop(x)


class Decoder(nn.Module):
    """Layers that are in training, and such as are not."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.body = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout(0.5))
        self.last = nn.Dropout(0.5).eval()

    def forward(self, x):
        return self.last(self.body(x))

    def modes(self):
        return [module.training for module in self.modules()]


@case(inputs=BOTH, rounds=True, factory=True)
def eval_that_is_taken_back():
    """eval() before, and train() after what a model in training decodes."""

    class Restores(Decoder):
        def forward(self, x):
            was = self.training
            self.eval()
            x = super().forward(x)
            if x.sum() > 0:
                x = super().forward(-x)
            self.train(was)
            return x, self.modes()

    return Restores().train().forward


@case(inputs=[*BOTH, (POSITIVE,)], rounds=True, factory=True)
def eval_on_one_path():
    """A mode that some calls set, and all calls after them have."""

    class Sets(Decoder):
        def forward(self, x):
            before = self.modes()
            if x.sum() > 0:
                self.body.eval()
            else:
                self.body.train(not self.body.training)
            return before, self.modes(), "trained" if self.body[2].training else x * 2

    return Sets().eval()


@case(inputs=BOTH, refused="DYCL033", factory=True)
def train_on_one_path():
    """What draws random numbers in training is refused where a call may leave it so."""

    class Sets(Decoder):
        def forward(self, x):
            y = super().forward(x)
            self.last.train(bool(x.sum() > 0))
            return y

    return Sets().eval()


@case(inputs=BOTH)
class ParametersThatChange(nn.Module):
    """parameters() where a weight is written."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        with torch.no_grad():
            self.layer.weight.mul_(0.9)
        return sum(p.sum() for p in self.parameters()) + x


class _Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, x):
        self.layer.to(torch.float32)
        return self.layer(x.to(self.layer.weight.dtype)).squeeze(-1)


@case(inputs=BOTH)
class ConvertedInAPart(nn.Module):
    """A part of the model converts its layer to what it is."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.router = _Router()

    def forward(self, x):
        weights = self.router(x)
        return weights * 2 if weights.sum() > 0 else weights


@case(inputs=BOTH, refused="DYCL034")
class Elsewhere(nn.Module):
    """A module is taken to another place."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return self.layer.to(device="meta")(x)  # <- refused


@case(inputs=BOTH, refused="DYCL034")
class LaidOut(nn.Module):
    """The layout of weights is changed."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(1, 1, 1)

    def forward(self, x):
        return self.layer.to(memory_format=torch.channels_last)(x[None, None])  # <- refused


FRAMES = [(POSITIVE[None],), (NEGATIVE[None],), (torch.zeros(1, *POSITIVE.shape),)]


class Speaks(nn.Module):
    """Recurrent layers, batch statistics and dropout."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.GRU(3, 3, num_layers=2, dropout=0.5, batch_first=True)
        self.norm = nn.BatchNorm1d(3)
        self.dropout = nn.Dropout(0.5)
        self.cell = nn.LSTMCell(3, 3)
        self.register_buffer("said", torch.zeros(1))

    def generate(self, x):
        """Give frames until one is below zero, four at most."""
        encoded, _ = self.encoder(x)
        frame, state = self.norm(encoded[:, -1]), None
        frames = []
        for _ in range(4):
            state = self.cell(self.dropout(frame), state)
            frame = state[0]
            frames.append(frame)
            if frame.mean() < 0:
                break
        return torch.cat(frames)


@case(inputs=FRAMES, rounds=True)
class GeneratesInEvalMode(Speaks):
    """eval() before and train() after generating: the next call begins in training"""

    def forward(self, x):
        self.eval()
        self.said += 1
        frames = self.generate(x)
        self.train()
        return frames, self.said + 0, self.training


@case(inputs=FRAMES, rounds=True)
class PutsModesBack(Speaks):
    """Modes of layers are put back as they were"""

    def forward(self, x):
        before = self.encoder.training
        self.encoder.train()
        if x.sum() > 0:
            self.encoder.eval()
        else:
            self.eval()
        frames = self.generate(x)
        self.encoder.train(before)
        return frames, self.encoder.training


@case(inputs=FRAMES, rounds=True)
class PackedInEvalMode(Speaks):
    """A packed sequence, and weights that a call has written, in a layer whose mode is set"""

    def forward(self, x):
        self.eval()
        packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([2]), batch_first=True)
        outputs, _ = self.encoder(packed)
        rows, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True)
        self.encoder.weight_ih_l0.data.mul_(0.5)
        again, last = self.encoder(x)
        self.train()
        return rows, again, last


@case(inputs=FRAMES, refused="DYCL030")
class PackedUnderAHook(Speaks):
    """A hook of the call sees a packed sequence once, not each of its rows"""

    def forward(self, x):
        seen = []
        self.eval()
        handle = self.encoder.register_forward_hook(lambda layer, given, found: seen.append(1))
        packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([2]), batch_first=True)
        outputs, _ = self.encoder(packed)  # <- refused
        handle.remove()
        return outputs.data, len(seen)
