"""``nn.Sequential``, ``nn.ModuleList`` and ``nn.ModuleDict`` made in the call."""

from collections import OrderedDict

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


class Base(nn.Module):
    """Three layers of its own."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(3, 3)
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3)])


class Gated(nn.Module):
    """A module of the user's with a test of its own."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x) if x.sum() > 0 else -x


@case(inputs=ROWS)
class Chained(Base):
    """Layers of the model are put into a Sequential that is called."""

    def forward(self, x):
        body = nn.Sequential(self.first, nn.ReLU(), self.second)
        head = nn.Sequential(*list(self.layers)[:2])
        if x.sum() > 0:
            return body(x), len(body), isinstance(body, nn.Sequential)
        return head(body(-x)), body[1](x), type(head) is nn.Sequential


@case(inputs=ROWS)
class Chosen(Base):
    """Which layers a Sequential has depends on the input; modules made in the call are among them."""

    def forward(self, x):
        chosen = [self.first]
        if x.max() > 2:
            chosen.append(Gated(self.second))
        if x.min() < -2:
            chosen.append(nn.Tanh())
        return nn.Sequential(*chosen)(x), nn.Sequential()(x)


@case(inputs=ROWS, slow=True)
class Listed(Base):
    """A ModuleList that grows, shrinks and is walked."""

    def forward(self, x):
        layers = nn.ModuleList([self.first])
        if x.sum() > 0:
            layers.append(self.second)
        layers.extend(self.layers)
        layers.insert(1, nn.Tanh())
        last = layers.pop(-1)
        layers += [self.first]
        for place, layer in enumerate(layers):
            x = layer(x) + place
        del layers[0]
        layers[0] = nn.ReLU()
        both = layers[:1] + [last]
        return both[-1](both[0](x)), len(layers), both[-1] is last


@case(inputs=ROWS)
class ByPlace(Base):
    """A place known at run time chooses a module, which may be out of range."""

    def forward(self, x):
        layers = nn.ModuleList([self.first, self.second, nn.Sequential(self.first, nn.Tanh())])
        number = (x > 0).sum().item()
        return layers[number // 2](x)


@case(inputs=ROWS)
class ByName(Base):
    """A ModuleDict of the layers, by names known at compile time and at run time."""

    def forward(self, x):
        key = "first" if x.sum() > 0 else "third"
        table = nn.ModuleDict({"first": self.first})
        table["second"] = nn.Sequential(OrderedDict(flat=self.second, end=nn.ReLU()))
        table.update([("third", nn.Tanh())])
        for name, module in table.items():
            if name != "first" or x.sum() > 0:
                x = module(x)
        x = table[key](x)
        taken = table.pop("third")
        return taken(x), list(table), "third" in table, table["second"].flat(x), table.first(x)


@case(inputs=ROWS)
def arithmetic(x):
    """Containers are added and multiplied."""
    pair = nn.Sequential(nn.Tanh(), nn.ReLU())
    longer = pair + nn.Sequential(nn.Sigmoid())
    longer *= 2
    longer.append(pair)
    if x.sum() > 0:
        longer = longer[1:]
    pair.append(nn.Sigmoid())
    return longer(x), len(longer), len(2 * pair), [m(x) for m in reversed(list(longer[:2]))]


@case(inputs=ROWS)
def errors(x):
    """What PyTorch raises for wrong parts, names and places."""
    texts = []
    for make in (
        lambda: nn.Sequential(nn.ReLU())[1],
        lambda: nn.ModuleList([nn.ReLU(), 3]),
        lambda: nn.ModuleDict({"keys": nn.ReLU()}),
        lambda: nn.ModuleDict({"a.b": nn.ReLU()}),
        lambda: nn.ModuleDict({"": nn.ReLU()}),
        lambda: nn.ModuleDict([("a", nn.ReLU(), 1)]),
        lambda: nn.Sequential(nn.ReLU(), None)(x),
        lambda: nn.ModuleList([nn.ReLU()])(x),
        lambda: nn.Sequential(nn.ReLU()) * 0,
        lambda: nn.ModuleDict()["a"],
        lambda: nn.Sequential(nn.ReLU()).missing,
        lambda: nn.Sequential(x),
    ):
        try:
            make()
        except Exception as error:
            texts.append(type(error).__name__ + str(error))
    return texts, x * 2 if x.sum() > 0 else x


@case(inputs=ROWS)
def changed_in_a_walk(x):
    """A walk over a container that grows raises as in PyTorch."""
    layers = nn.ModuleList([nn.ReLU(), nn.Tanh()])
    for layer in layers:
        x = layer(x)
        if x.sum() > 1:
            layers.append(nn.ReLU())
    return x


class Steps:
    """Walked by an iterator over its list."""

    def __init__(self):
        self.steps = [1.0, 2.0]

    def __iter__(self):
        return iter(self.steps)


@case(inputs=ROWS)
def changed_object_in_a_walk(x):
    """A walk over an object reads its list as it is at each step; so does a comprehension."""
    steps = Steps()
    for step in steps:
        x = x + step
        if x.sum() > 0 and len(steps.steps) < 4:
            steps.steps.append(step * 2)
    told = [steps.steps.pop() for _ in steps]
    return x, told, list(steps), [a + b for a, b in zip(steps, steps)]


@case(inputs=ROWS)
class Absent(Base):
    """hasattr and getattr ask for modules by name and place."""

    def forward(self, x):
        body = nn.Sequential(self.first)
        if x.sum() > 0:
            body.append(nn.ReLU())
        return hasattr(body, "1"), getattr(body, "1", nn.Tanh())(x), hasattr(body, "weight")


@case(inputs=ROWS)
def aliased(x):
    """Two names for one container see what is appended by either."""
    first = nn.Sequential(nn.Tanh())
    second = first if x.sum() > 0 else nn.Sequential(nn.ReLU())
    holder = nn.ModuleDict({"body": second})
    first.append(nn.ReLU())
    return holder["body"](x), len(second), first is second


@case(inputs=ROWS)
def in_a_loop(x):
    """A container made in each turn of a loop that ends at run time."""
    turns = 0
    while x.abs().sum() > 1:
        x = nn.Sequential(nn.Tanh(), nn.Softsign())(x)
        turns += 1
    return x, turns


@case(inputs=ROWS, refused="DYCL050")
class MadeLayers(nn.Module):
    """A layer with weights made in the call has random weights."""

    def forward(self, x):
        return nn.Sequential(nn.Linear(3, 3), nn.ReLU())(x)  # <- refused


@case(inputs=ROWS, refused="DYCL043")
class Registered(Base):
    """A container made in the call does not become part of the model."""

    def forward(self, x):
        self.body = nn.Sequential(self.first, nn.ReLU())  # <- refused
        return self.body(x)


@case(inputs=ROWS, refused="DYCL050")
class ItsParameters(Base):
    """What nn.Module sets up is not there."""

    def forward(self, x):
        body = nn.Sequential(self.first, nn.ReLU())
        return body(x), sum(p.sum() for p in body.parameters())  # <- refused


@case(inputs=ROWS, refused="DYCL050")
class SetByName(Base):
    """Attributes of a container are modules of it."""

    def forward(self, x):
        body = nn.Sequential(self.first)
        setattr(body, "0", nn.ReLU())  # <- refused
        return body(x)


@case(inputs=ROWS, refused="DYCL065")
def returned(x):
    """A container of modules is not a result."""
    body = nn.Sequential(nn.ReLU())
    return body(x), body  # <- refused


class Headed(nn.Sequential):
    """A class of the user's that derives from a container of torch."""

    def forward(self, x):
        return super().forward(x) * 2


@case(inputs=ROWS, refused="DYCL050")
def derived(x):
    """A class of the user's that derives from a container has no instances made in the call."""
    return Headed(nn.ReLU())(x)  # <- refused


@case(inputs=ROWS, may_refuse=True)
def shown(x):
    """The text of a container."""
    return x + 1, str(nn.Sequential(nn.ReLU()))


@case(inputs=ROWS, may_refuse=True)
def many_questions(x):
    """What else is asked of containers: truth, equality, membership, attributes, copies."""
    body = nn.ModuleList([nn.ReLU()])
    empty = nn.ModuleList()
    known = {body: 1}
    return (
        x.relu(), bool(empty), bool(body), body == body, body != empty, known[body],
        hasattr(body, "missing"), hasattr(body, "0"), getattr(body, "0")(x), callable(body),
        body.__class__ is nn.ModuleList, body.training,
    )  # fmt: skip


@case(inputs=ROWS, may_refuse=True)
def its_dict(x):
    """The attributes of a container as a dict."""
    return x, sorted(vars(nn.Sequential(nn.ReLU())))


@case(inputs=ROWS, may_refuse=True)
def by_torch(x):
    """A container is handed to torch."""
    body = nn.Sequential(nn.ReLU())
    return torch.utils.checkpoint.checkpoint(body, x, use_reentrant=False)


@case(inputs=ROWS)
class InSegments(nn.Module):
    """checkpoint_sequential of blocks put together in the call, one of them twice"""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Tested(), Tested(), nn.Tanh()])

    def forward(self, x):
        together = nn.Sequential(*self.blocks, self.blocks[0])
        kept = torch.utils.checkpoint.checkpoint_sequential(together, 2, x, use_reentrant=False)
        return kept, len(list(together.children()))


class Tested(nn.Module):
    """A block with a test."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        return self.linear(x) if x.sum() > 0 else x * 2
