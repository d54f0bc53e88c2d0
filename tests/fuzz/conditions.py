"""Tests: of tensors, of numbers, of containers, and their combinations."""

from tests.fuzz import scalars, tensors
from tests.fuzz.author import Author
from tests.fuzz.kinds import (
    BOOL,
    FLOAT,
    INT,
    MATRIX,
    PAIR,
    ROW,
    SINGLE,
    STR,
    TOKENS,
    DictKind,
    ListKind,
    TensorKind,
)

THRESHOLDS = ("0.3", "-0.3", "1.1", "2.3", "-1.7", "5.2", "0.05", "-4.6")
"""Unlikely to be met exactly: inputs are multiples of one eighth."""


def condition(author: Author, depth: int = 2) -> str:
    """Return an expression to stand after ``if``."""
    if depth > 0 and author.chance(0.25):
        return _combined(author, depth)
    return author.weighted(
        [(5, _of_tensor), (2, _of_floats), (2.5, _of_ints), (1.5, _of_flag), (1, _of_containers)]
    )(author, depth)


def tensor_test(author: Author, depth: int = 1) -> str:
    """Return a test that depends on a tensor."""
    return _of_tensor(author, depth)


def _combined(author: Author, depth: int) -> str:
    left, right = condition(author, depth - 1), condition(author, depth - 1)
    form = author.pick(["({} and {})", "({} or {})", "(not {})", "({} and not {})", "({0} or {1})"])
    return form.format(left, right)


def _of_tensor(author: Author, depth: int) -> str:
    threshold = author.pick(THRESHOLDS)
    single = tensors.tensor(author, SINGLE, max(depth, 1))
    wide = tensors.tensor(author, author.pick([MATRIX, ROW, PAIR]), depth - 1)
    sign = author.pick(["<", ">", ">", ">=", "<="])
    return author.weighted([
        (5, f"{single} {sign} {threshold}"),
        (2, f"({single}).item() {sign} {threshold}"),
        (1, f"({wide} {sign} {threshold}).any()"),
        (1, f"({wide} {sign} {threshold}).all()"),
        (0.5, f"torch.any({wide} > {threshold})"),
        (0.7, f"{author.pick(THRESHOLDS)} < {single} < {threshold}"),
        (0.5, f"({single} > {threshold}).item()"),
        (0.3, f"torch.equal({wide}, {wide})"),
        (0.3, f"float({single}) {sign} {threshold}"),
    ])  # fmt: skip


def _of_floats(author: Author, depth: int) -> str:
    f = scalars.number(author, FLOAT, depth)
    threshold = author.pick(THRESHOLDS)
    sign = author.pick(["<", ">", ">=", "<="])
    return author.pick([f"{f} {sign} {threshold}", f"-2.2 < {f} <= {threshold}"])


def _of_ints(author: Author, depth: int) -> str:
    i, j = scalars.number(author, INT, depth), scalars.number(author, INT, depth - 1)
    sign = author.pick(["<", ">", "==", "!=", ">=", "<="])
    return author.pick([
        f"{i} {sign} {j}", f"{i} {sign} {j}", f"{i} % 2 == 0", f"{i}", f"{i} in (0, 2)",
        f"{i} not in [1, {j}]", f"0 <= {i} < {j}",
    ])  # fmt: skip


def _of_flag(author: Author, depth: int) -> str:
    flag = scalars.number(author, BOOL, 0)
    return author.pick([flag, flag, f"not {flag}", f"{flag} is True", f"{flag} == ({condition(author, 0)})"])  # fmt: skip


def _of_containers(author: Author, depth: int) -> str:
    held = author.named(lambda k: isinstance(k, ListKind | DictKind))
    tensors_held = author.named(lambda k: isinstance(k, TensorKind))
    options = [f"{scalars.number(author, STR, depth)} == {scalars.number(author, STR, 0)}"]
    if held:
        name, kind = author.pick(held)
        options += [name, f"not {name}", f"len({name}) > {author.pick(['0', '1', '2'])}"] * 2
        if isinstance(kind, DictKind):
            options += [f"{key!r} in {name}" for key in ("a", "b", "z")]
    if tensors_held and author.chance(0.3):
        one, two = author.pick(tensors_held)[0], author.pick(tensors_held)[0]
        options = [f"{one} is {two}", f"{one} is not None", f"{one} is not {two}"]
    tokens = author.reads(TOKENS)
    if tokens and author.chance(0.4):
        name = author.pick(tokens)
        options = [f"({name} == 2).any()", f"{name}[0] == 1", f"{name}[-1].item() > 1", f"{name}.sum() > 4"]  # fmt: skip
    return author.pick(options)
