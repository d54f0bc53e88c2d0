"""The ATen operations of a sub-DNN over values: what a tensor holds from one write to the next."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import _disable_current_modes

from hcfg.execution import stepwise
from hcfg.fakes import Tracing, fake_inputs, has_unknown_numbers, quiet_traces
from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.statements import writes
from hcfg.tape import Storage, Tape, draws_random_numbers, storage_of, tensors_in, written_arguments

MIXED = "mixed"
"""The name of what a write through a view does to the other views: old and new elements."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Value:
    """The content of one tensor, until something is written into its storage."""

    dtype: torch.dtype
    shape: tuple[int, ...]
    content: torch.Tensor | None = field(repr=False)
    """The elements, where they are the same in every call."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Operation:
    """One operation."""

    name: str
    """Without namespace and overload; that of ``relu_`` is ``relu``."""
    arguments: Mapping[str, object]
    """By the names of the schema, defaults included; values in the place of tensors."""
    results: tuple[Value, ...]
    """What works in place has what it wrote as its result."""
    statement: int
    """The position of the statement that it belongs to."""

    @property
    def operands(self) -> tuple[Value, ...]:
        """Return the values that it reads."""
        return tuple(_values_in(list(self.arguments.values())))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What the statements of a sub-DNN do, in order."""

    operations: tuple[Operation, ...]
    variables: Mapping[str, Value]
    """What each variable holds when it is assigned."""


def trace(node_id: NodeId, node: SubDnn, graph: Hcfg) -> Trace | None:
    """Return the operations of a sub-DNN; None where sizes or numbers of run time take part."""
    if has_unknown_numbers(node, graph):
        return None
    fakes = fake_inputs(node_id, node, graph, Tracing(unknown_numbers=False))
    ledger = _Ledger(fakes.mode)
    values: dict[str, object] = dict(fakes.values)
    variables = {name: ledger.value_of(fake) for name, fake in fakes.tensors.items()}
    try:
        with torch.no_grad(), quiet_traces(), ledger:
            for statement in stepwise(node, graph, values):
                for name in writes(statement):
                    value = values[name]
                    if isinstance(value, torch.Tensor):
                        variables[name] = ledger.value_of(value)
                ledger.statement += 1
    except Exception:
        return None  # what cannot run on fake tensors of known sizes has no proofs here
    return Trace(operations=tuple(ledger.operations), variables=variables)


class _Ledger(Tape):  # type: ignore[no-untyped-call]  # torch has no types here
    """A tape that also keeps the operations themselves."""

    def __init__(self, fakes: FakeTensorMode) -> None:
        super().__init__(fakes, {})
        self.operations: list[Operation] = []
        self.statement = 0
        self._values: dict[int, Value] = {}
        self._views: dict[Storage, list[torch.Tensor]] = defaultdict(list)
        """Held, so that no ``id`` is given out twice."""

    def value_of(self, tensor: torch.Tensor) -> Value:
        """Return what a tensor holds now."""
        fake = self.fake(tensor)
        if id(fake) not in self._values:
            content = None if isinstance(tensor, FakeTensor) else tensor
            self._hold(fake, _value(fake, content))
        return self._values[id(fake)]

    def _hold(self, fake: torch.Tensor, value: Value) -> None:
        if id(fake) not in self._values:
            self._views[storage_of(fake)].append(fake)
        self._values[id(fake)] = value

    def _write_down(self, function: Any, given: Any, faked: Any, result: object) -> None:
        super()._write_down(function, given, faked, result)
        args, kwargs = given
        arguments = self._with_values(_named(function, args, kwargs))
        written = [self.fake(tensor) for tensor in written_arguments(function, *faked)]
        made = [self.fake(tensor) for tensor in tensors_in(result)] or written
        contents: Sequence[torch.Tensor | None] = [None] * len(made)
        if not written:
            contents = self._computed(function, args, kwargs, arguments) or contents
        results = tuple(_value(fake, own) for fake, own in zip(made, contents, strict=True))
        self._note(_name(function), arguments, results)
        for fake, value in zip(made, results, strict=True):
            self._hold(fake, value)
        for fake in written:
            self._mix(fake, made, results)

    def _mix(
        self, written: torch.Tensor, made: Sequence[torch.Tensor], results: Sequence[Value]
    ) -> None:
        """Let what shares storage with a tensor that was written hold old and new elements."""
        for view in self._views[storage_of(written)]:
            if not any(view is fake for fake in made):
                mixed = _value(view, None)
                arguments = {"old": self._values[id(view)], "new": results[0]}
                self._note(MIXED, arguments, (mixed,))
                self._values[id(view)] = mixed

    def _note(self, name: str, arguments: Mapping[str, object], results: tuple[Value, ...]) -> None:
        self.operations.append(
            Operation(name=name, arguments=arguments, results=results, statement=self.statement)
        )

    def _with_values(self, argument: Any) -> Any:
        match argument:
            case torch.Tensor():
                return self.value_of(argument)
            case list() | tuple():
                return [self._with_values(each) for each in argument]
            case dict():
                return {name: self._with_values(each) for name, each in argument.items()}
            case _:  # numbers, types, devices: whatever operations take
                return argument

    def _computed(
        self, function: Any, args: Any, kwargs: Any, arguments: Mapping[str, object]
    ) -> Sequence[torch.Tensor] | None:
        """Return the elements of results that are the same in every call, computed now."""
        if draws_random_numbers(function, args, kwargs) or function.name().startswith(_UNKNOWN):
            return None
        if any(value.content is None for value in _values_in(list(arguments.values()))):
            return None
        try:
            with _disable_current_modes(), torch.no_grad():
                return list(tensors_in(function(*self._real(args), **self._real(kwargs))))
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
            return None

    def _real(self, argument: Any) -> Any:
        match argument:
            case torch.Tensor():
                return self.value_of(argument).content
            case list() | tuple():
                return [self._real(each) for each in argument]
            case dict():
                return {name: self._real(each) for name, each in argument.items()}
            case _:  # numbers, types, devices: whatever operations take
                return argument


_UNKNOWN = ("aten::empty", "aten::new_empty")
"""What these hold is nothing that one may know."""


def _name(function: Any) -> str:
    name: str = function.overloadpacket.__name__.removesuffix("_")
    return f"{name}.dtype" if function._overloadname == "dtype" else name  # bits as another type


def _value(fake: torch.Tensor, content: torch.Tensor | None) -> Value:
    return Value(dtype=fake.dtype, shape=tuple(fake.shape), content=content)


def _named(function: Any, args: Sequence[object], kwargs: Mapping[str, object]) -> dict[str, Any]:
    schema = function._schema.arguments
    named = {a.name: a.default_value for a in schema if a.has_default_value()}
    named |= {a.name: value for a, value in zip(schema, args, strict=False)}
    return named | dict(kwargs)


def _values_in(argument: object) -> Iterator[Value]:
    match argument:
        case Value():
            yield argument
        case list():
            for each in argument:
                yield from _values_in(each)
        case _:  # numbers, types, devices
            return
