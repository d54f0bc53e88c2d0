"""What hooks keep: in what they are defined in, and in their own objects."""

import functools

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

CALLS = [(POSITIVE,), (NEGATIVE,), (MIXED,), (POSITIVE * 3,), (ZERO,)]


class Layers(nn.Module):
    """Two layers that hooks are on."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)


@case(inputs=CALLS)
class SharedDict(Layers):
    """A dict that only functions have: a hook writes to it, a method's helper reads it"""

    def __init__(self):
        super().__init__()
        seen = {}

        def keep(module, inputs, output):
            seen["first"] = output

        self.first.register_forward_hook(keep)
        self.seen = lambda: seen

    def forward(self, x):
        y = self.first(x)
        if self.seen()["first"].max() > 1:
            y = y * 2
        return self.second(y)


@case(inputs=CALLS)
class CountedCalls(Layers):
    """A list that only a hook has counts from call to call"""

    def __init__(self):
        super().__init__()
        calls = [0]

        def scale(module, inputs):
            calls[0] += 1
            return (inputs[0] * calls[0],)

        self.first.register_forward_pre_hook(scale)

    def forward(self, x):
        y = self.first(x)
        if y.sum() > 0:
            y = self.first(y)
        return y


class Recorder:
    """Is called as a hook, and gives hooks."""

    def __init__(self):
        self.outputs = []
        self.by_name = {}

    def __call__(self, module, inputs, output):
        self.outputs.append(output)

    def named(self, name):
        """Return a hook."""

        def keep(module, inputs, output):
            self.by_name[name] = output

        return keep

    def largest(self, module, inputs, output):
        """Keep the largest output of all calls."""
        size = output.abs().max()
        if "largest" not in self.by_name or size > self.by_name["largest"]:
            self.by_name["largest"] = size


@case(inputs=CALLS)
class CallableObject(Layers):
    """An object that is called as a hook gathers outputs"""

    def __init__(self):
        super().__init__()
        self.recorder = Recorder()
        self.first.register_forward_hook(self.recorder)

    def forward(self, x):
        self.recorder.outputs.clear()
        y = self.first(x)
        if y.mean() > 0:
            y = self.first(y)
        return torch.stack(self.recorder.outputs).sum(0), len(self.recorder.outputs)


@case(inputs=CALLS)
class NamedHooks(Layers):
    """Hooks that an object made, which only they and a function have"""

    def __init__(self):
        super().__init__()
        recorder = Recorder()
        self.first.register_forward_hook(recorder.named("first"))
        self.second.register_forward_hook(recorder.named("second"))
        self.kept = lambda name: recorder.by_name[name]

    def forward(self, x):
        y = self.second(self.first(x))
        if self.kept("first").max() > 1:
            y = y + self.kept("second")
        return y


@case(inputs=CALLS)
class BoundMethod(Layers):
    """A method as a hook: its object keeps the largest output of all calls"""

    def __init__(self):
        super().__init__()
        recorder = Recorder()
        self.first.register_forward_hook(recorder.largest)
        self.kept = lambda: recorder.by_name["largest"]

    def forward(self, x):
        y = self.first(x)
        return y / self.kept()


def _append(outputs, scale, module, inputs, output):
    outputs.append(output)
    return output * len(outputs) * scale


@case(inputs=CALLS)
class PartOfAFunction(Layers):
    """`partial` of a function as a hook: the list that it is given counts all calls"""

    def __init__(self):
        super().__init__()
        self.outputs = []
        self.first.register_forward_hook(functools.partial(_append, self.outputs, 2))

    def forward(self, x):
        if len(self.outputs) > 2:
            self.outputs.clear()
        y = self.first(x)
        if y.sum() > 0:
            y = self.first(y)
        return y


def _counted(calls, function):
    @functools.wraps(function)
    def wrapped(*args):
        calls[0] += 1
        return function(*args) * calls[0]

    return wrapped


@case(inputs=CALLS)
class WrappedForwards(Layers):
    """Functions around torch's own, which say torch's module, count their calls in one list"""

    def __init__(self):
        super().__init__()
        calls = [0]
        self.first.forward = _counted(calls, self.first.forward)
        self.second.forward = _counted(calls, self.second.forward)

    def forward(self, x):
        y = self.first(x)
        if y.sum() > 0:
            y = self.second(y)
        return y


@case(inputs=CALLS, refused="DYCL049")
class CalledAfterErrors(Layers):
    """A hook that is called where `forward` raises, too, and the model goes on"""

    def __init__(self):
        super().__init__()
        self.calls = [0]
        self.first.register_forward_hook(self.count, always_call=True)

    def count(self, module, inputs, output):
        """Count calls."""
        self.calls[0] += 1

    def forward(self, x):
        try:
            y = self.first(x if x.sum() > 0 else x[:2])  # <- refused
        except RuntimeError:  # never
            y = x  # never
        return y * self.calls[0]
