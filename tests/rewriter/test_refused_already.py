"""An evaluation that is refused already ends soon, where more is known of places."""

import pytest

from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.refused_already import Refusal, RefusedAlready
from rewriter.known_places import KnownPlaces
from rewriter.loose_types import Note

_OTHER = Diagnostic(code="DYCL001", message="another", origin=None)


def _refusal(number: int) -> Diagnostic:
    return Diagnostic(code="DYCL073", message=f"refused {number}", origin=None)


def _found() -> KnownPlaces:
    places = KnownPlaces()
    places.found.add(Note("place", (), "optional"))
    return places


def _executed(refusal: Refusal, reported: list[Diagnostic], places: KnownPlaces, most: int) -> int:
    for number in range(most):
        try:
            refusal.count(reported, places)
        except RefusedAlready:
            return number
    return most


def test_it_goes_on_for_a_part_of_what_it_took() -> None:
    """Other things that are found meanwhile need no evaluation of their own."""
    refusal, places = Refusal(), _found()
    assert _executed(refusal, [], places, 100) == 100
    assert 20 < _executed(refusal, [_refusal(0)], places, 100) < 30


def test_what_attempts_take_back_does_not_count() -> None:
    """The time begins anew with each refusal that becomes the first."""
    refusal, places = Refusal(), _found()
    assert _executed(refusal, [], places, 100) == 100
    for number in range(10):
        assert _executed(refusal, [_refusal(number), _OTHER], places, 20) == 20
        assert _executed(refusal, [], places, 20) == 20


@pytest.mark.parametrize("is_final", [True, False])
def test_it_comes_to_its_end_where_nothing_was_found(is_final: bool) -> None:
    """All that is refused is said then; and where evaluations were given up before."""
    refusal = Refusal(is_final=is_final)
    places = _found() if is_final else KnownPlaces()
    assert _executed(refusal, [_refusal(0)], places, 1000) == 1000
