"""Objects of the model that are looked at as a whole: copied, hashed, written as JSON, ``__dict__``."""

import copy
import dataclasses
import json

from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


class _Inner:
    def __init__(self):
        self.scale = 2.0
        self.seen = {1, 5, 9}


class _Settings:
    def __init__(self):
        self.steps = 3
        self.words = [1, {"end": 2}]
        self.missing = None
        self.inner = _Inner()
        self.same = self.inner

    def to_dict(self):
        return copy.deepcopy(self.__dict__)

    def to_json(self):
        named = {"steps": self.steps, "words": self.words, "missing": self.missing}
        return json.dumps(named, indent=2, sort_keys=True)

    def __hash__(self):
        return hash(self.to_json())

    def __eq__(self, other):
        return isinstance(other, _Settings) and self.to_json() == other.to_json()  # known


class _Configured(nn.Module):
    def __init__(self):
        super().__init__()
        self.settings = _Settings()
        self.hash = hash(self.settings)


@case(inputs=BOTH)
class Copied(_Configured):
    """A deep copy has parts of its own, and one object within it stays one"""

    def forward(self, x):
        own = copy.deepcopy(self.settings)
        own.words.append(4)
        own.words[1]["end"] = 7
        if x.sum() > 0:
            own.steps = 5
            own.inner.scale = x.sum().item()
        shown = own.words, self.settings.words, own.same.scale, self.settings.inner.scale
        return x * own.steps, shown, own.inner is own.same, sorted(own.inner.seen)


@case(inputs=BOTH)
class CopiedFlat(_Configured):
    """A copy shares the parts"""

    def forward(self, x):
        own = copy.copy(self.settings)
        own.steps = x.sum().item()
        own.more = 1
        return own.steps, self.settings.steps, own.inner is self.settings.inner, own.words


@case(inputs=BOTH)
class Hashed(_Configured):
    """What a text's hash is nobody knows before, but whether it is that of another one"""

    def forward(self, x):
        own = copy.deepcopy(self.settings)
        if self.hash == hash(self.settings) and own == self.settings:  # known
            x = x + 1
        own.steps = 4
        if self.hash != hash(own) and own != self.settings:  # known
            x = x * 2
        return x, hash((1, 2.5)), isinstance(hash(own), int), hash("a") == hash("a")


@case(inputs=BOTH)
def hashed_again(x):
    """A hash has a hash, the same in each call"""
    return x, hash(hash("text")) == hash(hash("text")), hash(hash("a")) == hash(("a",))


@case(inputs=BOTH, refused="DYCL065")
class HashReturned(_Configured):
    """The hash of a text is another number in each process"""

    def forward(self, x):
        return x, hash(self.settings)  # <- refused


@case(inputs=BOTH, refused="DYCL038")
class HashComputedWith(_Configured):
    """So is what is computed of it"""

    def forward(self, x):
        return x * (hash("text") % 3)  # <- refused


@case(inputs=BOTH, refused="DYCL045")
def hashed_tensor(x):
    """A tensor is hashed by where it is"""
    return x, hash(x) == hash(x)  # <- refused


@case(inputs=BOTH)
def without_hash(x):
    """Lists have none, also in tuples"""
    found = []
    for each in ([1], (2, [3]), {4: 5}):
        try:
            found.append(hash(each))
        except TypeError as error:
            found.append(str(error))
    return x, found


@case(inputs=BOTH)
class AsDict(_Configured):
    """``__dict__`` and ``vars`` of an object that was there before, and a copy of it"""

    def forward(self, x):
        table = self.settings.to_dict()
        table["words"][1]["end"] = x.sum().item()
        names = [name for name, value in vars(self.settings).items() if value is not None]
        return x, list(table), names, table["words"], self.settings.words, "steps" in table


@case(inputs=BOTH, refused="DYCL034")
class WrittenAsDict(_Configured):
    """What is written into it would be an attribute for the calls that follow"""

    def forward(self, x):
        self.settings.__dict__["steps"] = 4  # <- refused
        return x * self.settings.steps


@case(inputs=BOTH, refused="DYCL039")
class WrittenLater(_Configured):
    """A dict taken before would see what is written later"""

    def forward(self, x):
        table = vars(self.settings)
        self.settings.steps = 4  # <- refused
        return x * table["steps"]


@case(inputs=BOTH, refused="DYCL039")
class AddedLater(_Configured):
    """The next call's copy would have what this one adds"""

    def forward(self, x):
        own = copy.copy(self.settings)
        self.settings.more = 4  # <- refused
        return x, hasattr(own, "more")


@case(inputs=BOTH)
class CopiedAsKept(_Configured):
    """A copy has what the calls before have left"""

    def forward(self, x):
        self.settings.steps += 1
        own = copy.deepcopy(self.settings)
        own.steps += 10
        return x, own.steps, self.settings.steps


@dataclasses.dataclass(frozen=True)
class _Frozen:
    sizes: list[int]
    kind: type = dict


class _Delegating:
    def __init__(self, inner):
        self.inner = inner  # at import

    def __getattr__(self, name):
        if name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)


class _Slotted:
    __slots__ = ("value",)

    def __init__(self):
        self.value = 1  # at import


FROZEN, DELEGATING, SLOTTED = _Frozen([1]), _Delegating(_Inner()), _Slotted()


@case(inputs=BOTH)
def frozen(x):
    """Objects that cannot be written can be copied"""
    own = copy.deepcopy(FROZEN)
    own.sizes.append(2)
    return x, own.sizes, FROZEN.sizes, own.kind()


@case(inputs=BOTH)
def delegating(x):
    """An object that is asked for all attributes does not say how it is copied"""
    return x * copy.deepcopy(DELEGATING).scale


@case(inputs=BOTH, refused="DYCL059")
def slotted(x):
    """Attributes in slots"""
    return x * copy.copy(SLOTTED).value  # <- refused


@case(inputs=BOTH)
def through_json(x):
    """A text of what is known, and back"""
    table = json.loads(json.dumps({"steps": [1, 2.5, None], "sizes": tuple(x.shape)}))
    table["steps"].append(x.sum().item())
    return x, table


@case(inputs=BOTH)
def not_for_json(x):
    """What JSON has no words for raises, as it does in Python"""
    try:
        return x, json.dumps({"kind": {1, 2}})
    except TypeError as error:
        return x, str(error)


@case(inputs=BOTH, refused="DYCL045")
def sums_as_json(x):
    """The text of a number of the run"""
    return x, json.dumps({"sum": x.sum().item()})  # <- refused


@case(inputs=BOTH, refused="DYCL045")
def own_json(x):
    """A function of the program that ``json`` calls"""
    return x, json.dumps({"kind": _Inner}, default=str)  # <- refused


SHARED = [1, 2]


@case(inputs=BOTH)
def functions_and_sets(x):
    """Functions are their own copies; a set has the order of one made of its items"""
    table = copy.deepcopy({"call": frozen, "items": {8, 1, 16}, "shared": SHARED})
    table["shared"].append(3)
    return x, table["call"] is frozen, list(table["items"]), table["shared"], SHARED


class _Step:
    """A schedule as diffusers has them: what it is set up with is found as an attribute, too."""

    def __init__(self):
        self.config = {"scale": 3, "order": 7}
        self.limit = 2

    def __getattr__(self, name):
        within = "config" in self.__dict__ and name in self.__dict__["config"]  # known
        if within and name not in self.__dict__:  # known
            return self.__dict__["config"][name]
        raise AttributeError(name)


@case(inputs=BOTH, rounds=True)
class AskedForOneName(nn.Module):
    """One attribute is asked for in ``__dict__``, also of an object that the call writes"""

    def __init__(self):
        super().__init__()
        self.step = _Step()

    def forward(self, x):
        step = self.step
        seen = hasattr(step, "last"), step.__dict__.get("total", 0), "weight" in self.__dict__
        step.order = min(step.limit, 3)
        step.total = step.__dict__.get("total", 0) + x.sum().item()
        if step.total > 0:
            return x * step.order * step.scale, seen, step.__dict__["total"]
        step.limit = 4
        try:
            return x + step.__dict__["scale"], seen
        except KeyError as error:
            return x * step.__dict__["limit"], seen, str(error), self.__dict__.get("training")


class _Chosen:
    def __getattr__(self, name):
        if name == "factor":
            return 3
        raise AttributeError(name)


@case(inputs=BOTH, rounds=True)
class AskedBeforeItIsThere(nn.Module):
    """``__getattr__`` is not asked any more for what an earlier call has written"""

    def __init__(self):
        super().__init__()
        self.chosen = _Chosen()

    def forward(self, x):
        before, known = self.chosen.factor, hasattr(self.chosen, "known")
        self.chosen.factor, self.chosen.known = 5, True
        return (x * before if x.sum() > 0 else x - before), known
