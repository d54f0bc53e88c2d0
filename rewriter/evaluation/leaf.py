"""Leaf calls: library operations on tensors, tried on fake tensors and left in the residual."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NoReturn

import libcst as cst
import numpy
import sympy
import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    UnsupportedFakeTensorException,
    UnsupportedOperatorException,
)
from torch.utils._pytree import tree_leaves, tree_map

from rewriter.builder import tensor_spec
from rewriter.evaluation.observation import (
    Observer,
    WritesModel,
    concrete_copy,
    forget_memos,
    quiet_fake_tensors,
)
from rewriter.evaluation.operands import RealTensors, known_tensors, tensors_of
from rewriter.evaluation.overlap import overlap_error
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.rendering import NotMaterial, any_fake, materialize
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.evaluation.size_grid import symbols_among
from rewriter.evaluation.size_trials.calls import SizedCall
from rewriter.evaluation.size_trials.judging import judge
from rewriter.evaluation.size_trials.verdicts import Computed, Raises, Split, Undecided
from rewriter.evaluation.size_values import NotOnHost, branch_on_relation, decided, number_from_size
from rewriter.flattening import Flattening, Roots
from rewriter.on_the_way import leaves_on_the_way
from rewriter.program import Pattern, TensorStatement
from rewriter.size_expressions import is_fixed, keys_of
from rewriter.sizes import UndecidedSize
from rewriter.state import State
from rewriter.storages import same_view, storage_key
from rewriter.values import HostValue, Known, ListCell, TensorValue, TupleValue, Value

_SHARE_MEMORY = frozenset({"from_numpy", "as_tensor", "asarray", "frombuffer", "from_dlpack"})
"""Functions that may make a tensor over the memory of an array which is not dycl's."""
_MOST_FACTS = 40
"""Relations between sizes on one path, beyond which it is not split further."""
_LARGEST_CONSTANT = 1 << 20
"""Elements up to which results that depend on no input are computed at compile time."""


@dataclass(slots=True)
class Operation:
    """One library operation about to be evaluated."""

    frame: Frame
    node: cst.CSTNode
    state: State
    compute: Callable[..., object]
    operands: tuple[Value, ...]
    keywords: dict[str, Value]
    expression: ast.expr
    stores_into: ast.expr | None = None
    description: str = ""
    module: bool = False
    """A module's call: its parameters are operands that do not show."""

    @property
    def run(self) -> Run:
        """Return the run this belongs to."""
        return self.frame.run

    def evaluate(self) -> Outcomes:
        """Run the operation on fake tensors; emit it; yield its result."""
        arguments, keywords = self._materialized()
        symbols = symbols_among(arguments, keywords)
        if symbols:
            yield from self._at_every_size(arguments, keywords, symbols)
            return
        observer = Observer()
        try:
            result = self._on_fakes(arguments, keywords, observer)
        except Refused:
            raise
        except WritesModel as stop:
            self._refuse_lasting(stop.tensor)
        except Exception as error:
            self.run.raise_known(self.state, self._eager_error(error, arguments, keywords))
            return
        overlap = overlap_error(self.compute, arguments, keywords, observer.written)
        if overlap is not None:
            self.run.raise_known(self.state, overlap)
            return
        yield from self._evaluated(arguments, keywords, result, observer)

    def _evaluated(
        self,
        arguments: list[object],
        keywords: dict[str, object],
        result: object,
        observer: Observer,
    ) -> Outcomes:
        """Emit the operation, which gave a result; yield it as a value."""
        self._check(observer)
        self._mark_shared_memory(arguments, keywords, result)
        constants = self._constant(arguments, keywords, result, observer)
        updates = self._updates(observer.written)
        pattern, value = self._wrap(result, constants)
        self._emit(result, pattern, updates)
        self.state.carry(value)
        yield self.state, value

    def _at_every_size(
        self, arguments: list[object], keywords: dict[str, object], symbols: list[sympy.Symbol]
    ) -> Outcomes:
        """Evaluate an operation on sizes known only at run time, by paths where it must be."""
        facts = self.state.size_facts
        self.run.sizes.facts = facts
        verdict = judge(
            SizedCall(
                run=self.run,
                compute=self.compute,
                arguments=arguments,
                keywords=keywords,
                symbols=symbols,
                facts=facts,
            )
        )
        match verdict:
            case Computed():
                for one, other in verdict.related:
                    self.run.storages.relate(one, other)
                self.state.size_facts |= verdict.facts
                self._refuse_overlap(arguments, keywords, verdict.observer)
                result, observer = verdict.result, verdict.observer
                yield from self._evaluated(arguments, keywords, result, observer)
            case Split():
                for arm, _ in self._branches(verdict.relation):
                    yield from replace(self, state=arm).evaluate()
            case Raises() if verdict.relation == sympy.true:
                self.run.raise_known(self.state, verdict.error)
            case Raises():
                for arm, raises in self._branches(verdict.relation):
                    if raises:
                        self.run.raise_known(arm, verdict.error)
                    else:
                        yield from replace(self, state=arm).evaluate()
            case Undecided():
                self.frame.refuse(
                    "DYCL075",
                    self.node,
                    f"what {self.description or 'this operation'} gives depends on sizes known "
                    f"only at run time: {verdict.reason}",
                    "test the sizes before, or give the dimension a narrower range",
                )

    def _branches(self, relation: sympy.Basic) -> Iterator[tuple[State, bool]]:
        tensors = tensors_of(self.state, (*self.operands, *self.keywords.values()))
        tensors = [self.state.current(tensor) for tensor in tensors]
        known = decided(self.run, self.state, relation)
        if len(self.state.size_facts) > _MOST_FACTS or known is not None:
            self.frame.refuse("DYCL075", self.node, f"too many sizes are compared here: {relation}")
        try:
            return branch_on_relation(self.frame, self.node, self.state, relation, tensors)
        except NotOnHost as error:
            self.frame.refuse(
                "DYCL075",
                self.node,
                f"what {self.description or 'this operation'} gives depends on {relation}, and the "
                f"host does not have {error}",
            )

    def _refuse_overlap(
        self, arguments: list[object], keywords: dict[str, object], observer: Observer
    ) -> None:
        read = arguments if self.stores_into is None else arguments[1:]
        operands = [x for x in tree_leaves((read, keywords)) if isinstance(x, FakeTensor)]
        for written in observer.written:
            sharing = [x for x in operands if storage_key(x) == storage_key(written)]
            if 0 in keys_of(written.stride()) or any(not same_view(x, written) for x in sharing):
                self.frame.refuse(
                    "DYCL075",
                    self.node,
                    "this writes into memory that it may read, depending on sizes known only at "
                    "run time",
                    "clone() what is read",
                )

    def _materialized(self) -> tuple[list[object], dict[str, object]]:
        try:
            arguments = [materialize(self.state, operand, self.run) for operand in self.operands]
            keywords = {
                name: materialize(self.state, value, self.run)
                for name, value in self.keywords.items()
            }
        except NotMaterial as error:
            self.frame.refuse("DYCL030", self.node, f"{error.reason} is used in a tensor operation")
        for known in known_tensors(self.state, (*self.operands, *self.keywords.values())):
            self.run.mark_lasting(known.value)
        return arguments, keywords

    def _on_fakes(
        self, arguments: list[object], keywords: dict[str, object], observer: Observer
    ) -> object:
        """Run the operation on fake tensors; refuse what they cannot stand for."""
        self.run.sizes.begin(self.state.size_facts)
        forget_memos((arguments, keywords))
        try:
            with torch.no_grad(), quiet_fake_tensors(), self.run.mode, observer:
                result = self.compute(*arguments, **keywords)
        except (
            DataDependentOutputException,
            DynamicOutputShapeException,
            UndecidedSize,
        ) as error:
            self.frame.refuse(
                "DYCL031",
                self.node,
                f"the result of {self.description or 'this operation'} has a size or value that "
                f"depends on the input's content ({str(error).partition(chr(10))[0]})",
            )
        except (UnsupportedFakeTensorException, UnsupportedOperatorException) as error:
            self.frame.refuse(
                "DYCL032", self.node, f"PyTorch cannot run this on fake tensors: {error}"
            )
        if any(isinstance(x, torch.Tensor) and not _is_dense(x) for x in tree_leaves(result)):
            self.frame.refuse(
                "DYCL032", self.node, "the result is sparse, nested, quantised or not on the CPU"
            )
        return result

    def _mark_shared_memory(
        self, arguments: list[object], keywords: dict[str, object], result: object
    ) -> None:
        """Record that tensors made from numpy arrays share memory with them."""
        if self.description in _SHARE_MEMORY and any(
            isinstance(part, numpy.ndarray) for part in tree_leaves((arguments, keywords))
        ):
            for tensor in tree_leaves(result):
                self.run.mark_lasting(tensor)

    def _emit(self, result: object, pattern: Pattern, updates: tuple[tuple[str, str], ...]) -> None:
        stores = self.stores_into is not None
        if result is None and not updates and not stores and not self.module:
            self.frame.refuse(
                "DYCL045",
                self.node,
                f"{self.description or 'this operation'}() gives nothing: its effect is unknown",
            )
        if pattern is not None or updates or stores:
            self.run.builder.emit(
                self.state.block,
                TensorStatement(
                    pattern=pattern,
                    expression=self.expression,
                    origin=self.frame.origin(self.node),
                    stores_into=self.stores_into,
                    updates=updates,
                ),
            )

    def _eager_error(
        self, error: Exception, arguments: list[object], keywords: dict[str, object]
    ) -> Exception:
        """Return the error that PyTorch itself raises here: fake tensors may word it otherwise."""
        if self.module:
            return RuntimeError(*error.args) if isinstance(error, AssertionError) else error
        try:
            with torch.no_grad():
                self.compute(
                    *tree_map(concrete_copy, arguments), **tree_map(concrete_copy, keywords)
                )
        except Exception as actual:
            return actual
        self.frame.refuse("DYCL032", self.node, f"PyTorch cannot run this on fake tensors: {error}")

    # --- constants --------------------------------------------------------------------------

    def _constant(
        self, arguments: list[object], keywords: dict[str, object], result: object, seen: Observer
    ) -> object:
        """Return the real result where it depends on no input, else None."""
        if self.module or seen.written or seen.random or not any_fake(result):
            return None
        if symbols_among(arguments, keywords):
            return None
        operands = tensors_of(self.state, (*self.operands, *self.keywords.values()))
        if any(operand.constant is None for operand in operands):
            return None
        sizes = [x.numel() for x in tree_leaves(result) if isinstance(x, torch.Tensor)]
        if sum(sizes) > _LARGEST_CONSTANT:
            return None
        real = {id(operand.fake): operand.constant for operand in operands}
        swap = RealTensors(real)
        with torch.no_grad():
            return self.compute(
                *(swap(argument) for argument in arguments),
                **{name: swap(argument) for name, argument in keywords.items()},
            )

    # --- checks -----------------------------------------------------------------------------

    def _check(self, observer: Observer) -> None:
        own = {id(leaf.fake) for leaf in tensors_of(self.state, self.operands)}
        if any(id(tensor) in own for tensor in observer.reshaped):
            self.frame.refuse(
                "DYCL042",
                self.node,
                "the shape of a tensor is changed in place",
                "use the operation that returns a new tensor",
            )
        if observer.may_raise and self.run.guarded_tensors:
            self.frame.refuse(
                "DYCL063",
                self.node,
                "this may raise, depending on the content of tensors, inside a `try` that may "
                "catch it",
                "test the indices before the operation instead",
            )
        if observer.random is not None and not self.run.options.allow_random:
            self.frame.refuse(
                "DYCL033",
                self.node,
                f"random numbers are drawn here ({observer.random})",
                "put the model in eval mode, or pass CompileOptions(allow_random=True)",
            )
        if len(self.run.builder.variables) > self.run.options.most_statements:
            self.frame.refuse(
                "DYCL022",
                self.node,
                f"the rewritten program exceeds {self.run.options.most_statements} statements",
                "raise CompileOptions.most_statements, or shorten the loop that multiplies here",
            )

    # --- writes in place --------------------------------------------------------------------

    def _updates(self, written: list[torch.Tensor]) -> tuple[tuple[str, str], ...]:
        """Give every live tensor whose content was written a new variable."""
        created_here = [x for x in written if isinstance(x, FakeTensor)]
        leaves = self._live_leaves() if written else []
        live = {leaf.name: leaf for leaf in leaves if isinstance(leaf, TensorValue)}
        storages = {storage_key(tensor) for tensor in written}
        touched = [leaf for leaf in live.values() if storage_key(leaf.fake) in storages]
        if not touched and len(created_here) == len(written):
            return ()  # only tensors that the library made and keeps to itself
        for tensor in written:
            if self.run.storages.may_last(tensor) and not self.run.lend_argument(tensor):
                self._refuse_lasting(tensor)
            if any(map(_is_array, leaves)) and self.run.storages.may_be_exported(tensor):
                self.frame.refuse(
                    "DYCL035",
                    self.node,
                    "this writes into the memory of a numpy array that is used later",
                    "take a copy of the array first: .numpy().copy()",
                )
            self._refuse_ambiguous(tensor, live)
        self.run.storages.writes += 1
        updates = []
        for leaf in touched:
            new = self._renamed(leaf)
            self.state.rename(leaf, new)
            updates.append((new.name, leaf.name))
        return tuple(updates)

    def _refuse_lasting(self, tensor: torch.Tensor) -> NoReturn:
        """Keep a tensor of the model that is written from call to call, or refuse the write."""
        if not self.module:
            self.run.keep_tensor(tensor)
        self.frame.refuse(
            "DYCL034",
            self.node,
            "an input, parameter, buffer or other tensor that outlives the call "
            "is (or may be) changed in place",
            "work on a clone()",
        )

    def _live_leaves(self) -> list[Value]:
        roots = Roots(
            frames=self.run.live_frames(),
            attributes=tuple(self.state.attributes),
            extra=(*self.operands, *self.keywords.values()),
        )
        return [*Flattening(self.state, roots).run().leaves, *leaves_on_the_way(self.state)]

    def _renamed(self, leaf: TensorValue) -> TensorValue:
        hint = self.run.builder.variables[leaf.name].hint
        name = self.run.builder.variable(hint, tensor_spec(leaf.fake))
        self.run.storages.inherit(name, leaf.name)
        return TensorValue(name, leaf.fake)

    def _refuse_ambiguous(self, written: torch.Tensor, live: dict[str, TensorValue]) -> None:
        for leaf in live.values():
            if storage_key(leaf.fake) != storage_key(written) and (
                self.run.storages.may_coincide(leaf.fake, written)
            ):
                self.frame.refuse(
                    "DYCL035",
                    self.node,
                    "this writes into a tensor that is the same memory as another live "
                    "tensor on some paths only",
                    "use the out-of-place operation, or clone() one of them",
                )

    # --- results ----------------------------------------------------------------------------

    def _wrap(self, result: object, real: object) -> tuple[Pattern, Value]:
        if isinstance(result, torch.Tensor):
            return self._wrap_tensor(result, real if isinstance(real, torch.Tensor) else None)
        if type(result) is list or (isinstance(result, tuple) and not _is_size(result)):
            parts = [
                self._wrap(item, real[index] if isinstance(real, (list, tuple)) else None)
                for index, item in enumerate(result)
            ]
            values = tuple(value for _, value in parts)
            patterns = tuple(pattern for pattern, _ in parts)
            pattern: Pattern = None if all(p is None for p in patterns) else patterns
            if isinstance(result, tuple):
                return pattern, TupleValue(values, type(result))
            return pattern, self.run.allocate(self.state, ListCell(values))
        if isinstance(result, dict) and any_fake(result):
            self.frame.refuse("DYCL036", self.node, "a library call returns a dict of tensors")
        if isinstance(result, torch.SymInt):
            return None, self._number(result)
        if isinstance(result, torch.SymBool | torch.SymFloat):
            self.frame.refuse(
                "DYCL075", self.node, "a truth or float that depends on sizes is not supported"
            )
        if isinstance(result, torch.Size) and not all(isinstance(size, int) for size in result):
            sizes = (Known(s) if isinstance(s, int) else self._number(s) for s in result)
            return None, TupleValue(tuple(sizes), torch.Size)
        return None, Known(result)

    def _number(self, size: torch.SymInt) -> Value:
        tensors = tensors_of(self.state, (*self.operands, *self.keywords.values()))
        current = [self.state.current(tensor) for tensor in tensors]
        try:
            return number_from_size(self.frame, self.node, self.state, size, current)
        except NotOnHost as error:
            self.frame.refuse("DYCL075", self.node, f"the host does not have the size {error}")

    def _wrap_tensor(
        self, result: torch.Tensor, real: torch.Tensor | None
    ) -> tuple[Pattern, Value]:
        for operand in tensors_of(self.state, (*self.operands, *self.keywords.values())):
            if same_view(operand.fake, result):
                same = self.state.current(operand)
                if result is not operand.fake:
                    self.run.storages.aliased.add(same.name)
                return None, same
        for known in known_tensors(self.state, (*self.operands, *self.keywords.values())):
            if known.value is result:
                return None, known
        if not isinstance(result, FakeTensor):
            return None, Known(result)
        if real is not None and not is_fixed(result):
            with self.run.mode:
                result = torch.empty(tuple(real.shape), dtype=real.dtype)
        name = self.run.builder.variable(self._hint(), tensor_spec(result))
        if self._is_gradless():
            self.run.gradless.add(name)
        return name, TensorValue(name, result, real)

    def _hint(self) -> str:
        """Return a word for a result without a name of the user's: what made it."""
        word = self.description.rpartition(".")[2].lower()
        return f"_{word}" if word.isidentifier() else "_tensor"

    def _is_gradless(self) -> bool:
        if self.run.grad_modes and not self.run.grad_modes[-1]:
            return True
        operands = (*self.operands, *self.keywords.values())
        tensors = tensors_of(self.state, operands)
        known = [k.value for k in known_tensors(self.state, operands)]
        return (
            not self.module
            and all(tensor.name in self.run.gradless for tensor in tensors)
            and not any(isinstance(x, torch.Tensor) and x.requires_grad for x in known)
        )


def _is_dense(tensor: torch.Tensor) -> bool:
    """Return whether a tensor is an array in the host's memory."""
    return tensor.layout is torch.strided and not tensor.is_quantized and not tensor.is_nested


def _is_array(leaf: Value) -> bool:
    return isinstance(leaf, HostValue) and isinstance(leaf.sample, numpy.ndarray)


def _is_size(result: object) -> bool:
    return isinstance(result, torch.Size)
