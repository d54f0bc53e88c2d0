"""Recordings: what they say about outputs, and that they leave models alone."""

import pytest
import torch
from torch import nn

from hcfg.graph import Hcfg, SubDnn
from hcfg.passes import run_passes
from hcfg.recording import record
from hcfg.recordings import Recordings
from hcfg.sharing import share
from rewriter.diagnostics import CompileError, DyclBug
from tests.hcfg.programs import Draft, branch, from_host, give, host, tensor
from tests.hcfg.recorded import SHAPES, draft_of, record_of, structure_of


def test_operations_are_canonical() -> None:
    found = record_of(
        tensor("y", "net(x)"), tensor("z", "y.relu()"), result="z", net=nn.Linear(4, 4)
    )
    assert found.operations == (
        "%0 = input torch.float32[2, 4] strides [4, 1] on cpu",
        "%1 = weight torch.float32[4, 4] strides [4, 1] on cpu",
        "%2 = aten.t.default(%1)",
        "%3 = weight torch.float32[4] strides [1] on cpu",
        "%4 = aten.addmm.default(%3, %0, %2)",
        "%5 = aten.relu.default(%4)",
        "return %5",
    )


def test_default_type_of_floats_is_part_of_the_structure() -> None:
    """Integers divided give doubles where floats are doubles by default."""
    share = tensor("y", "(x.to(torch.int32) / 3).float()")
    single = record_of(share, result="y").structure
    torch.set_default_dtype(torch.float64)
    try:
        double = record_of(share, result="y").structure
    finally:
        torch.set_default_dtype(torch.float32)
    assert single != double


def test_weights_are_the_users_own_tensors_in_order_of_use() -> None:
    net = nn.Linear(4, 4)
    found = record_of(tensor("y", "net(x)"), result="y", net=net)
    assert [id(weight) for weight in found.weights] == [id(net.weight), id(net.bias)]


def test_weight_used_twice_is_one_weight() -> None:
    net = nn.Linear(4, 4)
    tied = record_of(tensor("y", "net(net(x))"), result="y", net=net)
    apart = record_of(tensor("y", "net(other(x))"), result="y", net=net, other=nn.Linear(4, 4))
    assert len(tied.weights) == 2
    assert tied.structure != apart.structure


class Scaled(nn.Module):
    """Multiplies by a number in a Python attribute, or by a tensor made on the spot."""

    def __init__(self, factor: float, as_tensor: bool = False) -> None:
        super().__init__()
        self.factor = factor
        self.as_tensor = as_tensor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * (torch.tensor([self.factor]) if self.as_tensor else self.factor)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(Scaled(2.0), Scaled(3.0), id="python number"),
        pytest.param(Scaled(2.0), Scaled(2), id="float and int"),
        pytest.param(Scaled(1.0), Scaled(True), id="float and bool"),
        pytest.param(Scaled(0.0), Scaled(-0.0), id="sign of zero"),
        pytest.param(Scaled(2.0, True), Scaled(3.0, True), id="tensor made from numbers"),
        pytest.param(nn.Softmax(0), nn.Softmax(1), id="dimension"),
        pytest.param(nn.GELU(), nn.GELU("tanh"), id="string"),
        pytest.param(nn.Linear(4, 4), nn.Linear(4, 4, bias=False), id="bias"),
        pytest.param(nn.LayerNorm(4), nn.LayerNorm(4, eps=1e-6), id="epsilon"),
    ],
)
def test_modules_of_one_class_that_compute_differently_are_told_apart(
    one: nn.Module, other: nn.Module
) -> None:
    assert structure_of(one) == structure_of(one)
    assert structure_of(one) != structure_of(other)


def test_modules_that_differ_in_weights_only_have_one_structure() -> None:
    assert structure_of(nn.Linear(4, 4)) == structure_of(nn.Linear(4, 4))


def test_strides_of_weights_are_part_of_the_structure() -> None:
    other = nn.Linear(4, 4)
    other.weight = nn.Parameter(torch.randn(4, 4).t())
    assert structure_of(nn.Linear(4, 4)) != structure_of(other)


def test_sharing_by_equal_content() -> None:
    one, twin, different = (nn.Linear(4, 4) for _ in range(3))
    twin.load_state_dict(one.state_dict())
    different.load_state_dict(one.state_dict())
    with torch.no_grad():
        different.weight[3, 3] += 1.0  # beyond the first row, which is compared first
    draft = Draft(tensors=SHAPES, knowns={"a": one, "b": twin, "c": different}, numbers=["p"])
    for number, name in enumerate("abc"):
        draft.block(
            number,
            tensor("x", f"{name}(x)"),
            host("p", "x[0, 0].item()"),
            end=branch("p > 0.0", number + 1, number + 1),
        )
    draft.block(3, end=give("x"))
    sharing = share(draft.graph(), Recordings())
    assert sharing.structures == (("subdnn_0", "subdnn_1", "subdnn_2"),)
    assert sharing.artifacts == (("subdnn_0", "subdnn_1"), ("subdnn_2",))
    assert sharing.artifact_of("subdnn_1") == ("subdnn_0", "subdnn_1")


def test_outputs_know_what_they_depend_on() -> None:
    found = record_of(
        tensor("y", "torch.zeros(2, 4)"),
        tensor("r", "y[0]"),
        tensor("z", "torch.ones(2, 4)"),
        tensor(None, "r.add_(x[1])", updates={"r1": "r", "y1": "y"}),
        result="(y1, r1, z)",
    )
    depends_on = {output.name: output.depends_on for output in found.outputs}
    assert depends_on == {"y1": {"x"}, "r1": {"x"}, "z": set()}


def test_what_is_written_to_is_no_copy() -> None:
    found = record_of(
        tensor("y", "x.view(2, 4)"),
        tensor(None, "y.add_(1)", updates={"y1": "y", "x1": "x"}),
        result="(y1, x1)",
    )
    assert [output.copies for output in found.outputs] == [None, None]
    assert [output.repeats for output in found.outputs] == [None, "y1"]
    assert found.overwritten == {"x"}


def test_recording_computes_nothing_and_changes_no_buffer() -> None:
    norm = nn.BatchNorm1d(4)
    before = {name: value.clone() for name, value in norm.state_dict().items()}
    record_of(tensor("y", "norm(x)"), result="y", norm=norm)
    assert norm.training
    assert all(torch.equal(before[name], value) for name, value in norm.state_dict().items())


def test_symbolic_dimensions_are_recorded_once_for_all_sizes() -> None:
    draft = Draft(tensors={"x": (2, "n"), "y": (2, "n"), "z": (2, "m")}, knowns={"torch": torch})
    draft.block(0, tensor("y", "x * 2"), tensor("z", "torch.cat([x, y], 1)"), end=give("(y, z)"))
    graph = draft.graph()
    node = graph.nodes["subdnn_0"]
    assert isinstance(node, SubDnn)
    operations = record("subdnn_0", node, graph).operations
    assert operations[:2] == (
        "%0 = input torch.float32[2, u0] strides [Max(1, u0), 1] on cpu",
        "u0 = number in [0, None]",
    )


def test_symbolic_dimensions_that_decide_what_is_computed_are_refused() -> None:
    draft = Draft(tensors={"x": (2, "n"), "y": (2, "n")}, knowns={"torch": torch, "pick": pick})
    draft.block(0, tensor("y", "pick(x)"), end=give("y"))
    graph = draft.graph()
    node = graph.nodes["subdnn_0"]
    assert isinstance(node, SubDnn)
    with pytest.raises(CompileError, match=r"DYCL205.*depends on a size or number .* u0 > 5"):
        record("subdnn_0", node, graph)


def pick(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if x.shape[1] > 5 else x


def test_host_number_in_tensor_code_is_a_bug() -> None:
    draft = draft_of(host("p", "x[0, 0].item()"), tensor("y", "x * p"), result="y")
    with pytest.raises(DyclBug, match="'p' is no tensor, but read by tensor code"):
        run_passes(draft.graph())


def test_tensor_from_host_numbers_is_an_input() -> None:
    draft = draft_of(
        host("p", "x[0, 0].item()"),
        from_host("r", "[p, 0.0, 1.0, 2.0]"),
        tensor("y", "x * r"),
        result="y",
    )
    graph: Hcfg = run_passes(draft.graph()).graph
    node = graph.nodes["subdnn_0"]
    assert isinstance(node, SubDnn)
    assert node.inputs == ("x", "r")
