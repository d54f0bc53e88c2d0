"""Messages of errors with tensors in them; tensors without dimensions in formatted text."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def the_number_of_a_tensor_without_dimensions(x):
    """f"{loss}" and "{}".format(loss) show the number in a tensor without dimensions."""
    total, flag = x.abs().sum() * 0 + 2.5, x.sum() > 0
    return f"{total} {flag} {total:.2f}", "{} of {:.1f}".format(x.argmax() * 0, total)


@case(inputs=[(POSITIVE,), (MIXED,)])
def a_tensor_in_the_message_of_an_assertion(x):
    """A failing assertion whose text shows a tensor would raise; others go on."""
    assert torch.isfinite(x).all(), "not finite: {}".format(x)  # known
    assert x.dim() == 2, f"wrong shape: {x}"  # known
    return x * 2


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL054")
def a_tensor_in_a_message_that_is_caught(x):
    """Where the message may be read, a tensor in it is refused."""
    try:
        if x.sum() < 0:
            raise ValueError(f"negative: {x}")
    except ValueError as error:
        return str(error)
    return "fine"


@case(inputs=[(POSITIVE, torch.tensor(3)), (POSITIVE, torch.tensor(2)), (NEGATIVE, torch.tensor(3))],
      messages=False)
def containers_of_tensors_in_the_message(x, n):
    """Tensors in a tuple, list or dict that the message shows are named by type and shape, too."""
    if list(x.shape) != [2, n]:
        raise ValueError(f"expected {(2, n)} of {[x.sum(), x]}, not {x.shape}")
    if x.sum() < 0:
        raise RuntimeError(f"negative: {dict(x=x, n=n)}, {(n,)}")
    return x + 1


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL054")
def containers_of_tensors_in_a_text(x):
    """Elsewhere than in an error's message a tensor in a tuple is no text."""
    if x.sum() < 0:
        return x, "negative"
    return x, f"{(2, x.sum())}"  # <- refused


LARGEST = torch.where(MIXED == MIXED.max(), MIXED, -1.0)


@case(inputs=[(MIXED,), (POSITIVE,), (NEGATIVE,), (LARGEST,)])
def shape_that_fails(x):
    """A shape, or an element type, as the only argument of an error: the message is its text"""
    kept = x[x > 0]
    if len(kept) > 1:
        raise ValueError(x.shape if x.sum() > 5 else kept.size())
    assert x.max() > 0, x.dtype
    return x


@case(inputs=[(MIXED,), (POSITIVE,), (NEGATIVE,)])
def shape_that_is_caught(x):
    """A handler has the shape itself"""
    try:
        assert x.sum() < 0, x.shape
    except AssertionError as error:
        return x * error.args[0][-1], str(error)
    raise IndexError(x.shape[1:])


@case(inputs=[(MIXED,), (POSITIVE,), (NEGATIVE,), (LARGEST,), (torch.zeros(2, 3),)])
def shapes_among_others(x):
    """Shapes and element types among other arguments, and in tuples and lists of them"""
    kept = x[x > 0]
    if len(kept) > 5:
        raise ValueError("bad", kept.shape, x.sum().item(), None)
    if len(kept) > 1:
        raise TypeError([x.shape, (kept.shape,)], x.dtype, "it's")
    assert len(kept) == 0, (x.shape, kept.shape)
    assert x.sum() < 0, ((), len(kept), kept.shape[:0])
    return x
