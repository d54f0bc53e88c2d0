"""Naming: the unique variables of the evaluator get the user's names back.

``x__1 = conv(x__0)`` becomes ``x = conv(x)`` where ``x__0`` is not read again. Two variables
share a name only if they are never alive at once with different values.
"""

import builtins
import keyword
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from rewriter.parameters import VariableInput, input_variables
from rewriter.printing.interference import Interference, copied_name
from rewriter.printing.liveness import statement_names, terminator_names
from rewriter.printing.renaming import rename_function
from rewriter.program import (
    CallStatement,
    Copy,
    Function,
    HostStatement,
    TensorFromHost,
    TensorStatement,
)

RESERVED = frozenset(keyword.kwlist) | {"_"}
"""Names that a variable never gets; ``_`` is where unused parts of a pattern go."""


def name_variables(
    function: Function, taken: Collection[str] = (), *, is_entry: bool = True
) -> Function:
    """Return the function with readable names, and without copies of a name to itself.

    Parameters of the entry keep the names of the signature, those of specialised functions
    are named like other variables. No other variable gets a name in
    ``taken`` (names that the text uses for something else, such as ``torch`` and ``self``)
    or a name that the function's own expressions use (``len``).
    The table of variables of the result is for text: it holds one entry a name.
    """
    interference = Interference(function)
    fixed = {
        parameter.spec.variable: parameter.name
        for parameter in function.parameters
        if isinstance(parameter.spec, VariableInput) and is_entry
    }
    parameters = frozenset(v for p in function.parameters for v in input_variables(p.spec))
    hints = _Hints(function, fixed, parameters if not is_entry else fixed.keys(), interference)
    hints.coalesce()
    taken = RESERVED.union(taken, _other_names(function))
    names = _choose_names(function, fixed, hints, taken)
    named = rename_function(function, names)
    return named if is_entry else _with_parameters_named(named)


def _with_parameters_named(function: Function) -> Function:
    """Return the function with its parameters called as the variables that they give."""
    parameters = tuple(
        replace(parameter, name=parameter.spec.variable)
        if isinstance(parameter.spec, VariableInput)
        else parameter
        for parameter in function.parameters
    )
    return replace(function, parameters=parameters)


class _Hints:
    """Coalesces groups, and knows what the user would call each."""

    def __init__(
        self,
        function: Function,
        fixed: Mapping[str, str],
        parameters: Collection[str],
        interference: Interference,
    ) -> None:
        self._parameters = frozenset(parameters)
        self.interference = interference
        self.words = {
            name: fixed.get(name) or _word(variable.hint)
            for name, variable in function.variables.items()
        }
        self._copies = list(_copies(function))

    def coalesce(self) -> None:
        """Merge the groups that copies connect, those with one name first."""
        for copy in self._copies:
            if copy.is_update or self.word(copy.target) == self.word(copy.source):
                self._merge(copy)
        for copy in self._copies:
            if is_temporary(self.word(copy.target)) or is_temporary(self.word(copy.source)):
                self._merge(copy)
        for copy in self._copies:
            if self._reads_well(copy):
                self._merge(copy)

    def word(self, variable: str) -> str:
        """Return what the group of a variable is called by the user."""
        return self.words[self.interference.group(variable)]

    def _reads_well(self, copy: "_CopyPair") -> bool:
        """Return whether a user's variable may be called as another that it is copied to.

        ``out = x`` stays where ``x`` is a parameter, and where two values that the user
        calls ``out`` would be alive at once.
        """
        target, source = map(self.interference.group, (copy.target, copy.source))
        return not self._has_parameter(source) and not any(
            self.words[other] == self.words[target]
            for other in self.interference.neighbours(source)
        )

    def _has_parameter(self, group: str) -> bool:
        return not self._parameters.isdisjoint(self.interference.members(group))

    def _rank(self, group: str) -> int:
        """Return how much the name of a group is worth keeping."""
        return 2 if self._has_parameter(group) else int(not is_temporary(self.words[group]))

    def _merge(self, copy: "_CopyPair") -> None:
        kept, absorbed = map(self.interference.group, (copy.target, copy.source))
        if kept == absorbed or self.interference.interfere(kept, absorbed):
            return
        if self._rank(absorbed) > self._rank(kept):
            kept, absorbed = absorbed, kept
        self.interference.merge(kept, absorbed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _CopyPair:
    target: str
    source: str
    is_update: bool


def is_temporary(hint: str) -> bool:
    """Return whether a hint marks a variable that the evaluator made up."""
    return hint.startswith("_")


def _copies(function: Function) -> Iterator[_CopyPair]:
    for block in function.blocks.values():
        for statement in block.statements:
            match statement:
                case TensorStatement():
                    for new, old in statement.updates:
                        yield _CopyPair(target=new, source=old, is_update=True)
                case HostStatement() | TensorFromHost() | CallStatement():
                    pass
                case Copy():
                    for target, source in zip(statement.targets, statement.sources, strict=True):
                        name = copied_name(source)
                        if name is not None and name in function.variables:
                            yield _CopyPair(target=target, source=name, is_update=False)


def _choose_names(
    function: Function, fixed: Mapping[str, str], hints: _Hints, taken: frozenset[str]
) -> Mapping[str, str]:
    """Give each group the first free name: parameters first, then by order of creation."""
    interference = hints.interference
    names = {interference.group(variable): name for variable, name in fixed.items()}
    parts = _parts_of_arguments(function)
    signature = frozenset(parameter.name for parameter in function.parameters)
    for variable in function.variables:
        group = interference.group(variable)
        if group in names:
            continue
        avoided = {names[other] for other in interference.neighbours(group) if other in names}
        if not parts.isdisjoint(interference.members(group)):
            # Taken out of an argument while other arguments may still be needed.
            avoided |= signature
        names[group] = _first_free(hints.words[group], taken | avoided)
    return {variable: names[interference.group(variable)] for variable in function.variables}


def _other_names(function: Function) -> frozenset[str]:
    """Return the names in expressions that are not variables: builtins, known references."""
    names: set[str] = set()
    for block in function.blocks.values():
        names.update(terminator_names(block.terminator))
        names.update(*map(statement_names, block.statements))
    return frozenset(names - function.variables.keys())


def _parts_of_arguments(function: Function) -> frozenset[str]:
    return frozenset(
        variable
        for parameter in function.parameters
        if not isinstance(parameter.spec, VariableInput)
        for variable in input_variables(parameter.spec)
    )


def _first_free(word: str, taken: Collection[str]) -> str:
    name, count = word, 0
    while name in taken:
        count += 1
        name = f"{word}_{count}"
    return name


def _word(hint: str) -> str:
    """Return the name to try first: the user's, or for a temporary what made it."""
    word = hint.lstrip("_")
    if not word.isidentifier():
        return "value"
    return f"{word}_value" if hint != word and hasattr(builtins, word) else word
