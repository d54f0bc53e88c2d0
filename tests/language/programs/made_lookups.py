"""Objects whose classes look attributes up themselves, made or copied in the call"""

import abc
import copy
import dataclasses

from torch import nn

from tests.language.harness import case, noise

SIGNS = [(noise(2, 4) + 3,), (noise(2, 4) - 3,)]


class Config(abc.ABC):
    """Has old names for its attributes: to read, to write and to delete."""

    attribute_map = {"size": "n_embd"}

    def __init__(self, size):
        self.size, self.encoder_layers, self.rows = size, 3, [1, 2]
        self.same_rows = self.rows

    def __setattr__(self, key, value):
        super().__setattr__(self.attribute_map.get(key, key), value)

    def __getattribute__(self, key):
        if key != "attribute_map" and key in super().__getattribute__("attribute_map"):
            key = super().__getattribute__("attribute_map")[key]
        return super().__getattribute__(key)

    def __delattr__(self, key):
        object.__delattr__(self, self.attribute_map.get(key, key))

    @property
    def half(self):
        return self.size / 2

    def scaled(self, x):
        return x * self.size

    def __call__(self, x):
        return self.scaled(x) + self.n_embd

    def __len__(self):
        return self.size


class Open(Config):
    """Has an attribute of every name that begins with ``get_``."""

    def __getattr__(self, name):
        if name.startswith("get_"):
            return name
        raise AttributeError(name)


class Counting:
    """Counts how often it is read."""

    def __init__(self):
        object.__setattr__(self, "count", 0)

    def __getattribute__(self, name):
        own = object.__getattribute__(self, "__dict__")
        object.__setattr__(self, "count", own.get("count", 100) + 1)
        return object.__getattribute__(self, name)


class Around(abc.ABC):
    """Has the attributes of another object."""

    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        if name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)


class Lying:
    """Says that it is something else."""

    def __getattribute__(self, name):
        if name == "__class__":
            return int
        if name in ("__dict__", "__reduce_ex__"):  # known
            return {}
        return object.__getattribute__(self, name)  # never


class Copying:
    """Gives how it is copied, under the name that ``copy`` looks up."""

    def __getattribute__(self, name):
        if name == "__deepcopy__":  # known
            return lambda memo: 5  # never
        return object.__getattribute__(self, name)  # never


@dataclasses.dataclass
class Fields:
    """Knows its fields by longer names, too."""

    width: int = 3

    def __getattribute__(self, name):
        return object.__getattribute__(self, name.removeprefix("the_"))


class Sized(list):
    """A list that looks its attributes up."""

    def __getattribute__(self, name):
        return super().__getattribute__(name)  # never


def said(work):
    """Return what an AttributeError says."""
    try:
        return work()
    except AttributeError as error:
        return str(error)


@case(inputs=SIGNS)
def made(x):
    """Attributes, methods, properties; operators pass the look-up over"""
    config = Config(4)
    config.size += 1
    config.other = [config.n_embd, len(config), config.half, hasattr(config, "none"), vars(config)]
    read = config.other[:4], list(config.other[4]), said(lambda: config.none)
    if x.sum() > 0:
        return config.scaled(x), read
    return config(x), read


@case(inputs=SIGNS)
def deleted(x):
    """``del`` and ``delattr`` by the class's own method"""
    config = Config(4)
    del config.size
    delattr(config, "rows")
    gone = hasattr(config, "n_embd"), hasattr(config, "rows")
    try:
        del config.size
    except AttributeError as error:
        config.size = len(str(error))
    if x.sum() > 0:
        config.size = 2
    return config.scaled(x), gone


@case(inputs=SIGNS)
def found_by_fallback(x):
    """``__getattr__`` is asked after it, of copies too"""
    made = Open(4)
    shallow, deep = copy.copy(made), copy.deepcopy(made)
    shallow.size = 9
    shared = shallow.rows is made.rows, deep.rows is deep.same_rows, deep.rows is made.rows
    if x.sum() > 0:
        return x * made.size + deep.size, shared, made.get_it
    return x * shallow.size, shared, said(lambda: deep.wrong)


@case(inputs=SIGNS)
def asked_by_copies(x):
    """What ``copy`` looks up at an object and at its copy is seen by the methods"""
    made = Counting()
    shallow, deep = copy.copy(made), copy.deepcopy(made)
    if x.sum() > 0:
        return x * deep.count, made.count
    return x * shallow.count, isinstance(made, Counting)


@case(inputs=SIGNS)
def copies_with_fallback(x):
    """A class with nothing but ``__getattr__`` is asked, too"""
    made = Around(Config(3))
    deep = copy.deepcopy(made)
    deep.inner.size = 8
    if x.sum() > 0:
        return x * made.size + copy.copy(deep).size
    return x * deep.half


@case(inputs=SIGNS)
class CopiedConfig(nn.Module):
    """Copies of the model's object, renamed as the configurations of encoders and decoders are"""

    def __init__(self):
        super().__init__()
        self.config, self.open, self.held = Config(2), Open(3), Around(Config(4))

    def forward(self, x):
        config = copy.deepcopy(self.config)
        for key in ["encoder_layers"]:
            value = getattr(config, key)
            delattr(config, key)
            setattr(config, "size", value)
        config.rows.append(7)
        if x.sum() > 0:
            return x * config.size, self.config.rows, isinstance(config, (int, abc.ABC))
        config.__dict__["n_embd"] = 12
        opened, held = copy.copy(self.open), copy.copy(self.held)
        return x * config.size + opened.size + held.size, isinstance(config, dict)


@case(inputs=SIGNS)
def fields(x):
    """The fields of a dataclass are read by its own method"""
    found = Fields()
    other = dataclasses.replace(found, width=5)
    match other:
        case Fields(the_width=width):  # known
            found.width += width
    return (x * found.the_width if x.sum() > 0 else x), dataclasses.asdict(found)


@case(inputs=SIGNS, refused="DYCL038")
def equal_fields(x):
    """So ``==`` of a dataclass would have to"""
    return x, Fields() == Fields()  # <- refused


@case(inputs=SIGNS, refused="DYCL039")
def lying(x):
    """isinstance() believes what an object says to be"""
    return x, isinstance(Lying(), float)  # <- refused


@case(inputs=SIGNS, refused="DYCL059")
def copies_of_lies(x):
    """An object that hides from ``copy`` what all objects have"""
    return x, copy.copy(Lying())  # <- refused


@case(inputs=SIGNS, refused="DYCL059")
def copies_by_itself(x):
    """A method that only the look-up gives says how it is copied"""
    return x, copy.deepcopy(Copying())  # <- refused


@case(inputs=SIGNS, refused="DYCL065")
def returned(x):
    """The host does not make such objects"""
    return x, Config(3)  # <- refused


@case(inputs=SIGNS, refused="DYCL050")
def of_items(x):
    """A class of lists whose attributes are looked up"""
    return x, len(Sized([1]))  # <- refused


@case(inputs=[(Config(2), SIGNS[0][0])], refused="DYCL072")
def argument(config, x):
    """Nor are they arguments"""
    return x * config.size  # never
