"""The optimizer finds the same matches when it looks at the first node of a pattern first."""

from onnxscript import ir, optimizer
from onnxscript.rewriter._matcher import SimplePatternMatcher

from dycl.backends.onnx_graphs.quick_matching import quick_matching

TEXT = """
<ir_version: 10, opset_import: ["" : 20]>
agraph (float[4, 6] x, float[6, 6] w, float[6] b) =>
    (float[2, 6] y, float[2, 6] z, float[4, 6] v, float[4, 3] s, float[4, 3] t)
{
    axes = Constant<value_ints=[0]>()
    zero = Constant<value_ints=[0]>()
    two = Constant<value_ints=[2]>()
    four = Constant<value_ints=[4]>()
    last = Constant<value_ints=[1]>()
    three = Constant<value_ints=[3]>()
    six = Constant<value_ints=[6]>()
    product = MatMul(x, w)
    sum = Add(product, b)
    y = Slice(sum, zero, two, axes)
    z = Slice(sum, two, four, axes)
    wide = Mul(x, x)
    t = Slice(wide, three, six, last)
    s = Slice(wide, zero, three, last)
    once = Transpose<perm=[1, 0]>(sum)
    twice = Transpose<perm=[1, 0]>(once)
    v = Cast<to=1>(twice)
}
"""


def _optimized() -> str:
    model = ir.from_onnx_text(TEXT)
    optimizer.optimize(model)
    return str(model.graph)


def test_same_graph_comes_out() -> None:
    expected = _optimized()
    assert "Transpose" not in expected
    assert "Split" in expected
    with quick_matching():
        assert _optimized() == expected


def test_door_is_closed_afterwards() -> None:
    before = SimplePatternMatcher.match
    with quick_matching():
        assert SimplePatternMatcher.match is not before
    assert SimplePatternMatcher.match is before
