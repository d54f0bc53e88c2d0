"""Entry points: functions, bound methods, closures, callable objects; all kinds of arguments."""

import functools

import torch
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, case, noise

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=[*BOTH, (LARGE,), (POSITIVE / 9,)], factory=True)
def closure_over_model():
    """A function that closes over models and numbers."""
    encoder, head = nn.Linear(3, 4).eval(), nn.Linear(4, 2).eval()
    threshold = 0.2

    def predict(x):
        h = torch.relu(encoder(x))
        if h.mean() > threshold:
            return head(h)
        return head(h * 0)

    return predict


class Predictor:
    """A plain class around a model."""

    def __init__(self):
        self.model = nn.Linear(3, 2).eval()
        self.labels = ["cat", "dog"]

    def predict(self, x):
        """Return the label and its score."""
        scores = self.model(x).mean(0)
        best = int(scores.argmax())
        return self.labels[best], scores[best].item()

    def __call__(self, x, verbose=False):
        if x.sum() > 0:
            return self.predict(x)[0]
        return "negative"


@case(inputs=[*BOTH, (MIXED,)], factory=True)
def bound_method_of_plain_class():
    """A bound method of a plain object."""
    return Predictor().predict


@case(inputs=BOTH, factory=True, method="predict")
def plain_object_with_method():
    """A plain object and the name of its method."""
    return Predictor()


class Counting:
    """A plain object that is called, and keeps how often."""

    def __init__(self):
        self.calls = 0

    def __call__(self, x, step=1):
        self.calls += step
        return x * self.calls if x.sum() > 0 else x


@case(inputs=[(POSITIVE, 2), (NEGATIVE, 1), (POSITIVE, 3)], factory=True)
def object_that_is_called():
    """An object without `forward` is called, as Python calls it."""
    return Counting()


@case(inputs=BOTH, factory=True, method="__call__")
def callable_object():
    """A plain object that is called."""
    return Predictor()


@case(inputs=BOTH, factory=True)
def bound_method_of_module():
    """A bound method of a module."""

    class Model(nn.Module):
        """Has another entry point."""

        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 3)

        def features(self, x):
            y = self.layer(x)
            return y if y.sum() > 0 else -y

    return Model().eval().features


@case(inputs=BOTH, factory=True)
def partial_as_target():
    """A functools.partial of a function: what it gives is known."""

    def scaled(scale, x, shift=0):
        return x * scale + shift if x.sum() > 0 else x

    return functools.partial(scaled, 3.0, shift=1)


class Optional(nn.Module):
    """Has an option, and counts its calls."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.calls = 0

    def forward(self, x, scale=1.0, flag=False):
        self.calls += 1
        y = self.layer(x) * scale + self.calls
        return y if not flag or x.sum() > 0 else -y  # known

    def times(self, count, x):
        for _ in range(count):
            x = self.layer(x) if x.sum() > 0 else x + 1
        return x


@case(inputs=[*BOTH, (NEGATIVE * 2,)], factory=True)
def partial_of_module():
    """A functools.partial of a module: the call of the module, its state kept."""
    return functools.partial(Optional().eval(), flag=True)


@case(inputs=BOTH, factory=True)
def partial_of_bound_method():
    """A partial of a partial of a bound method."""
    return functools.partial(functools.partial(Optional().eval().times), 3)


@case(inputs=BOTH, factory=True)
def partial_with_module_first():
    """A function of the class that a partial gives its module."""
    return functools.partial(Optional.times, Optional().eval(), 2)


def _masked(x, mask=None, *, settings, causal=False):
    if mask is not None:
        x = x * mask
    if settings["shift"] > 0 and x.sum() > 0:  # known
        x = x + settings["shift"]
    return x.cumsum(1) if causal else x


@case(inputs=[{"x": POSITIVE}, {"x": NEGATIVE}], factory=True)
def partial_with_tensors():
    """Tensors and containers that a partial gives are known; they are no parameters any more."""
    return functools.partial(_masked, mask=POSITIVE, settings={"shift": 2}, causal=True)


@case(inputs=[{"x": POSITIVE, "causal": True}, {"x": NEGATIVE, "causal": False}], factory=True)
def partial_number_given_anew():
    """A number that a partial gives may be given anew, by name."""
    return functools.partial(_masked, settings={"shift": 2}, causal=False)


@case(inputs=[{"x": POSITIVE, "mask": MIXED}], factory=True, refused="DYCL071")
def partial_tensor_given_anew():
    """A tensor that a partial gives may not be given anew."""
    return functools.partial(_masked, mask=MIXED, settings={"shift": 2})


@case(inputs=BOTH, factory=True, refused="DYCL070")
def partial_for_starred_parameter():
    """What a partial gives to ``**options`` is refused."""

    def shifted(x, **options):
        return x + options["shift"] if x.sum() > 0 else x

    return functools.partial(shifted, shift=1)


@case(inputs=BOTH, factory=True, refused="DYCL070")
def partial_of_module_with_hooks():
    """Hooks would see what a partial gives: refused."""
    model = Optional().eval()
    model.register_forward_hook(lambda module, given, result: result + 1)
    return functools.partial(model, flag=True)


@case(inputs=BOTH, factory=True, refused="DYCL034")
def list_of_partial_changed():
    """A list that a partial gives, changed by the call, is not kept: refused."""

    def noted(x, seen):
        seen.append(1)  # <- refused
        return x * len(seen) if x.sum() > 0 else x

    return functools.partial(noted, seen=[])


@case(inputs=BOTH, factory=True)
def lambda_as_target():
    """A lambda."""
    return lambda x: x.relu() if x.sum() > 0 else x.abs()


@case(
    inputs=[(POSITIVE, 2, 0.5, True), (NEGATIVE, 0, -1.5, False), (MIXED, -3, 0.0, True)]
)
def numbers_of_each_type(x, count: int, rate: float, flag: bool):
    """int, float and bool arguments are dynamic."""
    if flag and count > 0:
        x = x * count
    elif rate < 0 or not flag:
        x = x + rate
    return x, count + 1, rate * 2, not flag


@case(inputs=[([1, 2, 3],), ([5, 0, -1],)])
def list_of_numbers(values):
    """A list of numbers is dynamic in its values."""
    total = 0
    for value in values:
        if value > 0:
            total += value
    return total, max(values), values[::-1], sorted(values), len(values)


@case(
    inputs=[
        ({"image": POSITIVE, "boxes": [MIXED, NEGATIVE], "size": (2, 3)}, None),
        ({"image": NEGATIVE, "boxes": [POSITIVE, NEGATIVE], "size": (4, 3)}, None),
    ],
)
def nested_arguments(batch, mask):
    """A dict of tensors, lists and tuples of numbers; None is static."""
    image = batch["image"]
    if mask is None and image.sum() > 0:  # known
        image = image * batch["size"][0]
    kept = [box for box in batch["boxes"] if box.sum() > 0]
    return image, kept, "size" in batch, sorted(batch)


@case(inputs=[{"x": POSITIVE, "scale": 2.0}, {"x": NEGATIVE, "scale": 3.0}])
def keyword_arguments(x, shift=1, *, scale=1.0):
    """Arguments given by name, with defaults left out."""
    if x.sum() > 0:
        return x * scale
    return x + shift


@case(inputs=[(POSITIVE, NEGATIVE, MIXED), (NEGATIVE, NEGATIVE, POSITIVE)])
def star_arguments(first, *others):
    """The entry point takes *args."""
    for other in others:
        if other.sum() > first.sum():
            first = other
    return first, len(others)


@case(
    inputs=[(torch.tensor([3, 1]), torch.tensor(2.5)), (torch.tensor([-3, 1]), torch.tensor(-1.0))],
)
def tensors_of_other_dtypes(tokens, level):
    """Integer tensors and 0-dim tensors as inputs."""
    if tokens[0] > level:
        return tokens + 1, level.item()
    return tokens.float() * level, tokens.sum().item()


@case(inputs=[(POSITIVE > 1,), (POSITIVE > 9,)])
def bool_tensor(mask):
    """A bool tensor as an input."""
    if mask.any():
        return mask, mask.sum(), ~mask
    return mask.float(), mask.all(), None


@case(
    inputs=[(noise(1, 4, 3),), (noise(1, 2, 3, seed=1) * 9,), (noise(1, 7, 3),), (noise(1, 1, 3),)],
        dynamic_shapes={"x": {1: torch.export.Dim("length", max=16)}},
)
class VariableLength(nn.Module):
    """An input with a dimension of variable size; its size is a run-time number."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        y = self.layer(x)
        if y.mean() > -0.1:
            y = y.mean(dim=1)
        return y, x.shape[1], x.size(1) * 2


@case(
    inputs=[(noise(1, 3, 2),), (noise(1, 5, 2, seed=1) * 5,), (noise(1, 2, 2) * -5,)],
        dynamic_shapes={"x": {1: torch.export.Dim("steps", min=2, max=16)}},
)
class LoopOverVariableLength(nn.Module):
    """A loop over a dimension of variable size."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(2, 2)

    def forward(self, x):
        hidden = torch.zeros(1, 2)
        stopped = None
        for t in range(x.size(1)):
            hidden = self.cell(x[:, t], hidden)
            if stopped is None and hidden.max() > -0.2:
                stopped = t
        return hidden, stopped


@case(inputs=[([POSITIVE, NEGATIVE],), ([NEGATIVE, LARGE],)])
def list_of_tensors(items):
    """A list of tensors of known length."""
    best = max(items, key=lambda t: t.sum().item())
    return best, torch.stack(items).sum(0), len(items)


@case(inputs=[(POSITIVE, "fast"), (NEGATIVE, "fast")])
class ModeArgument(nn.Module):
    """A string argument chooses among methods at compile time."""

    def fast(self, x):
        return x if x.sum() > 0 else -x

    def forward(self, x, mode="slow"):
        return getattr(self, mode)(x), mode


@case(inputs=[((POSITIVE, (NEGATIVE, 1)),), ((NEGATIVE, (POSITIVE, 5)),)])
def nested_tuple(state):
    """A nested tuple of tensors and numbers is unpacked and rebuilt."""
    h, (c, n) = state
    if h.sum() > n:
        h, c = c, h
    return h, (c, n + 1)


@case(
    inputs=[(POSITIVE, (0.1, 0.9)), (NEGATIVE, (0.1, 0.9))],
        options={"static_arguments": ("bounds",)},
    may_refuse=True,
)
def static_number_argument(x, bounds):
    """Arguments named static are fixed at compile time and checked at call time."""
    if x.sum() > 0:
        return x.clamp(*bounds)
    return x


@case(inputs=[(POSITIVE,), (NEGATIVE,)], factory=True)
def module_of_torch():
    """The entry point is a module that torch itself wrote."""
    return nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.LayerNorm(3)).eval()


@case(inputs=[(torch.ones(2, 3, 4, 4),)], factory=True)
def normalisation_of_torch():
    """The entry point is a module of torch whose Python checks its input."""
    return nn.BatchNorm2d(3).eval()


class Scaled(nn.Module):
    """Becomes TorchScript."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        return self.linear(x) * 2  # never


@case(inputs=BOTH, factory=True, refused="DYCL048")
def scripted():
    """A module that TorchScript has compiled has no source"""
    return torch.jit.script(Scaled())


@case(inputs=BOTH, factory=True, refused="DYCL048")
def scripted_alone():
    """A function that TorchScript has compiled"""
    return torch.jit.script(doubled_in_script)


def doubled_in_script(x):
    """Becomes TorchScript."""
    return x * 2  # never


class _Doubling(functools.partial):
    """Doubles what it gives."""

    def __call__(self, *given):
        return super().__call__(*given) * 2  # never


@case(inputs=[(POSITIVE,), (NEGATIVE,)], factory=True, refused="DYCL070")
def partial_with_a_call_of_its_own():
    """A class of partials with a `__call__` of its own is refused"""
    return _Doubling(lambda x, k: x * k if x.sum() > 0 else x, k=3)  # at import
