"""Which tensors nobody but sub-DNNs looks into."""

from torch import nn

from hcfg.build import build_hcfg
from hcfg.graph import Hcfg
from hcfg.private_borders import private_borders
from rewriter.program import Return
from tests.hcfg.programs import Draft, branch, copy, from_host, give, host, jump, tensor

gate = nn.Linear(4, 4)
SHAPES: dict[str, tuple[int, ...]] = {name: (1, 4) for name in ("x", "y", "z", "w", "r")}
SHAPES["s"] = ()


def names(graph: Hcfg) -> set[frozenset[str]]:
    return {frozenset(border) for border in private_borders(graph)}


def joined(test: str = "s.item()", end: Return | None = None) -> Hcfg:
    """``y = gate(x); if p > 0: z = gate(y) else: z = y; r = gate(z)`` with ``p = test``."""
    draft = Draft(tensors=SHAPES, numbers=["p"], knowns={"gate": gate})
    draft.block(
        0,
        tensor("y", "gate(x)"),
        tensor("s", "y.sum()"),
        host("p", test),
        end=branch("p > 0", 1, 2),
    )
    draft.block(1, tensor("z", "gate(y)"), end=jump(3))
    draft.block(2, copy(z="y"), end=jump(3))
    draft.block(3, tensor("r", "gate(z)"), end=end or give("r"))
    return build_hcfg(draft.program())


def test_what_a_copy_connects_is_one_border() -> None:
    assert frozenset({"y", "z"}) in names(joined())


def test_arguments_and_results_are_no_borders() -> None:
    assert not any({"x", "r"} & border for border in names(joined()))


def test_what_is_returned_in_one_branch_is_no_border() -> None:
    assert not any({"y", "z"} & border for border in names(joined(end=give("(r, z)"))))


def test_what_the_host_looks_at_is_no_border() -> None:
    found = names(joined("float(y[0, 0])"))
    assert not any({"y", "z"} & border for border in found)


def test_what_the_host_makes_is_no_border() -> None:
    draft = Draft(tensors=SHAPES, numbers=["p"], knowns={"gate": gate})
    draft.block(
        0,
        tensor("y", "gate(x)"),
        tensor("s", "y.sum()"),
        host("p", "s.item()"),
        end=branch("p > 0", 1, 2),
    )
    draft.block(1, tensor("z", "gate(y)"), end=jump(3))
    draft.block(2, from_host("w", "[[p, p, p, p]]"), copy(z="w"), end=jump(3))
    draft.block(3, tensor("r", "gate(z)"), end=give("r"))
    found = names(build_hcfg(draft.program()))
    assert frozenset({"y"}) in found
    assert not any({"z", "w"} & border for border in found)
