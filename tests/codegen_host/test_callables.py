"""Whether functions are told apart by what they do."""

import functools
import math
from collections.abc import Callable

import pytest

from codegen_host.embedded._callables import NoFingerprint, fingerprint


def _adding(number: object) -> Callable[[int], object]:
    return lambda x: (x, number)


def test_functions_that_do_the_same_are_the_same() -> None:
    assert fingerprint(_adding(1)) == fingerprint(_adding(1))
    assert fingerprint(functools.partial(_adding, 2)) == fingerprint(functools.partial(_adding, 2))


def test_what_a_function_closes_over_tells_it_from_others() -> None:
    assert fingerprint(_adding(1)) != fingerprint(_adding(2))
    assert fingerprint(_adding(_adding(1))) != fingerprint(_adding(_adding(2)))


def test_code_defaults_and_names_tell_functions_apart() -> None:
    assert fingerprint(lambda x: x + 1) != fingerprint(lambda x: x + 2)
    assert fingerprint(lambda x, y=1: x) != fingerprint(lambda x, y=2: x)
    assert fingerprint(lambda x: x.cos()) != fingerprint(lambda x: x.sin())
    assert fingerprint(math.sin) != fingerprint(math.cos)


def test_objects_with_state_have_no_fingerprint() -> None:
    with pytest.raises(NoFingerprint):
        fingerprint(_adding(object()))
    with pytest.raises(NoFingerprint):
        fingerprint([].append)
