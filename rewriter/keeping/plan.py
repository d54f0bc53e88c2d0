"""What is known so far of a model's kept state; evaluation starts anew when it grows."""

import types
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import torch

from rewriter.closure import CONTENT
from rewriter.keeping.changing import (
    MOST_LENGTHS,
    collect_lengths,
    differing_keys,
    differing_sizes,
    tensors_within,
)
from rewriter.keeping.describing import Describing, Place
from rewriter.keeping.error_states import ErrorStates
from rewriter.keeping.filling import FirstCall
from rewriter.keeping.reach import has_own_memory, held_objects
from rewriter.keeping.records import join_phases
from rewriter.keeping.roots import Key, Root, is_asked_for, own_or_unset, written_memory
from rewriter.keeping.settling import most_phases, unsettled
from rewriter.keeping.shapes import Phase, Shape, Tensor, Unkeepable, structure
from rewriter.keeping.shared_reach import is_held_by, shared_objects
from rewriter.origin import Origin
from rewriter.values import Known

PHASE = "(phase)"
"""Where the state says which phase it is in."""


class StartAnew(BaseException):
    """Something more is kept from call to call than the evaluation assumed.

    No ``Exception``: it must not be taken for one that the user's program raises.
    """


@dataclass(slots=True)
class Plan:
    """What several evaluations of one program found out together."""

    receiver: object
    code: object
    """The function of the entry point."""
    keeps_outside: bool = False
    """Whether what its code has outside of the model may be kept."""
    read: set[Key] = field(default_factory=set)
    """Written attributes that the program also reads."""
    read_before: set[Key] = field(default_factory=set)
    """Those that were known when this evaluation began."""
    found: dict[Key, tuple[object, str]] = field(default_factory=dict)
    """Attributes that this evaluation has found to be kept."""
    is_patient: bool = False  # whether it goes on when it has found one (see ``collecting``)
    gives_up: bool = False  # whether it has found one
    layers_read: set[Key] = field(default_factory=set)
    """Written attributes that torch's code may read: of its layers, and what inherits from them."""
    stored: dict[Key, type] = field(default_factory=dict)
    """What is stored in attributes of modules: ``nn.Parameter``, ``nn.Module`` or anything else."""
    roots: dict[Key, Root] = field(default_factory=dict)
    shared_names: set[str] = field(default_factory=set)
    """Attributes of classes, and variables of files, that the program writes."""
    lent: set[str] = field(default_factory=set)
    """Arguments, by place, that the program writes in place."""
    array_sites: set[tuple[str, int, int, int]] = field(default_factory=set)
    """Expressions whose arrays the call writes: the host makes them."""
    gradients_asked: bool = False  # whether any tensor of the call may ask for gradients
    gradients_in_loops: bool = False
    """Whether loops or recursions ask for gradients: no tensor is surely without them."""
    differentiates: bool = False  # whether it computes gradients: tensor objects are told apart
    growing: dict[Place, Shape | None] = field(default_factory=dict)
    """Places of lists and dicts that exist at run time only, and how calls have left dicts."""
    open_sizes: dict[Place, frozenset[int]] = field(default_factory=dict)
    """Places of tensors of which some sizes are known only at run time, and which."""
    tries_calls: bool = False  # where it may be the first one alone that fills tables
    first_call: FirstCall | None = None  # what it has put there; would every first call?
    filled: Origin | None = None  # where a container outside of the model gets something
    changes_others: bool = False  # whether something is changed that is not among those held
    in_place: set[Key] = field(default_factory=set)
    """Attributes whose tensors calls write in place, which callers may have as well."""
    written_shared: set[Key] = field(default_factory=set)  # those found by this evaluation
    data_apart: bool = False  # whether ``y.data`` goes by another variable than ``y``
    objects_left: set[Key] = field(default_factory=set)  # tensors of the model that others hold
    defers_draws: bool = False
    """Whether random numbers may be drawn, as long as nobody reads them."""
    on_errors: ErrorStates = field(default_factory=ErrorStates)
    called: dict[Hashable, Known | None] = field(default_factory=dict)  # while compiling
    phases: list[Phase] = field(default_factory=list)
    _held: dict[int, tuple[str, object]] | None = None

    @property
    def held(self) -> dict[int, tuple[str, object]]:
        """Return the objects that the model reaches, or its code."""
        if self._held is None:
            shared = self._outside() if self.keeps_outside else {}
            own = {} if self.receiver is None else held_objects(self.receiver)
            self._held = shared | own
        return self._held

    def _is_left_to_attribute(self, content: object) -> bool:
        """Let the root of the attribute that alone holds a container or tensor stand for it."""
        for key, root in self.roots.items():
            if root.attribute is None or root.is_alone or root.initial is not content:
                continue
            if is_held_by(content, root.content, root.attribute, self.code, self.receiver):
                self.roots[key] = replace(root, is_alone=True)
                self.restart()
                return True
        return False

    def _outside(self) -> dict[int, tuple[str, object]]:
        return shared_objects(self.code, self.receiver)

    def residents(self) -> dict[int, Key]:
        """Return the containers and tensors that are roots themselves, by id."""
        return {id(r.content): r.key for r in self.roots.values() if r.attribute is None}

    @property
    def keeps_tensors(self) -> bool:
        """Return whether any parameter or buffer is written by the program."""
        return any(
            isinstance(root.content, torch.Tensor) or isinstance(root.initial, torch.Tensor)
            for root in self.roots.values()
        )

    @property
    def keeps_modes(self) -> bool:
        """Return whether the program changes which modules are in training, or which there are."""
        return any(
            root.attribute == "training" or isinstance(root.initial, torch.nn.Module)
            for root in self.roots.values()
        )

    def keeps_any_of(self, asked: str) -> bool:
        """Return whether the program changes what ``parameters()``, ``buffers()``... gives."""
        stored = self.stored
        return any(
            is_asked_for(root, stored.get(root.key, object), asked) for root in self.roots.values()
        )

    def name_of(self, owner: object, attribute: str) -> str | None:
        """Return what an attribute is called in the state, None outside of the model."""
        if id(owner) not in self.held:
            self.changes_others = True
            return None
        path, _ = self.held[id(owner)]
        return f"{path}.{attribute}" if path else attribute

    def carry_attribute(self, owner: object, attribute: str) -> None:
        """Let an attribute be a root."""
        name = self.name_of(owner, attribute)
        assert name is not None
        self.read.add((id(owner), attribute))
        is_alone = self._leave_to(owner, attribute)
        self._add(Root((id(owner), attribute), self._free(name), owner, attribute, is_alone))

    def _leave_to(self, owner: object, attribute: str) -> bool:
        """Drop the root that an attribute holds, if nothing else holds it; return whether it is so.

        What the attribute holds when a call begins is its value, which the call may replace.
        """
        content = own_or_unset(owner, attribute)
        key = self.residents().get(id(content))
        if key is None or (id(owner), attribute) in self.roots:
            return False
        is_alone = is_held_by(content, owner, attribute, self.code, self.receiver)
        if is_alone:
            del self.roots[key]
        return is_alone

    def carry_shared(self, place: object, name: str) -> None:
        """Let an attribute of a class, or a variable of a file, given by its table, be a root."""
        self.shared_names.add(name)
        path = f"{place.__qualname__}.{name}" if isinstance(place, type) else name
        self._add(Root((id(place), name), self._free(path), place, name))

    def carry_cell(self, cell: types.CellType, name: str) -> None:
        """Let a variable of a function that has returned before the call be a root."""
        self.shared_names.add(CONTENT)
        self._add(Root((id(cell), CONTENT), self._free(name), cell, CONTENT))

    def carry_object(self, content: object) -> bool:
        """Let a container or tensor be a root; return whether it belongs to the model."""
        if id(content) not in self.held:
            self.changes_others = True
            return False
        if not has_own_memory(content, self.held):
            return False
        if not self.keeps_outside and not has_own_memory(content, self._outside()):
            self.changes_others = True
            return False
        if id(content) in self.residents():
            return False
        if self._is_left_to_attribute(content):
            return True
        path, _ = self.held[id(content)]
        word = "".join(c if c.isalnum() else "_" for c in path).strip("_") or "kept"
        self._add(Root((id(content), word), self._free(path), content, None))
        return True

    def _free(self, name: str) -> str:
        taken = {root.name for root in self.roots.values()} | {PHASE}
        while name in taken:
            name += "'"
        return name

    def _add(self, root: Root) -> None:
        if root.key not in self.roots:
            self.roots[root.key] = root
            self.restart()

    def restart(self) -> None:
        """Begin with the state at compile time alone. Raises Unkeepable."""
        memory = written_memory(self.roots.values())
        describing = Describing(self.growing, self.open_sizes, written=memory)
        self.phases = [
            tuple(
                describing.known(root.initial, (root.name,), whole=root.is_whole)
                for root in self.roots.values()
            )
        ]

    def learn(self, phase: Phase) -> bool:
        """Take note of how a call leaves the state; return whether that is new."""
        if self._open(self._found_open(phase)):
            return True
        wanted = tuple(map(structure, phase))
        for index, known in enumerate(self.phases):
            if tuple(map(structure, known)) == wanted:
                joined = join_phases(known, phase, written_memory(self.roots.values()))
                self.phases[index] = joined
                return joined != known
        self.phases.append(phase)
        if self._let_lists_grow() or len(self.phases) <= most_phases(self.roots.values()):
            return True
        is_open = self._open(differing_sizes(self._tensors(self.phases)))
        if not is_open and not self._let_grow(differing_keys(self._shapes(self.phases))):
            raise Unkeepable(
                "the structure or shape of what is kept changes from call to call: "
                f"{', '.join(unsettled(self.roots.values(), self.phases))}"
            )
        return True

    def _found_open(self, phase: Phase) -> dict[Place, frozenset[int]]:
        """Return where a call has left tensors of sizes known only at run time."""
        return {
            place: shape.open_sizes
            for place, shape in self._tensors([phase])
            if shape.open_sizes - self.open_sizes.get(place, frozenset())
        }

    def _open(self, found: Mapping[Place, frozenset[int]]) -> bool:
        """Take sizes of tensors for open; return whether there are any."""
        before = dict(self.open_sizes)
        for place, dimensions in found.items():
            self.open_sizes[place] = self.open_sizes.get(place, frozenset()) | dimensions
        if self.open_sizes == before:
            return False
        self.restart()
        return True

    def _tensors(self, phases: Iterable[Phase]) -> Iterator[tuple[Place, Tensor]]:
        return (pair for at, shape in self._shapes(phases) for pair in tensors_within(shape, at))

    def _shapes(self, phases: Iterable[Phase]) -> Iterator[tuple[Place, Shape]]:
        for phase in phases:
            for root, shape in zip(self.roots.values(), phase, strict=True):
                yield (root.name,), shape

    def knows(self, phase: Phase) -> bool:
        """Return whether calls may begin with a state, as far as is known."""
        wanted = tuple(map(structure, phase))
        return any(
            tuple(map(structure, known)) == wanted
            and join_phases(known, phase, frozenset()) == known
            for known in self.phases
        )

    def phase_number(self, phase: Phase) -> int:
        """Return the number of the phase that a state belongs to."""
        wanted = tuple(map(structure, phase))
        numbers = [tuple(map(structure, known)) for known in self.phases]
        return numbers.index(wanted) if wanted in numbers else len(numbers)

    def _let_lists_grow(self) -> bool:
        """Let lists of many lengths, and dicts that got a key of run time, exist there only."""
        lengths: dict[Place, set[int]] = {}
        keyed: dict[Place, Shape] = {}
        for place, shape in self._shapes(self.phases):
            collect_lengths(shape, place, lengths, keyed)
        grown = {place for place, many in lengths.items() if len(many) > MOST_LENGTHS}
        return self._let_grow({place: keyed.get(place) for place in grown})

    def _let_grow(self, grown: dict[Place, Shape | None]) -> bool:
        if grown.keys() <= self.growing.keys():
            return False
        self.growing |= grown
        self.restart()
        return True
