"""Arguments of a host package: what is taken, and what the error says otherwise."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from codegen_host.embedded._arguments import array, check, number
from codegen_host.embedded._by_rows import by_rows
from codegen_host.embedded._fixed import fixed, left_out
from codegen_host.embedded._records import record
from codegen_host.embedded._separate import separate
from codegen_host.embedded._sizes import InputError, Sizes, derived, multiple


def refusal(spec: Any, value: Any) -> str:
    with pytest.raises(InputError) as caught:
        check(spec, "x", value, Sizes({}))
    return str(caught.value)


def test_array_is_taken_from_numpy_and_torch() -> None:
    spec = array("float32", 2, 3)
    given = np.ones((2, 3), np.float32)
    assert check(spec, "x", given, Sizes({})) is given
    tensor = torch.ones(2, 3, requires_grad=True)
    np.testing.assert_array_equal(check(spec, "x", tensor, Sizes({})), given)


def test_array_in_another_memory_order_is_copied() -> None:
    given = np.arange(6, dtype=np.float32).reshape(3, 2).T
    taken = check(array("float32", 2, 3), "x", given, Sizes({}))
    assert taken.flags.c_contiguous
    np.testing.assert_array_equal(taken, given)


def test_array_in_another_memory_order_is_refused_where_memory_is_read() -> None:
    spec = by_rows(array("float32", 2, 3))
    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert check(spec, "x", given, Sizes({})) is given
    came = "x: expected an array float32[2, 3] that is contiguous, got one that is not"
    for other in (np.asfortranarray(given), torch.ones(3, 2, requires_grad=True).T):
        assert refusal(spec, other) == came


def test_scalar_array_keeps_its_rank() -> None:
    assert check(array("float32"), "x", np.float32(2), Sizes({})).shape == ()
    assert check(array("int64"), "x", torch.tensor(3), Sizes({})).shape == ()


@pytest.mark.parametrize(
    ("value", "came"),
    [
        (np.ones((2, 3)), "an array float64[2, 3]"),
        (np.ones((2, 3), ">f4"), "an array >f4[2, 3]"),
        (np.ones((2, 4), np.float32), "an array float32[2, 4]"),
        (np.ones((1, 2, 3), np.float32), "an array float32[1, 2, 3]"),
        ([[1.0] * 3] * 2, "a value of type list"),
        (None, "a value of type NoneType"),
        (np.ndarray, "a value of type type"),
    ],
)
def test_wrong_array_is_refused(value: Any, came: str) -> None:
    expected = "x: expected an array float32[2, 3], got "
    assert refusal(array("float32", 2, 3), value) == expected + came


def test_tensor_without_numpy_type_is_refused() -> None:
    text = refusal(array("float32", 2), torch.ones(2, dtype=torch.bfloat16))
    assert text.startswith("x: expected an array float32[2], got a value of type Tensor: ")


def test_named_size_is_the_same_everywhere() -> None:
    spec = [array("float32", "length", 2), array("float32", "length")]
    check(spec, "x", [np.ones((5, 2), np.float32), np.ones(5, np.float32)], Sizes({}))
    text = refusal(spec, [np.ones((5, 2), np.float32), np.ones(4, np.float32)])
    expected = "x[1]: expected an array float32[length] with length = 5, as in x[0]"
    assert text == f"{expected}, got an array float32[4]"


@pytest.mark.parametrize("size", [1, 7])
def test_named_size_is_within_its_bounds(size: int) -> None:
    spec, sizes = array("float32", 1, "seq"), {"seq": (2, 6)}
    for fine in (2, 6):
        check(spec, "x", np.ones((1, fine), np.float32), Sizes(sizes))
    with pytest.raises(InputError) as caught:
        check(spec, "x", np.ones((1, size), np.float32), Sizes(sizes))
    expected = "x: expected an array float32[1, seq] with 2 <= seq <= 6"
    assert str(caught.value) == f"{expected}, got an array float32[1, {size}]"


def test_derived_size_follows_from_others_wherever_they_stand() -> None:
    double = derived("2*seq", lambda seq: 2 * seq)
    spec = [array("float32", double), array("float32", "seq")]
    for size, problem in ((6, None), (5, "x[0]: expected the size 2*seq = 6, got 5")):
        sizes = Sizes({"seq": (0, None)})
        check(spec, "x", [np.ones(size, np.float32), np.ones(3, np.float32)], sizes)
        if problem is None:
            sizes.require_consistent()
        else:
            with pytest.raises(InputError) as caught:
                sizes.require_consistent()
            assert str(caught.value) == problem


@pytest.mark.parametrize(
    ("size", "problem"),
    [
        (5, None),
        (17, None),
        (6, ""),
        (1, " with 1 <= h <= 4"),
        (21, " with 1 <= h <= 4"),
    ],
)
def test_multiple_tells_the_number_that_it_is_a_multiple_of(size: int, problem: str | None) -> None:
    spec, sizes = array("float32", multiple("4*h + 1", "h", 4, 1)), Sizes({"h": (1, 4)})
    if problem is None:
        check(spec, "x", np.ones(size, np.float32), sizes)
        return
    with pytest.raises(InputError) as caught:
        check(spec, "x", np.ones(size, np.float32), sizes)
    expected = f"x: expected an array float32[4*h + 1]{problem}"
    assert str(caught.value) == f"{expected}, got an array float32[{size}]"


def test_multiples_of_one_number_agree() -> None:
    spec = [array("float32", multiple("4*h", "h", 4, 0)), array("float32", "h")]
    check(spec, "x", [np.ones(8, np.float32), np.ones(2, np.float32)], Sizes({}))
    with pytest.raises(InputError) as caught:
        check(spec, "x", [np.ones(8, np.float32), np.ones(3, np.float32)], Sizes({}))
    expected = "x[1]: expected an array float32[h] with h = 2, as in x[0]"
    assert str(caught.value) == f"{expected}, got an array float32[3]"


@pytest.mark.parametrize(
    ("type_", "value", "taken"),
    [(int, 3, 3), (int, np.int32(3), 3), (float, np.float32(0.5), 0.5), (bool, np.True_, True)],
)
def test_number_is_taken(type_: type, value: Any, taken: Any) -> None:
    found = check(number(type_), "x", value, Sizes({}))
    assert found == taken and type(found) is type_


@pytest.mark.parametrize(("type_", "value"), [(int, True), (int, 1.0), (float, 1), (bool, 0)])
def test_number_of_another_type_is_refused(type_: type, value: Any) -> None:
    found = f"{type(value).__name__} {value!r}"
    assert refusal(number(type_), value) == f"x: expected a Python {type_.__name__}, got {found}"


@pytest.mark.parametrize(
    "value", ["sum", None, 3, ("a", [1, {"b": 2.0}]), float("nan"), slice(1, None)]
)
def test_fixed_value_is_taken(value: Any) -> None:
    assert check(fixed(value), "x", value, Sizes({})) is value


@pytest.mark.parametrize(
    ("value", "given"),
    [
        ("sum", "mean"),
        (3, 3.0),
        (1, True),
        ((1,), [1]),
        ({"a": 1}, {"b": 1}),
        (slice(0, 2), slice(False, 2)),
        (slice(0, 2), slice(0, 1)),
    ],
)
def test_other_fixed_value_is_refused(value: Any, given: Any) -> None:
    text = refusal(fixed(value), given)
    assert text.startswith(f"x: expected {value!r}, which was fixed at compile time, got ")


def test_argument_that_must_be_left_out_is_refused() -> None:
    assert "left out" in refusal(left_out(), 3)


def test_containers_are_checked_part_by_part() -> None:
    spec = {"images": [array("float32", 2)], "sizes": (number(int), fixed("cm"))}
    given = {"images": [torch.ones(2)], "sizes": (3, "cm")}
    taken = check(spec, "x", given, Sizes({}))
    assert taken["sizes"] == (3, "cm") and isinstance(taken["images"][0], np.ndarray)
    given["sizes"] = (3, "mm")
    assert refusal(spec, given).startswith("x['sizes'][1]: expected 'cm'")


@pytest.mark.parametrize(
    ("spec", "value", "text"),
    [
        ([number(int)], (1,), "x: expected a list of 1, got a value of type tuple"),
        ([number(int)], [1, 2], "x: expected a list of 1, got one of 2"),
        ({"a": number(int)}, [1], "x: expected a dict with the keys ['a'], in this order, got "),
        ({"a": number(int)}, {"b": 1}, "got one with the keys ['b']"),
    ],
)
def test_other_container_is_refused(spec: Any, value: Any, text: str) -> None:
    assert text in refusal(spec, value)


def test_object_is_anything_with_the_attributes() -> None:
    spec = record("Batch", {"tokens": array("float32", 2), "size": number(int)})
    given = SimpleNamespace(tokens=torch.ones(2), size=3, more="not looked at")
    taken = check(spec, "batch", given, Sizes({}))
    assert type(taken.tokens) is np.ndarray
    assert vars(taken).keys() == {"tokens", "size"}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"size": 2.5}, "x.size: expected a Python int, got float 2.5"),
        ({}, "x.size: expected a Python int, got a value of type SimpleNamespace without it"),
        ({"size": 1, "mask": 2}, "x.mask: expected nothing: the example had none, got int 2"),
    ],
)
def test_wrong_attribute_is_refused_by_its_place(given: dict[str, Any], text: str) -> None:
    spec = record("Batch", {"size": number(int)}, absent=["mask"])
    assert refusal(spec, SimpleNamespace(**given)) == text


def test_object_that_is_taken_whole_has_no_other_attributes() -> None:
    spec = record("Batch", {"size": number(int)}, whole=True)
    assert refusal(spec, SimpleNamespace(size=1, other=2)).startswith("x.other: expected nothing")


class _Answering(SimpleNamespace):
    def __getattr__(self, name: str) -> str:
        return name


def test_what_a_getattr_gives_is_not_there() -> None:
    spec = record("Batch", {"size": number(int)}, absent=["mask"], answers=True)
    check(spec, "x", _Answering(size=1), Sizes({}))
    assert refusal(spec, _Answering(size=1, mask=2)).startswith("x.mask: expected nothing")
    spec = record("Batch", {"size": number(int)}, absent=["mask"])
    assert refusal(spec, _Answering(size=1)).startswith("x.mask: expected nothing")


def test_one_array_for_two_arguments_that_are_taken_apart_is_refused() -> None:
    spec = {"x": separate(array("float32", 2)), "y": separate(array("float32", 2))}
    given, sizes = np.ones(2, np.float32), Sizes({})
    check(spec, "", {"x": given, "y": given.copy()}, sizes)
    sizes.require_consistent()
    sizes = Sizes({})
    check(spec, "batch", {"x": given, "y": given}, sizes)
    with pytest.raises(InputError, match=r"batch\['y'\]: is the same object as batch\['x'\]"):
        sizes.require_consistent()
