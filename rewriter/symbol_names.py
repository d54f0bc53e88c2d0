"""The last step: symbols named as the user names them, or numbered in the program's order."""

import re
from dataclasses import dataclass, replace
from itertools import count

import sympy

from rewriter.parameters import (
    InputSpec,
    MappingInput,
    ObjectInput,
    SequenceInput,
    StaticInput,
    VariableInput,
    input_variables,
)
from rewriter.program import (
    Block,
    Branch,
    Dimension,
    Function,
    HostSpec,
    ObjectSpec,
    ScalarSpec,
    SymbolRange,
    TensorSpec,
    VariableSpec,
)
from rewriter.program_names import statement_targets
from rewriter.sizes import Sizes

_SYMBOL = re.compile(r"\bu\d+\b")


def name_symbols(function: Function, sizes: Sizes) -> Function:
    """Return the function with its symbols named, and their ranges."""
    naming = _Naming(_names(function, sizes))
    used = _used(function)
    variables = {
        name: replace(variable, spec=naming.spec(variable.spec)) if name in used else variable
        for name, variable in function.variables.items()
        if name in used or not _texts(variable.spec)
    }
    return replace(
        function,
        parameters=tuple(replace(p, spec=naming.given(p.spec)) for p in function.parameters),
        variables=variables,
        blocks={name: naming.block(block) for name, block in function.blocks.items()},
        symbols={new: _range(old, sizes) for old, new in naming.names.items()},
    )


@dataclass(frozen=True, slots=True)
class _Naming:
    """Puts the final names in place."""

    names: dict[str, str]

    def _text(self, text: str) -> str:
        return _SYMBOL.sub(lambda match: self.names[match[0]], text)

    def _dimension(self, size: Dimension) -> Dimension:
        return self._text(size) if isinstance(size, str) else size

    def spec(self, old: VariableSpec) -> VariableSpec:
        """Return what a variable holds."""
        match old:
            case TensorSpec() if _texts(old):
                return replace(old, shape=tuple(map(self._dimension, old.shape)))
            case ScalarSpec() if old.size is not None:
                known = all(symbol in self.names for symbol in _SYMBOL.findall(old.size))
                return replace(old, size=self._text(old.size) if known else None)
            case TensorSpec() | ScalarSpec() | HostSpec() | ObjectSpec():
                return old

    def block(self, old: Block) -> Block:
        """Return a block whose test speaks of symbols that have names."""
        end = old.terminator
        if not isinstance(end, Branch) or not (end.sizes_if_true or end.sizes_if_false):
            return old
        told = [
            {self.names[symbol]: size for symbol, size in sizes.items() if symbol in self.names}
            for sizes in (end.sizes_if_true, end.sizes_if_false)
        ]
        end = replace(end, sizes_if_true=told[0], sizes_if_false=told[1])
        return replace(old, terminator=end)

    def given(self, old: InputSpec) -> InputSpec:
        """Return what an argument is."""
        match old:
            case VariableInput():
                return replace(old, spec=self.spec(old.spec))
            case StaticInput():
                return old
            case SequenceInput():
                return replace(old, items=tuple(map(self.given, old.items)))
            case MappingInput():
                return replace(old, items=tuple((key, self.given(item)) for key, item in old.items))
            case ObjectInput():
                pairs = tuple((name, self.given(item)) for name, item in old.attributes)
                return replace(old, attributes=pairs)


def _texts(spec: VariableSpec) -> list[str]:
    """Return the sizes of a spec that are texts."""
    match spec:
        case TensorSpec():
            return [size for size in spec.shape if isinstance(size, str)]
        case ScalarSpec():
            return [] if spec.size is None else [spec.size]
        case HostSpec() | ObjectSpec():
            return []


def _used(function: Function) -> dict[str, None]:
    """Return the variables that parameters and statements assign, in order."""
    found = [name for p in function.parameters for name in input_variables(p.spec)]
    for block in function.blocks.values():
        for statement in block.statements:
            found += statement_targets(statement)
    return dict.fromkeys(found)


def _names(function: Function, sizes: Sizes) -> dict[str, str]:
    """Return the final names of the symbols in tensor shapes, and of those that bound numbers."""
    given = {str(symbol): name for symbol, name in sizes.named.items()}
    names: dict[str, str] = {}
    taken = set(given.values())
    free = (name for number in count() if (name := f"u{number}") not in taken)
    for variable in _used(function):
        spec = function.variables[variable].spec
        if isinstance(spec, TensorSpec):
            for text in _texts(spec):
                for symbol in _SYMBOL.findall(text):
                    if symbol not in names:
                        names[symbol] = given.get(symbol) or next(free)
    return names


def _range(symbol: str, sizes: Sizes) -> SymbolRange:
    return sizes.range_of(sympy.Symbol(symbol, integer=True))
