"""Code for batches is made once for sub-DNNs that are equal up to weights."""

import pytest
import torch
from torch import nn

from hcfg import batched_codes
from hcfg.batched_code import OfBatch, of_batch
from hcfg.batched_codes import BatchedCodes
from hcfg.graph import Hcfg, SubDnn
from hcfg.recordings import Recordings
from tests.hcfg.programs import Draft, branch, give, tensor

ONE, TWO = nn.Linear(4, 4), nn.Linear(4, 4)


def graph() -> Hcfg:
    draft = Draft(
        tensors={"x": (1, 4), "gate": (1,), "y": (1, 4), "z": (1, 4)},
        knowns={"one": ONE, "two": TWO},
    )
    draft.block(0, tensor("gate", "x.sum(1)"), end=branch("gate.item() > 0", 1, 2))
    draft.block(1, tensor("y", "one(x).tanh()"), end=give("y"))
    draft.block(2, tensor("z", "two(x).tanh()"), end=give("z"))
    return draft.graph()


def test_equal_structures_share_what_was_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    traced: list[SubDnn] = []

    def counted(node: SubDnn, graph: Hcfg) -> OfBatch | None:
        traced.append(node)
        return of_batch(node, graph)

    monkeypatch.setattr(batched_codes, "of_batch", counted)
    subject, codes, recordings = graph(), BatchedCodes(), Recordings()
    made: dict[str, OfBatch] = {}
    for node_id, node in subject.nodes.items():
        if isinstance(node, SubDnn):
            code = codes.of(node_id, subject, recordings)
            assert code is not None
            assert codes.of(node_id, subject, recordings) is code
            made[node.outputs[0]] = code
    x = torch.randn(3, 1, 4)
    for name, layer in (("y", ONE), ("z", TWO)):
        torch.testing.assert_close(made[name](x)[0], layer(x).tanh())
    assert [node.outputs[0] for node in traced] == ["gate", "y"]
