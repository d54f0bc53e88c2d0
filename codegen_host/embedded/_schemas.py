"""Arguments whose structure is known only at run time, such as trees: checked and copied.

Every object is copied with the attributes that the compiled model reads. What was one object
stays one object, and objects may refer to each other in circles.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from ._arguments import Spec, describe
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


class copied:
    """A copy of a caller's object; what the model writes into it, the caller sees."""

    def __init__(self, original: Any) -> None:
        self.__dict__["original of the caller"] = original

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value
        setattr(self.__dict__["original of the caller"], name, value)


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
        made = copied(value)
        memo[id(value)] = (value, made)
        for name in self.absent:
            if hasattr(value, name):
                _misfit("no such attribute", f".{name}", getattr(value, name))
        content = made.__dict__
        for name, step, spec in self.attributes.all():
            try:
                part = getattr(value, name)
            except AttributeError:
                _misfit(f"{self} with an attribute {name!r}", "", value)
            content[name] = _take(spec, part, memo, sizes, step)
        for name, step, spec in self.partial.all():
            if hasattr(value, name):
                content[name] = _take(spec, getattr(value, name), memo, sizes, step)
        return made


class _Attributes:
    """Attributes that are named by a function, as they may have the object they are of in them."""

    def __init__(self, named: Callable[[], Mapping[str, Spec]]) -> None:
        self._named = named
        self._all: list[tuple[str, str, Spec]] | None = None

    def all(self) -> list[tuple[str, str, Spec]]:
        """Return the name of each, how a path to it ends, and what it may be."""
        if self._all is None:
            self._all = [(name, f".{name}", spec) for name, spec in self._named().items()]
        return self._all


class many(Node):
    """A list of any length."""

    def __init__(self, item: Spec) -> None:
        self.item = item

    def __str__(self) -> str:
        return "a list"

    def take(self, value: Any, memo: Memo, sizes: Sizes) -> Any:
        """Return a list of the elements as the model takes them."""
        if not isinstance(value, list):
            _misfit(self, "", value)
        return [_take(self.item, part, memo, sizes, f"[{i}]") for i, part in enumerate(value)]


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
        if isinstance(spec, Node):
            return spec.take(value, memo, sizes)
        return check_plain(spec, "", value, sizes)
    except _Misfit as misfit:
        misfit.path.append(step)
        raise
    except InputError as error:
        raise _Misfit(str(error).removeprefix(": "), [step]) from None


def _misfit(expected: object, step: str, value: object) -> NoReturn:
    came = f"a value of type {type(value).__name__}"
    raise _Misfit(f"expected {expected}, got {came}", [step])
