"""Objects whose classes look attributes up themselves: ``__getattribute__``"""

from torch import nn

from tests.language.harness import case, noise

SIGNS = [(noise(2, 4) + 1,), (noise(2, 4) - 1,)]


class Config:
    """Has old names for its attributes."""

    attribute_map = {"hidden_size": "n_embd", "num_layers": "n_layer"}

    def __init__(self):
        self.n_embd, self.n_layer, self.scale = 4, 2, 0.5

    def __getattribute__(self, key):
        if key in object.__getattribute__(self, "attribute_map"):
            key = super().__getattribute__("attribute_map")[key]
        return super().__getattribute__(key)

    @property
    def half(self):
        return self.hidden_size // 2

    def scaled(self, x):
        return x * self.hidden_size


class Open(Config):
    """Has an attribute of every name that is no mistake."""

    def __getattr__(self, name):
        if name.startswith("get_"):
            return name
        raise AttributeError(name)


class Prefixed:
    """Knows its attributes by longer names, too."""

    def __init__(self):
        self.weight = 2.0

    def __getattribute__(self, name):
        return object.__getattribute__(self, name.removeprefix("the_"))


@case(inputs=SIGNS, slow=True)
class Names(nn.Module):
    """Old names, methods, properties, and attributes that there may be"""

    def __init__(self):
        super().__init__()
        self.config = Config()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(self.config.num_layers))

    def forward(self, x):
        config = self.config
        for layer in self.layers[: config.num_layers]:
            if x.sum() > 0:
                return config.scaled(x) / config.half, getattr(config, "missing", None) is None
            x = layer(x) - 1
        return x * config.scale, hasattr(config, "other")


@case(inputs=SIGNS)
class Missing(nn.Module):
    """An attribute that is not there"""

    def __init__(self):
        super().__init__()
        self.config = Config()

    def forward(self, x):
        if x.sum() > 0:
            return x * self.config.wrong
        return x * self.config.hidden_size


@case(inputs=SIGNS)
class FallsBack(nn.Module):
    """``__getattr__`` is asked after it"""

    def __init__(self):
        super().__init__()
        self.config = Open()

    def forward(self, x):
        if x.sum() > 0:
            return x, self.config.get_all, self.config.hidden_size
        try:
            return x * self.config.wrong
        except AttributeError:
            return x * 2


@case(inputs=SIGNS)
class Unbound(nn.Module):
    """``object.__getattribute__`` by its name"""

    def __init__(self):
        super().__init__()
        self.held = Prefixed()

    def forward(self, x):
        if x.sum() > 0:
            return x * self.held.the_weight
        return x - self.held.weight


@case(inputs=SIGNS)
def made_in_the_call(x):
    """Such an object that the call makes"""
    config = Config()
    return x * config.hidden_size if x.sum() > 0 else x


class Misled:
    """Leaves out which attribute is meant."""

    def __getattribute__(self, name):
        if name == "wrong":
            return object.__getattribute__(self)  # <- refused
        return object.__getattribute__(self, name)


@case(inputs=SIGNS, refused="DYCL039")
class WithoutAName(nn.Module):
    """``object.__getattribute__`` with too few arguments"""

    def __init__(self):
        super().__init__()
        self.held = Misled()

    def forward(self, x):
        return x * self.held.wrong
