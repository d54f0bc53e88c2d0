"""Arguments whose structure is known only at run time, such as trees: checked and copied.

Every object is copied with the attributes that the compiled model reads. What was one object
stays one object, and objects may refer to each other in circles.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from ._arguments import Spec, describe, number
from ._arguments import check as check_plain
from ._sizes import InputError, Sizes

Memo = dict[int, tuple[Any, Any]]
"""Every object met, so that it lives, and its copy."""


class Node:
    """What a part of such an argument may be."""

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the argument as the compiled model takes it, or raise InputError."""
        try:
            return self.take(value, {}, sizes)
        except _Misfit as misfit:
            text = place + "".join(reversed(misfit.path))
            raise InputError(f"{text}: {misfit.text}") from None

    def take(self, value: Any, memo: Memo, sizes: Sizes) -> Any:
        """Return the part as the compiled model takes it, or raise _Misfit."""
        raise NotImplementedError


_ORIGINAL = "original of the caller"


class copied:
    """A copy of a caller's object; what the model writes into it, the caller sees.

    Its ``__dict__`` has the caller's object as well.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value
        setattr(self.__dict__[_ORIGINAL], name, value)


class instance(Node):
    """An object of any class that has certain attributes, and may have others."""

    def __init__(
        self,
        name: str,
        attributes: Callable[[], Mapping[str, Spec]],
        partial: Callable[[], Mapping[str, Spec]] = dict,
        absent: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.attributes = _Attributes(attributes)
        self.partial = _Attributes(partial)
        self.absent = absent

    def __str__(self) -> str:
        return f"an object like a {self.name}"

    def take(self, value: Any, memo: Memo, sizes: Sizes) -> Any:
        """Return a copy with the attributes that the model reads."""
        known = memo.get(id(value))
        if known is not None:
            return known[1]
        made = _new(copied)
        content = made.__dict__
        content[_ORIGINAL] = value
        memo[id(value)] = (value, made)
        for name in self.absent:
            if hasattr(value, name):
                _misfit("no such attribute", f".{name}", getattr(value, name))
        for each in self.attributes.all():
            try:
                part = getattr(value, each.name)
            except AttributeError:
                _misfit(f"{self} with an attribute {each.name!r}", "", value)
            # most parts are numbers, objects and None: others are looked at closely
            if type(part) is each.kind or (part is None and each.may_be_none):
                content[each.name] = part
            else:
                try:
                    content[each.name] = each.take(part, memo, sizes)
                except (_Misfit, InputError) as misfit:
                    raise _from(misfit, each.step) from None
        for each in self.partial.all():
            if hasattr(value, each.name):
                part = getattr(value, each.name)
                content[each.name] = _take(each.spec, part, memo, sizes, each.step)
        return made


_new = object.__new__


class _Attribute:
    """An attribute: how a path to it ends, and what it may be."""

    __slots__ = ("kind", "may_be_none", "name", "spec", "step", "take")

    def __init__(self, name: str, spec: Spec) -> None:
        self.name, self.step, self.spec = name, f".{name}", spec
        self.may_be_none = isinstance(spec, optional)
        inner = spec.item if isinstance(spec, optional) else spec
        self.kind = _only_type(inner)
        """The type of which every value is taken as it is."""
        self.take = _taking(inner)


class _Attributes:
    """Attributes that are named by a function, as they may have the object they are of in them."""

    def __init__(self, named: Callable[[], Mapping[str, Spec]]) -> None:
        self._named = named
        self._all: list[_Attribute] | None = None

    def all(self) -> list[_Attribute]:
        """Return each attribute."""
        if self._all is None:
            self._all = [_Attribute(name, spec) for name, spec in self._named().items()]
        return self._all


def _only_type(spec: Spec) -> type | None:
    if isinstance(spec, text):
        return str
    return spec.types[0] if type(spec) is number and len(spec.types) == 1 else None


def _taking(spec: Spec) -> Callable[[Any, Memo, Sizes], Any]:
    """Return a function that returns a part as the model takes it."""
    if isinstance(spec, Node):
        return spec.take
    return lambda value, memo, sizes: check_plain(spec, "", value, sizes)


class many(Node):
    """A list of any length."""

    def __init__(self, item: Spec) -> None:
        self.item = item
        self._take = _taking(item)

    def __str__(self) -> str:
        return "a list"

    def take(self, value: Any, memo: Memo, sizes: Sizes) -> Any:
        """Return a list of the elements as the model takes them."""
        if not isinstance(value, list):
            _misfit(self, "", value)
        made: list[Any] = []
        take = self._take
        try:
            for part in value:
                made.append(take(part, memo, sizes))
        except (_Misfit, InputError) as misfit:
            raise _from(misfit, f"[{len(made)}]") from None
        return made


class distinct(Node):
    """A set with any number of elements: the caller's own, which is walked as it lies."""

    def __init__(self, item: Spec) -> None:
        self.item = item

    def __str__(self) -> str:
        return f"a set of which each element is {describe(self.item)}"

    def take(self, value: Any, memo: Memo, sizes: Sizes) -> Any:
        """Return the set, whose elements must be what the model takes."""
        if type(value) is not set:
            _misfit(self, "", value)
        for part in value:
            if not _is_taken(part, _take(self.item, part, memo, sizes, " (an element)")):
                _misfit(describe(self.item), " (an element)", part)
        return value


def _is_taken(part: Any, taken: Any) -> bool:
    """Return whether a number, text or tuple is taken as it is."""
    return part is taken or (type(part) is tuple and all(map(_is_taken, part, taken)))


class optional(Node):
    """None, or something else."""

    def __init__(self, item: Spec) -> None:
        self.item = item

    def __str__(self) -> str:
        return f"{describe(self.item)}, or None"

    def take(self, value: Any, memo: Memo, sizes: Sizes) -> Any:
        """Return None, or what the model takes."""
        return None if value is None else _take(self.item, value, memo, sizes, "")


class parts(Node):
    """A tuple."""

    def __init__(self, *items: Spec) -> None:
        self.items = items

    def __str__(self) -> str:
        return f"a tuple of {len(self.items)}"

    def take(self, value: Any, memo: Memo, sizes: Sizes) -> Any:
        """Return a tuple of the parts as the model takes them."""
        if not isinstance(value, tuple) or len(value) != len(self.items):
            _misfit(self, "", value)
        pairs = enumerate(zip(self.items, value, strict=True))
        return tuple(_take(item, part, memo, sizes, f"[{i}]") for i, (item, part) in pairs)


class text(Node):
    """A string."""

    def __str__(self) -> str:
        return "a string"

    def take(self, value: Any, memo: Memo, sizes: Sizes) -> Any:
        """Return the string."""
        if type(value) is not str:
            _misfit(self, "", value)
        return value


class _Misfit(Exception):
    """A part does not fit; ``path`` leads to it, innermost first."""

    def __init__(self, text: str, path: list[str]) -> None:
        self.text = text
        self.path = path
        super().__init__(text)


def _take(spec: Spec, value: Any, memo: Memo, sizes: Sizes, step: str) -> Any:
    try:
        return _taking(spec)(value, memo, sizes)
    except (_Misfit, InputError) as misfit:
        raise _from(misfit, step) from None


def _from(misfit: Exception, step: str) -> _Misfit:
    """Return what a part does not fit for, with one more step on the way to it."""
    if isinstance(misfit, _Misfit):
        misfit.path.append(step)
        return misfit
    return _Misfit(str(misfit).removeprefix(": "), [step])


def _misfit(expected: object, step: str, value: object) -> NoReturn:
    came = f"a value of type {type(value).__name__}"
    raise _Misfit(f"expected {expected}, got {came}", [step])
