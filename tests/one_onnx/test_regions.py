"""Which nodes become regions: the largest parts with one way in that need no Python."""

from dycl.one_onnx.mixed import Mixed, mixed
from hcfg.verify import verify
from tests.hcfg.programs import Draft, branch, copy, fail, give, host, jump, tensor


def draft() -> Draft:
    """Names that the programs below use."""
    return Draft(
        tensors=dict.fromkeys(["x", "y", "z", "s", "t"], (4,)) | {"p": (), "q": ()},
        knowns={},
        numbers=["a", "b"],
        others=["items"],
        arguments=("x", "a"),
    )


def found(program: Draft) -> Mixed:
    """Return the regions of a program, and a valid graph with them."""
    parts = mixed(program.graph())
    verify(parts.graph)
    return parts


def shown(parts: Mixed) -> list[str]:
    """Return the nodes of each region, and where it goes on."""
    return [
        f"{' '.join(region.nodes)} -> {' '.join(region.exits)}" for region in parts.regions.values()
    ]


def test_what_paths_have_done_when_they_meet_is_one_region() -> None:
    """The test, both arms, and what follows them; the host prints and returns."""
    program = draft()
    program.block(0, tensor("p", "x.sum()"), end=branch("p.item() > 0", 1, 2))
    program.block(1, tensor("y", "x + 1"), end=jump(3))
    program.block(2, tensor("y", "x * 2"), end=jump(3))
    program.block(3, tensor("z", "y - 1"), host(None, "print(a)", effect=True), end=give("z"))
    parts = found(program)
    assert shown(parts) == ["subdnn_0 branch_0 subdnn_1 subdnn_2 subdnn_3 -> host_0"]
    (region,) = parts.regions.values()
    assert (region.inputs, region.slots) == (("x",), {"host_0": {"z": "float32[4] 1"}})
    assert list(parts.graph.nodes) == ["entry", "subdnn_4", "host_0", "return_0"]


def test_a_variable_that_one_arm_leaves_alone_is_given_and_taken() -> None:
    program = draft()
    program.block(0, tensor("p", "x.sum()"), host(None, "print(a)", effect=True), end=jump(1))
    program.block(1, end=branch("p.item() > 0", 2, 3))
    program.block(2, tensor("x", "x + 1"), end=jump(3))
    program.block(3, tensor("y", "x * 2"), host(None, "print(a)", effect=True), end=give("x, y"))
    (region,) = found(program).regions.values()
    assert set(region.inputs) == {"p", "x"}
    assert region.slots == {"host_1": {"x": "float32[4] 1", "y": "float32[4] 2"}}


def test_a_test_between_ways_of_the_host_stays_there() -> None:
    """It would be made inside, and its outcome again outside."""
    program = draft()
    program.block(0, tensor("p", "x.sum()"), end=branch("p.item() > 0", 1, 2))
    program.block(1, tensor("y", "x + 1"), tensor("q", "y.sum()"), end=jump(3))
    program.block(2, tensor("y", "x * 2"), tensor("q", "y.max()"), end=jump(3))
    program.block(3, end=branch("q.item() > 0", 4, 5))
    program.block(4, end=fail("ValueError(a)"))
    program.block(5, host(None, "print(a)", effect=True), end=give("y"))
    assert shown(found(program)) == ["subdnn_0 branch_0 subdnn_1 subdnn_2 -> branch_1"]


def test_several_exits_are_told_apart_by_a_value() -> None:
    """Of two an answer, of more a number, which the host tests."""
    program = draft()
    program.block(0, tensor("p", "x.sum()"), end=branch("p.item() > 0", 1, 2))
    program.block(1, end=fail("ValueError('positive')"))
    program.block(2, tensor("y", "x + 1"), tensor("q", "y.sum()"), end=branch("q.item() > a", 3, 4))
    program.block(3, end=fail("ValueError('large')"))
    program.block(4, tensor("z", "y * 2"), end=give("z"))
    parts = found(program)
    assert shown(parts) == [
        "subdnn_0 branch_0 subdnn_1 branch_1 subdnn_2 -> raise_0 raise_1 return_0"
    ]
    kinds = " ".join(node_id.partition("_")[0] for node_id in parts.graph.nodes)
    assert kinds == "entry host subdnn host branch raise branch raise return"


def test_exits_share_parts_of_the_result() -> None:
    """What is read at one exit only takes the place of what is read at another one only."""
    program = draft()
    program.block(0, tensor("p", "x.sum()"), end=branch("p.item() > 0", 1, 2))
    program.block(1, tensor("y", "x + 1"), host("b", "p.item()"), end=jump(3))
    program.block(2, tensor("z", "x * 2"), tensor("t", "x * 3"), end=jump(4))
    program.block(3, host(None, "print(y, b)", effect=True), end=give("y"))
    program.block(4, host(None, "print(z)", effect=True), end=give("z, t"))
    (region,) = found(program).regions.values()
    assert region.slots == {
        "host_0": {"y": "float32[4] 1", "p": "float32[] 1"},
        "host_1": {"z": "float32[4] 1", "t": "float32[4] 2"},
    }


def test_a_loop_is_lowered_whole_or_not_at_all() -> None:
    """A list grows in the outer loop: what is between is a region, the inner loop in it."""
    program = draft()
    program.block(0, host("items", "[]"), end=jump(1))
    program.block(1, end=branch("len(items) < 3", 2, 6))
    program.block(2, tensor("y", "x + 1"), end=jump(3))
    program.block(3, tensor("p", "y.sum()"), end=branch("p.item() < 9", 4, 5))
    program.block(4, tensor("y", "y * 2"), end=jump(3))
    program.block(5, host("a", "p.item()"), host(None, "items.append(a)", effect=True), end=jump(1))
    program.block(6, tensor("z", "x * 2"), end=give("z"))
    assert shown(found(program)) == ["subdnn_0 loop_1 subdnn_1 branch_1 subdnn_2 -> host_1"]


def test_the_test_of_a_loop_of_the_host_stays_with_it() -> None:
    """It leads out of the region that the loop's body is."""
    program = draft()
    program.block(0, host("b", "0.0"), end=jump(1))
    program.block(1, end=branch("b < a", 2, 5))
    program.block(2, tensor("p", "x.sum()"), end=branch("p.item() > 0", 3, 4))
    program.block(3, tensor("x", "x - 1"), end=jump(4))
    program.block(4, host("b", "b + 1"), host(None, "print(b)", effect=True), end=jump(1))
    program.block(5, end=give("x"))
    assert shown(found(program)) == ["subdnn_0 branch_1 subdnn_1 -> host_1"]


def test_without_a_decision_there_is_no_region() -> None:
    """A straight line is a sub-DNN already, and a test that chooses one is quickest in Python."""
    program = draft()
    program.block(0, end=branch("a > 0", 1, 2))
    program.block(1, tensor("y", "x + 1"), host("b", "a + 1"), end=jump(3))
    program.block(2, tensor("y", "x * 2"), host("b", "a - 1"), end=jump(3))
    program.block(3, host(None, "print(b)", effect=True), end=give("y"))
    parts = found(program)
    assert not parts.regions
    assert parts.graph is parts.original
    (remark,) = parts.remarks()
    assert remark.startswith("no branch or loop could be lowered to ONNX: net.py:")


def test_a_copy_before_paths_meet_stays_in_the_region() -> None:
    """Left to the host, it would be a second exit."""
    program = draft()
    program.block(0, tensor("p", "x.sum()"), end=branch("p.item() > 0", 1, 2))
    program.block(1, tensor("y", "x + 1"), end=jump(3))
    program.block(2, copy(y="x"), end=jump(3))
    program.block(3, host(None, "print(a)", effect=True), end=give("y"))
    assert shown(found(program)) == ["subdnn_0 branch_0 subdnn_1 host_0 -> host_1"]


def test_a_region_of_many_exits_stays_on_the_host() -> None:
    program = draft()
    for number in range(9):
        work = tensor("x", "x + 1"), tensor("p", "x.sum()")
        end = branch("p.item() > 0", 2 * number + 1, 2 * number + 2)
        program.block(2 * number, *work, end=end)
        program.block(2 * number + 1, end=fail(f"ValueError({number})"))
    program.block(18, tensor("y", "x * 2"), end=give("y"))
    assert not found(program).regions
