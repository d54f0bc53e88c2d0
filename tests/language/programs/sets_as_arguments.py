"""Sets as arguments: ids that end a text, places that are taken, words that are left out."""

from types import SimpleNamespace

import torch
from torch import Tensor, nn

from tests.language.harness import NEGATIVE, POSITIVE, case

NUMBERS = [
    (POSITIVE, {1, 2, 10}),
    (POSITIVE, {1, 3}),
    (NEGATIVE, {-10, 5}),
    (NEGATIVE, set()),
    (POSITIVE, {10}),
]
PLACES = [(POSITIVE, {(0, 1), (1, 2)}), (POSITIVE, {(1, 1)}), (NEGATIVE, set())]
WORDS = [(POSITIVE, {"up", "down"}), (POSITIVE, {"left"})]


@case(inputs=NUMBERS)
def is_among_them(x: Tensor, ends: set[int]) -> object:
    """A set of numbers has any elements in each call."""
    return int(x.sum()) in ends, len(ends), bool(ends), x


@case(inputs=NUMBERS)
def until_one_is_met(x: Tensor, ends: set[int]) -> object:
    """A loop that ends by what is in the set."""
    tokens: list[int] = []
    while len(tokens) < 6:
        token = len(tokens)
        if token in ends:
            break
        tokens.append(token)
    return tokens, x


@case(inputs=NUMBERS)
def walked(x: Tensor, ends: set[int]) -> object:
    """The caller's set is walked as it lies."""
    for end in ends:
        x = x * 2 + end
    return x, [end * 2 for end in ends if end > 1]


@case(inputs=NUMBERS)
def put_together(x: Tensor, ends: set[int]) -> object:
    """Operators, tests and copies: a copy is the call's own."""
    others = {1, 7}
    mine = set(ends)
    mine.add(int(x.sum()))
    mine |= {5}
    return (
        sorted(ends | others), sorted(ends & others), ends <= others, ends == {1, 3},
        sorted(mine), torch.tensor(sorted(ends)).sum(),
    )  # fmt: skip


@case(inputs=NUMBERS)
def given_back(x: Tensor, ends: set[int]) -> object:
    """The set itself is a result, whatever its class is asked for."""
    return ends, isinstance(ends, set), isinstance(ends, frozenset), x


@case(inputs=PLACES)
def places(x: Tensor, taken: set[tuple[int, int]]) -> object:
    """Tuples of numbers are elements, too."""
    free = [(i, j) for i in range(2) for j in range(3) if (i, j) not in taken]
    return x * len(free), (int(x.sum()), 1) in taken


@case(inputs=WORDS)
def words(x: Tensor, left_out: set[str]) -> object:
    """A set of texts is asked and sorted."""
    return [word for word in ("up", "left") if word not in left_out], sorted(left_out), x


@case(inputs=[({"x": POSITIVE, "ends": {10, 2}},), ({"x": NEGATIVE, "ends": {2}},)])
def within_a_dict(batch: dict[str, object]) -> bool:
    """In containers that are arguments."""
    return int(batch["x"].sum()) in batch["ends"]  # type: ignore[attr-defined,operator]


@case(
    inputs=[
        (POSITIVE, SimpleNamespace(ends={10, 2}, scale=2)),
        (NEGATIVE, SimpleNamespace(ends={-10}, scale=3)),
    ]
)
def within_an_object(x: Tensor, settings: SimpleNamespace) -> object:
    """And in objects."""
    return int(x.sum()) in settings.ends, x * settings.scale


@case(inputs=[(POSITIVE, {1, 10}, {2}), (NEGATIVE, {1, 10}, {2, 3})])
def one_or_the_other(x: Tensor, one: set[int], other: set[int]) -> object:
    """Paths may choose a set."""
    chosen = one if x.sum() > 0 else other
    return 10 in chosen, sorted(chosen)


@case(inputs=NUMBERS)
class SeenBefore(nn.Module):
    """What is put into a set that the model keeps."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[int] = set()

    def forward(self, x: Tensor, tokens: set[int]) -> object:
        fresh = sorted(tokens - self.seen)
        self.seen |= tokens
        return fresh, x


@case(inputs=NUMBERS, refused="DYCL034")
def added_to(x: Tensor, ends: set[int]) -> Tensor:
    """The caller's own set is not written."""
    ends.add(3)  # <- refused
    return x


@case(inputs=WORDS, refused="DYCL051")
def words_in_their_order(x: Tensor, left_out: set[str]) -> object:
    """The order of texts in a set is another one in each process."""
    return [word for word in left_out], x  # <- refused


@case(inputs=[(POSITIVE, {1, 2.5})], refused="DYCL072")
def of_two_types(x: Tensor, ends: set[float]) -> object:
    """Elements are numbers of one type, texts, or tuples of these."""
    return 2.5 in ends, x


@case(inputs=[(POSITIVE, set())], refused="DYCL072")
def an_empty_example(x: Tensor, ends: set[int]) -> object:
    """The example says what elements are."""
    return 2 in ends, x


@case(inputs=[(torch.tensor([1.0, 2.0]),), (torch.tensor([3.0, 3.0]),)])
def no_places(x):
    """A set has no places"""
    found = set(x.tolist())
    try:
        return found[0]
    except TypeError as error:
        return str(error)
