"""What one partial evaluation shares: the run, its frames, and how it refuses."""

import ast
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias

import libcst as cst
import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from rewriter.alike import DescribedModules
from rewriter.argument_objects import ArgumentObjects
from rewriter.builder import Builder
from rewriter.closure import Closure
from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.calls.cached import Cached
from rewriter.evaluation.calls.call_table import CallTable
from rewriter.evaluation.control.container_changes import note_change
from rewriter.evaluation.control.loops_within import LoopsWithin
from rewriter.evaluation.host.array_table import ArrayTable
from rewriter.evaluation.live_variables import live_variables
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.refused_already import Refusal
from rewriter.evaluation.risks import Risks
from rewriter.keeping.held_tensors import HeldTensors
from rewriter.keeping.lent import Containers
from rewriter.keeping.plan import Plan
from rewriter.keeping.roots import Key
from rewriter.leaf_joins import LeafJoiner
from rewriter.options import RewriteOptions
from rewriter.origin import Origin, innermost
from rewriter.program import Branch, KeptState
from rewriter.size_joins import SizeJoiner
from rewriter.sizes import Sizes, UndecidedSize
from rewriter.source import FunctionSource
from rewriter.stand_ins import ObjectMaker
from rewriter.state import Raised, State
from rewriter.storages import Storages
from rewriter.values import Cell, Known, Reference, ScalarValue, TensorValue, Value

Pieces: TypeAlias = tuple[str | ScalarValue | None, ...]
Outcomes: TypeAlias = Iterator[tuple[State, Value]]


@dataclass(slots=True)
class Run:
    """One partial evaluation."""

    mode: FakeTensorMode
    options: RewriteOptions
    builder: Builder
    storages: Storages
    plan: Plan  # what is kept from call to call, as far as it is known
    kept: KeptState = field(default_factory=KeptState)  # what the host's state begins with
    keeps: bool = False  # whether anything is stored for the time after the call
    state_is_new: bool = False  # whether a path leaves it as no phase of the entry has it
    diagnostics: list[Diagnostic] = field(default_factory=list)
    refusal: Refusal = field(default_factory=Refusal)
    sinks: list[list[Raised]] = field(default_factory=list)  # of paths that raise, per statement
    frames: list["Frame"] = field(default_factory=list)  # being evaluated, outermost first
    packed_parts: dict[str, tuple[int, str]] = field(default_factory=dict)  # by variable: whose
    effects: int = 0  # grows with every one that is more than computing a tensor
    branches: int = 0  # how many tests were emitted
    protecting: int = 0  # how many statements are open that may catch what a call raises
    wording: int = 0  # whether an error is being made that nobody in the program catches
    initial_reads: dict[Key, Origin] = field(default_factory=dict)  # what was from before the call
    attributes_read: list[tuple[object, str]] = field(default_factory=list)  # of known objects
    written: dict[Key, tuple[object, Origin]] = field(default_factory=dict)  # the object, where
    asked: dict[int, tuple[object, ...]] = field(default_factory=dict)  # all it holds, by id
    answering: dict[int, tuple[object, tuple[object, ...]]] = field(default_factory=dict)
    """Containers of the model, by id, and the objects in them that Python asks about."""
    unbound_reads: list[set[tuple[int, str]]] = field(default_factory=list)  # per rolled loop
    lexical: dict[int, "Frame"] = field(default_factory=dict)  # all, by identity, for closures
    lasting_cells: set[int] = field(default_factory=set)  # heap objects of the caller's
    cached: dict[Hashable, Cached] = field(default_factory=dict)  # by function and arguments
    cached_for: dict[Hashable, tuple[object, Hashable]] = field(default_factory=dict)
    cached_results: set[int] = field(default_factory=set)  # all of them, by identity
    catching: list["Frame"] = field(default_factory=list)  # whose clauses run after an error
    guarded: int = 0  # how many ``try`` are open that catch exceptions of Python's operations
    guarded_tensors: int = 0  # how many are open that catch those that depend on tensors' content
    guarded_indices: int = 0  # how many of these end with an IndexError in any case
    guarded_blindly: int = 0  # how many of these do not look at the error
    seen_indices: int = 0  # how many of these look at an IndexError
    guarded_depth: int = 0  # how many are open that catch what endless recursion ends with
    counted_depth: int = 0  # how many are open for nothing but that, by its name
    closes_generators: bool = False  # whether a generator's caller lets it run to its end
    grad_modes: list[bool] = field(default_factory=list)  # set by open managers, innermost last
    warning_scopes: list[Reference] = field(default_factory=list)  # open catch_warnings()
    numpy_errors: list[dict[str, str]] = field(default_factory=list)  # of open errstate()
    autocasts: list[torch.autocast] = field(default_factory=list)  # open, innermost last
    gradless: set[str] = field(default_factory=set)  # tensors that surely carry no gradient
    makes_parameters: bool = False  # whether any tensor so far may be one made in the call
    makes_buffers: bool = False  # whether a module made in the call has registered one
    ranges: dict[str, range] = field(default_factory=dict)  # numbers that are certainly within one
    texts: dict[str, Pieces] = field(default_factory=dict)  # what texts are put together of
    loops: LoopsWithin = field(default_factory=LoopsWithin)  # within the one being rolled
    most_made: int | None = None  # variables, while a loop is tried that can be unrolled
    unrolled_loops: set[cst.CSTNode] = field(default_factory=set)  # tried, and refused
    rolled_loops: set[cst.CSTNode] = field(default_factory=set)  # tried, and not refused
    trials: int = 0  # loops within loops that are being rolled and could be unrolled as well
    naturals: set[str] = field(default_factory=set)  # numbers that are certainly not negative
    fractions: set[str] = field(default_factory=set)  # numbers drawn from 0 to 1, without 1
    sizes: Sizes = field(default_factory=Sizes)  # those known only at run time
    judgements: dict[Hashable, object] = field(default_factory=dict)  # of operations, when tried
    described_modules: DescribedModules = field(default_factory=DescribedModules)
    _probe_mode: FakeTensorMode | None = None
    number_symbols: dict[sympy.Basic, ScalarValue] = field(default_factory=dict)  # by their symbols
    _number_sizes: dict[str, torch.SymInt] = field(default_factory=dict)
    relations: dict[str, sympy.Basic] = field(default_factory=dict)  # run-time truths, by variable
    paths: dict[int, str] = field(default_factory=dict)  # of submodules and tensors, by object id
    argument_objects: ArgumentObjects = field(default_factory=ArgumentObjects)
    makers: dict[type, ObjectMaker] = field(default_factory=dict)  # of the results' classes
    arguments: dict[str, TensorValue] = field(default_factory=dict)  # tensors, by place
    holders: dict[str, str] = field(default_factory=dict)  # of the caller's arrays, by place
    containers: Containers = field(default_factory=Containers)  # those among the arguments
    residents: dict[int, tuple[int, str]] = field(default_factory=dict)  # what is kept, by id: keys
    risks: Risks = field(default_factory=Risks)  # of errors that nothing catches
    held: HeldTensors = field(default_factory=HeldTensors)
    loaded: dict[tuple[int, Key], tuple[Value, Cell | None]] = field(default_factory=dict)
    """What the roots held at the entry, by phase and key."""
    stored_early: set[Key] = field(default_factory=set)  # roots stored on the way
    sparse: dict[int, tuple[torch.Tensor, ...]] = field(default_factory=dict)  # parts, by object id
    arrays: ArrayTable = field(default_factory=ArrayTable)
    calls: CallTable = field(default_factory=CallTable)
    _identities: int = 0
    _marked: set[int] = field(default_factory=set)

    def new_identity(self) -> int:
        """Return a fresh identity for a frame or heap object."""
        self._identities += 1
        return self._identities

    @property
    def probe_mode(self) -> FakeTensorMode:
        """Return the mode in which operations are tried at small numbers for sizes."""
        if self._probe_mode is None:
            self._probe_mode = FakeTensorMode(
                allow_non_fake_inputs=True, shape_env=Sizes(), static_shapes=True
            )
        return self._probe_mode

    def symbol_of(self, name: str) -> torch.SymInt:
        """Return the symbol that stands for an integer of the host, by variable."""
        if name not in self._number_sizes:
            within = self.ranges.get(name)
            low, high = (within.start, within.stop - 1) if within else (None, None)
            size = self.sizes.new(0 if name in self.naturals else low, high)
            self._number_sizes[name] = size
            self.number_symbols[size.node.expr] = ScalarValue(name, int, size)
        return self._number_sizes[name]

    @property
    def frame(self) -> "Frame":
        """Return the innermost frame."""
        return self.frames[-1]

    def allocate(self, state: State, cell: Cell) -> Reference:
        """Put a new mutable object on the heap."""
        identity = self.new_identity()
        state.heap[identity] = cell
        if self.frames:
            state.places.makers[identity] = self.frame.statement_origin()
        return Reference(identity)

    def update(self, state: State, reference: Reference, cell: Cell) -> None:
        """Change the content of a heap object."""
        self.require_changeable(reference)
        self.effects += 1
        old, state.heap[reference.identity] = state.heap.get(reference.identity), cell
        note_change(state, reference.identity, old, cell)
        self.containers.attributes.follow(state, reference.identity)

    def require_changeable(self, reference: Reference) -> None:
        """Start anew where an argument is changed that was not known to be, or refuse it."""
        self.containers.require_unwalked(reference, self.frame.statement_origin())
        if reference.identity in self.lasting_cells:
            self.containers.lend(reference, self.plan, self.frame.statement_origin())

    def raise_(self, state: State, exception: Value) -> None:
        """End a path by an exception."""
        self.sinks[-1].append(Raised(state, exception))

    def raise_known(self, state: State, error: BaseException) -> None:
        """End a path by an exception that Python raised at compile time: none of the compiler's."""
        if isinstance(error, UndecidedSize):
            raise error
        self.raise_(state, Known(error))

    def live_frames(self) -> tuple[tuple[int, frozenset[str]], ...]:
        """Return every frame with the variables that may be read later."""
        return live_variables(self.frames)

    def leaf_joiner(self) -> LeafJoiner:
        """Return what makes variables for values that differ between paths."""
        sizes = SizeJoiner(self.sizes, self.known_size, self.number_symbols)
        return LeafJoiner(self.builder, self.storages, self.gradless, sizes)

    def known_size(self, number: ScalarValue) -> torch.SymInt | None:
        """Return the size that an integer is known to equal, None where nobody asked yet."""
        return number.size if number.size is not None else self._number_sizes.get(number.name)

    def mark_lasting(self, content: object) -> None:
        """Record that a compile-time tensor, and its fake twin, outlive the call."""
        if isinstance(content, torch.Tensor) and id(content) not in self._marked:
            self._marked.add(id(content))
            self.storages.mark_lasting(content)
            if not isinstance(content, FakeTensor):
                self.storages.mark_lasting(self.mode.from_tensor(content))

    def report(self, diagnostic: Diagnostic) -> None:
        """Record a refusal, for each path that reaches it: attempts ask whether they have any."""
        self.diagnostics.append(diagnostic)

    def note(self, origin: Origin, message: str) -> None:
        """Tell the user something that does not prevent compilation."""
        text = f"{origin.place}: {message}"
        if text not in self.builder.notes:
            self.builder.notes.append(text)

    def path_of(self, known: Known) -> str | None:
        """Return the expression that reaches a compile-time object, from ``self`` if it can."""
        return self.paths.get(id(known.value), known.path)

    def branch(
        self, state: State, condition: ast.expr, origin: Origin
    ) -> tuple[tuple[State, bool], tuple[State, bool]]:
        """End the block by a test; return the states of the two arms."""
        self.effects, self.branches = self.effects + 1, self.branches + 1
        if_true, if_false = self.builder.new_block(), self.builder.new_block()
        self.builder.close(
            state.block,
            Branch(condition=condition, if_true=if_true, if_false=if_false, origin=origin),
        )
        other, state.block = state.fork(if_false), if_true
        state.facts[f"(branch {if_true})"], other.facts[f"(branch {if_true})"] = True, False
        return (state, True), (other, False)


@dataclass(slots=True)
class Frame:
    """One activation of a function being evaluated."""

    run: Run
    identity: int
    source: FunctionSource
    lexical: tuple["Frame", ...]
    """Lexically enclosing frames, innermost first."""
    globals: dict[str, object]
    closure: Closure
    inlined_at: tuple[Origin, ...]
    owner: type | None = None
    """The class whose method this is, for ``super()``."""
    receiver: str | None = None  # the name of the first parameter
    live: frozenset[str] = frozenset()  # variables that may be read at or after the statement
    continuations: list[frozenset[str]] = field(default_factory=list)  # read after each suite
    landing: frozenset[str] = frozenset()
    """Names that may be read where a ``break`` or ``continue`` of the innermost loop goes."""
    caught: frozenset[str] = frozenset()
    """Names that may be read in this function once an exception is caught in it."""
    comprehension: bool = False
    statement: cst.CSTNode | None = None  # the one being executed
    carried: tuple[Value, ...] = ()  # what expressions around that statement hold

    def finish_reading(self, state: State) -> None:
        """Record that what the statement has read so far is used no more: it may be gone."""
        state.on_the_way = self.carried

    def statement_origin(self) -> Origin:
        """Return where the statement being executed stands."""
        return self.origin(self.statement or self.source.node)

    def origin(self, node: cst.CSTNode) -> Origin:
        """Return where a node of this frame's function stands.

        For code that the user does not know: where it was called.
        """
        if self.inlined_at and not self.source.is_shown:
            return innermost(self.inlined_at)
        return self.source.origin(node, self.inlined_at)

    def sites(self, node: cst.CSTNode) -> tuple[Origin, ...]:
        """Return the calls through which a function called at a node is reached."""
        return self.origin(node).sites

    def refuse(self, code: str, node: cst.CSTNode, message: str, help: str = "") -> NoReturn:
        """Refuse the program at a node of this function."""
        raise Refused(Diagnostic(code=code, message=message, origin=self.origin(node), help=help))


@contextmanager
def active(frame: Frame) -> Iterator[None]:
    """Make a frame the innermost one while its function is evaluated."""
    frame.run.frames.append(frame)
    try:
        yield
    finally:
        frame.run.frames.pop()
