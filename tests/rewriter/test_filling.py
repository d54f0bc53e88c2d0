"""What a first call puts into tables of modules is taken for what all first calls put there."""

from collections.abc import Callable

import pytest
import torch

from rewriter import rewrite
from rewriter.printing import runnable
from rewriter.printing.same_programs import is_same_program

_TABLE: dict[str, object] = {}
_OTHER: dict[str, int] = {}


def _of_one_sign(x: torch.Tensor) -> torch.Tensor:
    """Fill a second table only if the input says so."""
    _TABLE.setdefault("steps", 1)
    if x.sum() > 0 and "positive" not in _OTHER:
        _OTHER["positive"] = 1
    return x * len(_OTHER)


def _within(x: torch.Tensor) -> torch.Tensor:
    """Fill what was put into the table only if the input says so."""
    if "inner" not in _TABLE:
        _TABLE["inner"] = {}
    inner = _TABLE["inner"]
    assert isinstance(inner, dict)
    if x.sum() > 0 and "positive" not in inner:
        inner["positive"] = 1
    return x * len(inner)


def _without_error(x: torch.Tensor) -> torch.Tensor:
    """Fill the table only if nothing is raised before."""
    try:
        1 // int(x[0])
        _TABLE.setdefault("steps", 1)
    except ZeroDivisionError:
        pass
    return x * len(_TABLE)


def _tells(x: torch.Tensor) -> torch.Tensor:
    """The first call prints."""
    if "told" not in _TABLE:
        _TABLE["told"] = True
        print("first")
    return x + 1


def _remembers(x: torch.Tensor) -> torch.Tensor:
    """A variable says that the call was the first: a path that the example does not take asks."""
    first = "scale" not in _TABLE
    if first:
        _TABLE["scale"] = 1
    return x + 100 if first and x.sum() < 0 else x * len(_TABLE)


def _fills() -> bool:
    if "scale" in _TABLE:
        return False
    _TABLE["scale"] = 1
    return True


def _is_told(x: torch.Tensor) -> torch.Tensor:
    """A function returns whether it has filled the table."""
    made = [_fills()]
    return x if x.sum() > 0 or not made[0] else x * 2


def _counts(x: torch.Tensor) -> torch.Tensor:
    """A known number differs in the first call, on a path that the example does not take."""
    missing = sum(key not in _TABLE for key in ("one", "two"))
    _TABLE.setdefault("one", 1)
    _TABLE.setdefault("two", 2)
    return x if x.sum() > 0 else x * missing


_DIFFERENT = [_of_one_sign, _within, _without_error, _tells, _remembers, _is_told, _counts]


@pytest.mark.parametrize("function", _DIFFERENT)
def test_what_one_input_fills_is_kept_instead(
    function: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    """Tables are empty after compilation, and kept from call to call."""
    _TABLE.clear()
    _OTHER.clear()
    program = rewrite(function, (torch.ones(2),))
    assert program.state is not None
    assert not _TABLE and not _OTHER
    inputs = [-torch.ones(2), torch.ones(2), -torch.ones(2)]
    results = list(map(runnable(program), inputs))
    torch.testing.assert_close(results, list(map(function, inputs)))
    assert not any("taken as filled" in note for note in program.notes)


def _all_at_once(x: torch.Tensor) -> torch.Tensor:
    if "scale" not in _TABLE:
        _TABLE["scale"] = (2, 3.0)
        _TABLE["steps"] = [1, [2]]
        _OTHER.update({"one": 1})
    if x.sum() > 0:
        return x * len(_TABLE)
    return x * _OTHER["one"]


def test_all_that_every_first_call_fills_is_taken_as_filled() -> None:
    """Also where one test is for several tables."""
    _TABLE.clear()
    _OTHER.clear()
    program = rewrite(_all_at_once, (torch.ones(2),))
    assert not program.state
    assert set(_TABLE) == {"scale", "steps"} and _OTHER == {"one": 1}


_FIRST, _ALWAYS = torch.ones(3), torch.full((3,), 2.0)


def _of_device(x: torch.Tensor) -> torch.Tensor:
    """Each tensor that is asked gives a device of its own."""
    _TABLE.setdefault("scale", 2)
    y = x * 2.0
    return y + torch.arange(3, device=y.device) + torch.arange(3, device=x.device)


def _looks_first(x: torch.Tensor) -> torch.Tensor:
    """The first call has met an object more, of which nothing is left."""
    if "scale" not in _TABLE:
        _ = x + _FIRST
        _TABLE["scale"] = 1
    return x + _ALWAYS


@pytest.mark.parametrize("function", [_of_device, _looks_first])
def test_programs_are_alike_whatever_their_objects_are_called(
    function: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    """That of a first call counts other objects than one that finds the table filled."""
    _TABLE.clear()
    program = rewrite(function, (torch.ones(3),))
    assert not program.state
    result = runnable(program)(torch.ones(3))
    assert isinstance(result, torch.Tensor) and torch.equal(result, function(torch.ones(3)))


def _saying(text: str) -> Callable[[torch.Tensor], torch.Tensor]:
    def says(x: torch.Tensor) -> torch.Tensor:
        if x.sum() < 0:
            raise ValueError(text)
        return x + _ALWAYS

    return says


def test_texts_that_look_like_names_of_objects_are_compared() -> None:
    """They are no names: another text is another program."""
    one, same, other = (
        rewrite(_saying(text), (torch.ones(3),)) for text in ("known_70", "known_70", "known_71")
    )
    assert is_same_program(one, same)
    assert not is_same_program(one, other)
