"""Calls: inlining through classes, defaults, star arguments, replaced forward."""

from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, ZERO, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


class Gate(nn.Module):
    """A layer whose own forward has a dynamic test."""

    def __init__(self, bias=0.0):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.bias = bias

    def is_open(self, x, threshold=0.0):
        """Tell whether the gate lets x through."""
        return (x.mean() + self.bias) > threshold

    def forward(self, x):
        """Return the transformed x and whether the gate was open."""
        if self.is_open(x):
            return self.linear(x), True
        return x, False


class Verbose(Gate):
    """A gate that overrides a method and calls super()."""

    def is_open(self, x, threshold=0.0):
        """Be open one unit later."""
        return super().is_open(x, threshold=threshold + 1.0)

    def forward(self, x):
        """Double what the gate gives."""
        y, opened = super().forward(x)
        return y * 2, opened


@case(inputs=BOTH)
class InliningThroughClasses(nn.Module):
    """Two levels of modules; the result tuples of calls are unpacked."""

    def __init__(self):
        super().__init__()
        self.gates = nn.ModuleList([Gate(), Verbose(0.5), Gate(-1.0)])

    def forward(self, x):
        opened = 0
        for gate in self.gates:
            x, was_open = gate(x)
            opened += was_open
        return x, opened


@case(inputs=[*BOTH, (ZERO + 1.2,)])
class Inheritance(Verbose):
    """super() through two levels, with and without arguments."""

    def forward(self, x):
        y, opened = super(Verbose, self).forward(x)
        z, again = super().forward(y)
        return z, opened, again


@case(inputs=BOTH, method="predict")
class OtherEntryPoint(nn.Module):
    """An entry point that is not forward and calls forward through self()."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(3, 2)

    def forward(self, x):
        return self.head(x)

    def predict(self, x):
        logits = self(x)
        if logits.max() > 0.5:
            return logits.argmax(dim=1)
        return self.forward(x * 2).argmin(dim=1)


@case(inputs=BOTH)
class ForwardReplaced(nn.Module):
    """forward replaced on the instance."""

    def __init__(self):
        super().__init__()
        self.scale = 3.0
        self.forward = self.only_output

    def only_output(self, x):
        if x.sum() > 0:
            return x * self.scale
        return x

    def forward(self, x):
        return x, None  # never


def _scaled(x, scale=2.0, *, shift=0, clip=None):
    if x.sum() > 0:
        x = x * scale
    x = x + shift
    return x if clip is None else x.clamp(max=clip)


@case(inputs=BOTH)
def defaults_and_keywords(x):
    """Defaults, keywords out of order, keyword-only parameters."""
    return _scaled(x), _scaled(x, 3), _scaled(shift=1, x=x), _scaled(x, clip=4.0, shift=-1)


def _collect(first, *rest, sign=1, **named):
    total = first * sign
    for item in rest:
        if item.sum() > 0:
            total = total + item
    return total, sorted(named), named.get("extra")


@case(inputs=BOTH)
def star_parameters(x):
    """*args and **kwargs collect and are passed on."""
    args = (x, x + 1)
    options = {"sign": -1, "extra": 5}
    return _collect(x), _collect(*args, x - 1), _collect(x, *args, **options, other=0)


@case(inputs=BOTH)
class PassesEverythingOn(nn.Module):
    """A wrapper forwards *args and **kwargs to another module."""

    def __init__(self):
        super().__init__()
        self.inner = Gate()

    def forward(self, *args, **kwargs):
        y, opened = self.inner(*args, **kwargs)
        if kwargs.get("skip", not opened):
            return args[0]
        return y


@case(inputs=[{"x": x, "skip": True, "scale": 2.0} for x in (POSITIVE, NEGATIVE)])
class PassesKeywordsOn(nn.Module):
    """A wrapper takes everything by **kwargs, changes the dict and passes it on."""

    def __init__(self):
        super().__init__()
        self.inner = Gate()

    def forward(self, **kwargs):
        skip = kwargs.pop("skip")
        scale = kwargs.pop("scale", 1.0)
        y, opened = self.inner(**kwargs)
        if skip and not opened:
            return kwargs["x"], sorted(kwargs)
        return y * scale, list(kwargs)


@case(
    inputs=[
        {"x": x, "weights": [x + 1, 2], "mode": "fast", "level": level}  # at import
        for x in (POSITIVE, NEGATIVE)  # at import
        for level in (1, 5)  # at import
    ]
)
def named_and_star(x, *rest, level=0, **options):
    """Named parameters, an empty *rest, a keyword-only parameter and **options."""
    names = [name for name in options if name != "mode"]
    if x.sum() > level:
        x = x * options["weights"][1]
    return x + options["weights"][0], names, options["mode"], len(rest), level


@case(inputs=[(x, x + 1, n, [x, 2 * n]) for x in (POSITIVE, NEGATIVE) for n in (1, 4)])
def tensors_numbers_and_lists_in_star(first, *rest):
    """*rest takes tensors, numbers and lists; it is sliced and returned."""
    second, number, (third, other) = rest
    if number > 2 and first.sum() > 0:
        second = second * number
    return second + third, other, rest[1:2], rest


@case(inputs=BOTH, refused="DYCL066")
def missing_argument(x):
    """A call with missing arguments raises Python's TypeError in the taken arm."""
    if x.sum() > 0:
        return _scaled()
    return _scaled(x, unknown=1)
