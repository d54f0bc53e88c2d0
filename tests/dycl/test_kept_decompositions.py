"""Programs that are decomposed one after the other share work, and come out as without that."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch._subclasses.fake_impls import op_implementations_dict
from torch.export import decomp_utils, exported_program

from dycl.capture import kept_decompositions
from dycl.capture.kept_decompositions import decompositions_kept

PROGRAM: Any = exported_program
TABLES: Any = decomp_utils
LINEAR = torch.ops.aten.linear.default


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        return torch.stack([self.linear(x).softmax(-1), x.narrow(1, 0, 3)]).square()


@pytest.fixture(scope="module")
def exported() -> Iterator[torch.export.ExportedProgram]:
    with torch.no_grad():
        yield torch.export.export(Network().eval(), (torch.ones(2, 3),), strict=False)


def decomposed(program: torch.export.ExportedProgram, keeping: bool) -> str:
    table = torch.export.default_decompositions()
    if keeping:
        del table[LINEAR]
    return str(program.run_decompositions(table).graph)


@pytest.mark.parametrize("keeping", [False, True])
def test_programs_are_those_of_pytorch(
    exported: torch.export.ExportedProgram, keeping: bool
) -> None:
    expected = decomposed(exported, keeping)
    assert ("linear.default" in expected) is keeping
    with decompositions_kept():
        found = [decomposed(exported, keeping) for _ in range(3)]
        others = [decomposed(exported, not keeping) for _ in range(2)]
    assert found == [expected] * 3
    assert others == [decomposed(exported, not keeping)] * 2


def test_kernels_are_put_back(exported: torch.export.ExportedProgram) -> None:
    with decompositions_kept():
        exported.run_decompositions({})
        before, rules = dict(LINEAR.py_kernels), dict(op_implementations_dict)
        exported.run_decompositions({})
    assert LINEAR.py_kernels == before
    assert op_implementations_dict == rules


def test_they_are_put_back_where_decomposing_fails(
    exported: torch.export.ExportedProgram,
) -> None:
    def failing(*_: object) -> Tensor:
        raise NotImplementedError("no such decomposition")

    before, table = dict(LINEAR.py_kernels), {LINEAR: failing}
    with decompositions_kept():
        for _ in range(3):
            with pytest.raises(NotImplementedError, match="no such decomposition"):
                exported.run_decompositions(table)
            assert LINEAR.py_kernels == before


def test_the_second_time_nothing_is_put_together_anew(
    exported: torch.export.ExportedProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    with decompositions_kept():
        exported.run_decompositions({})
        exported.run_decompositions({})
        monkeypatch.delattr(kept_decompositions, "_remembering")
        exported.run_decompositions({})


def test_operators_that_are_defined_later_are_found() -> None:
    def collected() -> set[str]:
        return {str(each) for each in PROGRAM._collect_all_valid_cia_ops()}

    with decompositions_kept():
        before = collected()
        with torch.library._scoped_library("dycl_later", "DEF") as library:
            library.define("twice(Tensor x) -> Tensor")
            library.impl("twice", lambda x: x * 2, "CompositeImplicitAutograd")
            assert collected() - before == {"dycl_later.twice.default"}


def test_the_door_is_closed_afterwards() -> None:
    doors = (
        TABLES._collect_all_valid_cia_ops,
        PROGRAM._collect_all_valid_cia_ops,
        PROGRAM._override_composite_implicit_decomp,
    )
    with decompositions_kept():
        assert PROGRAM._collect_all_valid_cia_ops != doors[1]
    assert doors == (
        TABLES._collect_all_valid_cia_ops,
        PROGRAM._collect_all_valid_cia_ops,
        PROGRAM._override_composite_implicit_decomp,
    )
