"""Modules made in the call: activations and wrappers without weights of their own."""

import torch
from torch import Tensor, nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


class Swish(nn.Module):
    """An activation with a number."""

    def __init__(self, beta=1.0):
        super().__init__()
        self.beta = beta

    def forward(self, x):
        return x * torch.sigmoid(self.beta * x)


class Squared(nn.Module):
    """An activation without any state."""

    def forward(self, x):
        return x.relu() ** 2


class Reversed(nn.Module):
    """Wraps a module of the model's, and keeps count."""

    def __init__(self, inner, steps):
        super().__init__()
        self.inner = inner
        self.rectify = nn.ReLU()
        self.steps = steps

    def forward(self, x):
        self.steps += 1
        if x.sum() > 0:
            return self.rectify(self.inner(x))
        return -self.inner(-x)


@case(inputs=ROWS)
def activations(x):
    """A module with a number, and one that inherits __init__, made where they are called."""
    y = Swish()(x)
    if y.sum() > 0:
        return Swish(beta=2.0)(y), Swish().training
    return Squared()(y), isinstance(Squared(), nn.Module)


@case(inputs=ROWS)
class Wrapping(nn.Module):
    """A wrapper of a layer is made on one path only, and used like the layer."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        used = self.layer
        if x.max() > 2:
            used = Reversed(self.layer, 1)
        for _ in range(2):
            x = used(x)
        return x, used.steps if isinstance(used, Reversed) else 0


class Noisy(nn.Module):
    """Drops elements while it is trained."""

    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(x)  # <- refused


@case(inputs=ROWS, refused="DYCL033")
def new_modules_are_trained(x):
    """A module made in the call is in training mode: its dropout draws random numbers."""
    return Noisy()(x)


@case(inputs=ROWS, refused="DYCL050")
def registered(x):
    """What nn.Module sets up is not there."""
    module = Reversed(nn.ReLU(), 0)
    return len(list(module.children())), module(x)  # <- refused


@case(inputs=ROWS, refused="DYCL065")
def returned(x):
    """A module made in the call is not a result."""
    module = Squared()
    return module(x), module  # <- refused


class Weighted(nn.Module):
    """Makes a weight of its own."""

    def __init__(self, size):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(size))

    def forward(self, x: Tensor):
        return x * self.scale


@case(inputs=ROWS)
def with_a_weight(x):
    """A weight made anew in each call is a tensor."""
    return Weighted(3)(x) if x.sum() > 0 else x


class Buffered(nn.Module):
    """Registers a buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(3))

    def forward(self, x: Tensor):
        return x * self.scale


@case(inputs=ROWS)
def with_a_buffer(x):
    """A buffer is an attribute."""
    return Buffered()(x)


@case(inputs=ROWS, refused="DYCL043")
class KeptModule(nn.Module):
    """A module made in the first call and kept is one of the model's from then on."""

    def __init__(self):
        super().__init__()
        self.made = None

    def forward(self, x):
        if self.made is None:
            self.made = Squared()  # <- refused
        return self.made(x) if x.sum() > 0 else x


@case(inputs=ROWS)
def modules_in_a_list_of_run_time(x):
    """Modules in a list whose length is known at run time only."""
    made = []
    for row in x:
        if row.sum() > 0:
            made.append(Swish(row.sum().item()))
    for module in made:
        x = module(x)
    return x


class Shadowed(nn.Module):
    """Its class has an attribute of the name of a module."""

    inner = None

    def __init__(self, inner):
        super().__init__()
        self.inner = inner  # <- refused

    def forward(self, x):
        return x if self.inner is None else self.inner(x)  # known


@case(inputs=ROWS, refused="DYCL050")
def hidden_by_the_class(x):
    """A registered module is found after what its class has: here it never is."""
    return Shadowed(nn.ReLU())(x)


class Replaced(nn.Module):
    """Puts a number in the place of a module, which nn.Module does not let it."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.inner = None
        self.inner = inner

    def forward(self, x):
        self.inner = x.sum().item()  # <- refused
        return x * self.inner  # never


@case(inputs=ROWS, refused="DYCL050")
def a_number_for_a_module(x):
    """Only None and other modules take the place of a module."""
    return Replaced(nn.ReLU())(x)


class Hypotheses(nn.Module):
    """Holds tensors; nobody calls it."""

    def __init__(self, tokens, scores):
        super().__init__()
        self.tokens, self.scores = tokens, scores

    def __getitem__(self, index):
        return self.tokens[index], self.scores[index]


@case(inputs=ROWS)
def holders_without_forward(x):
    """Modules without forward, made in each turn of a loop, hold tensors."""
    held, n = Hypotheses(x, x * 2), 0
    while held.tokens.sum() < 9:
        held = Hypotheses(held.tokens + 0.5, held.scores)
        n += 1
    held.scores = held.scores + 1
    return held[0], held.scores, n


@case(inputs=ROWS, refused="DYCL050")
def holder_that_is_called(x):
    """A module without forward is called."""
    return Hypotheses(x, x)(x)  # <- refused


class Framed(nn.Module):
    """A window, elements that are dropped in training, and other modules."""

    def __init__(self, size, inner=None):
        super().__init__()
        self.register_buffer("window", torch.arange(size) + 1.0)
        self.drop = nn.Dropout(0.5)
        self.inner = inner
        self.rest = nn.Sequential(nn.ReLU(), nn.Dropout(0.5))

    def forward(self, x):
        x = self.rest(self.drop(x)) * self.window
        return x if self.inner is None else self.inner(x)


class Counting(Framed):
    """Does more than torch does when its mode is set."""

    def train(self, mode=True):
        super().train(mode)
        self.bias = int(mode)
        return self


@case(inputs=ROWS)
def made_to_be_evaluated(x):
    """The mode of a made module is that of all in it, and set as often as one likes."""
    module = Framed(3, Framed(3)).eval()
    modes = [module.training, module.inner.training, module.inner.rest[1].training]
    y = module(x) if x.sum() > 0 else -module(x)
    module.train(mode=False)
    return module(y), modes, module.train() is module, module.inner.drop.training


@case(inputs=ROWS)
def mode_with_more_to_it(x):
    """A method ``train`` of the user's is called for the module, and where it is held."""
    outer = Framed(3, Counting(3).eval())
    before = outer.inner.bias
    outer.eval()
    return (outer(x) if x.sum() > 0 else x), before, outer.inner.bias


@case(inputs=ROWS)
def layer_of_torch_evaluated(x):
    """Layers of torch's that are made in the call, which draw numbers in training only."""
    layer, dropped = nn.RReLU(0.25, 0.75).eval(), nn.Dropout(0.5).eval()
    if x.sum() > 0:
        x = layer(x - 4)
    return dropped(layer.eval()(x)), layer.training


@case(inputs=ROWS)
class Placed(nn.Module):
    """Where it is there already, a module is taken to a type and place."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        made = Framed(3, self.layer).to(x).to(x.device).eval()
        same = self.layer.to(x.device, x.dtype)
        held = nn.Sequential(self.layer, nn.ReLU()).float().cpu().to(device=x.device)
        return made(x) if x.sum() > 0 else held(x), same is self.layer


@case(inputs=ROWS, refused="DYCL050")
def other_type(x):
    """Which of a made module's tensors are registered is not known: they keep their types."""
    return Framed(3).double().eval()(x.double())  # <- refused


@case(inputs=ROWS, refused="DYCL050")
def mode_of_run_time(x):
    """A mode that is known at run time only."""
    return Framed(3).train(x.sum().item() > 100)(x)  # <- refused


class Converting(Framed):
    """Converts more than torch does."""

    def _apply(self, fn, recurse=True):
        self.window = fn(self.window) * 2  # never
        return self  # never


@case(inputs=ROWS, refused="DYCL050")
def own_conversion(x):
    """What a class of the user's does when it is converted is not looked at."""
    return Framed(3, Converting(3)).to(x.device)(x)  # <- refused


@case(inputs=ROWS, refused="DYCL050")
def hidden_from_its_mode(x):
    """A module stored by object.__setattr__ is not registered: eval() would leave it as it is."""
    made = Framed(3)
    object.__setattr__(made, "apart", nn.Dropout())  # <- refused
    made.eval()
    return x * 2 if made.apart.training else x  # known


@case(inputs=[(POSITIVE, 3), (NEGATIVE, 2)], refused="DYCL073")
def modes_in_a_list_of_run_time(x, n):
    """Modules that exist at run time only keep the mode in which they were made."""
    made = []
    for i in range(n):
        made.append(Swish(x[0, 0].item() + i))
    for module in made:
        x = module.eval()(x)  # <- refused
    return x
