"""Sizes at joins: those that differ between paths become symbols, equal tuples one symbol."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

import sympy
import torch

from rewriter.builder import Builder
from rewriter.program import ScalarSpec
from rewriter.size_expressions import Size, expression_of, key_of
from rewriter.sizes import Sizes
from rewriter.values import Known, ScalarValue, Value


@dataclass(slots=True)
class SizeJoiner:
    """Finds, for sizes on several paths, one that stands for all of them.

    That is anti-unification: wherever the same sizes meet, it is the same symbol, so that
    what is equal on every path stays equal.
    """

    sizes: Sizes
    size_of: Callable[[ScalarValue], torch.SymInt | None]
    """The size that an integer of the host is known to equal, if any."""
    numbers: dict[sympy.Basic, ScalarValue]
    """Symbols that stand for a number of the host, and that number."""
    any_size: bool = False
    """Whether tensors of different sizes are joined."""
    _joined: dict[tuple[Hashable, ...], Size] = field(default_factory=dict)
    _of_tensors: bool = False

    def begin(self, *, any_size: bool) -> None:
        """Forget the symbols of the last join."""
        self.any_size = any_size
        self._joined.clear()
        self._of_tensors = False

    def joined(self, column: Sequence[Size], *, natural: bool) -> Size:
        """Return the size that stands for one size on each path."""
        keys = tuple(map(key_of, column))
        if all(key == keys[0] for key in keys):
            return column[0]
        if keys not in self._joined:
            bounds = [self.sizes.bounds_of(expression_of(size)) for size in column]
            lows, highs = ([pair[i] for pair in bounds] for i in (0, 1))
            low = None if None in lows else min(n for n in lows if n is not None)
            high = None if None in highs else max(n for n in highs if n is not None)
            self._joined[keys] = self.sizes.new(0 if natural and low is None else low, high)
        return self._joined[keys]

    def replacements(self, path: int) -> dict[sympy.Symbol, sympy.Basic]:
        """Return, for the symbols of this join, the sizes that they stand for on one path.

        There are none to speak of where sizes of tensors are the same on all paths.
        """
        if not self._of_tensors:
            return {}
        return {
            expression_of(size): sympy.sympify(keys[path])
            for keys, size in self._joined.items()
            if len(keys) > path
        }

    def shape(self, tensors: Sequence[torch.Tensor]) -> tuple[Size, ...]:
        """Return the shape that stands for the shapes of one tensor on each path."""
        columns = list(zip(*(tensor.shape for tensor in tensors), strict=True))
        self._of_tensors |= any(len(set(map(key_of, column))) > 1 for column in columns)
        return tuple(self.joined(column, natural=True) for column in columns)

    def number(
        self, builder: Builder, name: str, kind: type | None, column: Sequence[Value]
    ) -> ScalarValue:
        """Return the number that stands for one number on each path.

        It is related to sizes of tensors only where those are joined, too.
        """
        if kind is not int or len(column) == 1 or not self.any_size:
            return ScalarValue(name, kind)
        known = [self._size(value) for value in column]
        sizes = [size for size in known if size is not None]
        if len(sizes) < len(known):
            return ScalarValue(name, kind)
        return self.sized(builder, name, self.joined(sizes, natural=False))

    def sized(self, builder: Builder, name: str, size: Size) -> ScalarValue:
        """Return an integer of the host that equals a size."""
        if isinstance(size, int):
            return ScalarValue(name, int)
        expression = expression_of(size)
        low, high = self.sizes.bounds_of(expression)
        text = self.sizes.text_of(expression)
        builder.respecify(name, ScalarSpec(type=int, minimum=low, maximum=high, size=text))
        number = ScalarValue(name, int, size)
        if expression.is_Symbol:
            self.numbers.setdefault(expression, number)
        return number

    def _size(self, value: Value) -> Size | None:
        match value:
            case Known() if type(value.value) is int:
                return int(value.value)
            case ScalarValue() if value.type is int:
                return self.size_of(value)
            case _:
                return None
