"""What a refused program is tried again with."""

from dataclasses import dataclass, field

from rewriter.diagnostics import CompileError
from rewriter.evaluation.refused_already import RefusedAlready
from rewriter.keeping.filling import FirstCall
from rewriter.keeping.plan import Plan, StartAnew
from rewriter.keeping.roots import Key
from rewriter.keeping.tables import Trial
from rewriter.known_places import KnownPlaces, PlacesFound
from rewriter.origin import Origin
from rewriter.printing.same_programs import is_same_program
from rewriter.program import RewrittenProgram

_MOST_HURRIED = 3


class _Unsettled(StartAnew):
    """An evaluation has come to its end, and what a first call fills is not taken as filled."""


class _OfFirstCall(StartAnew):
    """An evaluation has come to the end of a first call, which puts there all that it should."""


@dataclass(slots=True)
class Again:
    """What a refused program is tried again with."""

    filled: Origin | None = None
    """Where a call filled tables of modules, after that call."""
    tries_calls: bool = True
    """Whether such a call may still be tried."""
    first_call: FirstCall | None = None
    """What it has put there, as long as it isn't known whether every call would."""
    of_first_call: RewrittenProgram | None = None
    """The program of a call that fills the tables: one that finds them filled must be the same."""
    is_early: bool = False
    """Whether an evaluation was given up before it was refused."""
    refused: CompileError | None = None
    """Why a program is refused that draws random numbers, unless nobody reads them."""
    outside: CompileError | None = None
    """Why a program is refused, unless what it changes outside of the model is kept."""
    keeps_outside: bool = False
    """Whether it is kept, as what the model holds is."""
    in_place: set[Key] = field(default_factory=set)
    """Attributes whose tensors calls write in place, which callers may have as well."""
    changes_outside: bool = False
    """Whether there is any such change."""
    places: KnownPlaces = field(default_factory=KnownPlaces)
    hurried: int = 0
    """How often an evaluation that was refused already was not brought to its end."""

    @property
    def is_patient(self) -> bool:
        """Return whether it is from now on: it finds the more of places."""
        return self.hurried >= _MOST_HURRIED

    def settle(self, program: RewrittenProgram, plan: Plan) -> None:
        """Have the program evaluated again if it is that of a first call, or is unlike it."""
        if plan.first_call is not None:
            self.of_first_call = program
            raise _OfFirstCall if plan.filled is not None else _Unsettled
        if self.of_first_call is not None and not is_same_program(self.of_first_call, program):
            raise _Unsettled

    def start_anew(self, found: StartAnew | PlacesFound, plan: Plan, trial: Trial) -> Plan:
        """Go on from what was found before an evaluation came to its end."""
        if isinstance(found, RefusedAlready):
            self.places, self.hurried = self.places.extended(), self.hurried + 1
        elif isinstance(found, PlacesFound):
            self.places, self.is_early = self.places.extended(), True
        written = self.filled is not None and plan.shared_names
        if written or isinstance(found, _Unsettled):  # the first call has written these
            self.changes_outside |= plan.changes_others
            self._without_call(trial)
            return self.next_plan(plan)
        if isinstance(found, _OfFirstCall):
            self.first_call, self.tries_calls, self.filled = None, False, plan.filled
            return self.next_plan(plan)
        if self.tries_calls and plan.filled is not None and self.first_call is None:
            self.changes_outside |= plan.changes_others
            self.first_call = trial.first_call()
            if self.first_call is None:
                self._without_call(trial)
            return self.next_plan(plan)
        plan.filled = None
        return plan

    def _without_call(self, trial: Trial) -> None:
        self.first_call, self.tries_calls, self.filled = None, False, None
        self.of_first_call = None
        trial.undo()

    def knows_other_places(self) -> bool:
        """Return whether a refused program is tried again: with what was found, or without."""
        if self.places.is_new:
            self.places = self.places.extended()
            return True
        goes_back = self.is_early and not self.places.patient
        if goes_back:
            self.places = KnownPlaces(patient=True)
        return goes_back

    def after(self, error: CompileError, plan: Plan, trial: Trial) -> None:
        """Find another way than what ended in an error; raise it where there is none."""
        try:
            self._find(error, plan, trial)
        except CompileError as refusal:
            self.without_errors(refusal, plan)

    def without_errors(self, refusal: CompileError, plan: Plan) -> None:
        """Do without what errors leave of what is kept; raise a refusal where nothing was."""
        if not plan.on_errors.leave_out():
            raise refusal from None

    def next_plan(self, plan: Plan) -> Plan:
        """Return what is known of what is kept before the program is evaluated another way."""
        return Plan(
            plan.receiver,
            plan.code,
            keeps_outside=self.keeps_outside,
            in_place=self.in_place,
            defers_draws=self.refused is not None,
            on_errors=plan.on_errors,
            called=plan.called,
            tries_calls=self.tries_calls,
            first_call=self.first_call,
        )

    def with_outside(self, error: CompileError) -> CompileError:
        """Return why a program is refused as it is, and why if what it changes were kept."""
        first = [] if self.outside is None else self.outside.diagnostics
        return CompileError([*first, *(each for each in error.diagnostics if each not in first)])

    def _find(self, error: CompileError, plan: Plan, trial: Trial) -> None:
        if not plan.written_shared <= self.in_place:
            self.in_place |= plan.written_shared
            return
        draws = any(found.code == "DYCL033" for found in error.diagnostics)
        if draws and self.refused is not None:
            trial.undo()
            raise self.refused from None
        if draws:
            self.refused = error
            return
        if self.keeps_outside:
            raise self.with_outside(error) from None
        self.outside = error
        self.changes_outside |= plan.changes_others
        self._without_call(trial)
        if not self.changes_outside:
            raise error
        self.keeps_outside = True
