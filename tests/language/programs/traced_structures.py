"""What functions of ``cond``, ``while_loop`` and ``scan`` give, as PyTorch takes it apart."""

import torch
from torch._higher_order_ops import associative_scan, scan

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (POSITIVE * 99,)]


@case(inputs=BOTH)
def a_bare_tensor(x):
    """The body of torch.while_loop gives the one tensor that is carried, not in a tuple"""
    return torch.while_loop(lambda a: a.sum() < 99, lambda a: a * 2, (x,))


@case(inputs=BOTH)
def a_bare_number(x):
    """The body of torch.while_loop gives the one integer that is carried"""
    return x + torch.while_loop(lambda i: i < 3, lambda i: i + 1, (0,))


@case(inputs=BOTH)
def a_list(x):
    """The body of torch.while_loop gives a list, also where it never runs"""
    return torch.while_loop(lambda a, b: a.sum() < 99, lambda a, b: [a * 2, b + 1], (x, x * 3))


@case(inputs=BOTH)
def a_dict(x):
    """torch.while_loop carries a dict in a tuple"""
    start = {"a": x + 1, "b": (x + 2, x + 3)}

    def step(p):
        return ({"a": p["a"] * 2, "b": (p["b"][0] + 1, p["b"][1] - 1)},)  # never: traced by PyTorch

    return torch.while_loop(lambda p: p["a"].sum() < 99, step, (start,))


@case(inputs=BOTH, refused="DYCL044")
def keys_in_another_order(x):
    """The body of torch.while_loop gives a dict whose keys come in another order"""
    start = {"a": x, "b": x + 1}

    def step(p):
        return ({"b": p["b"] + 1, "a": p["a"] * 2},)  # never

    return torch.while_loop(lambda p: p["a"].sum() < 99, step, (start,))  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def without_the_tuple_around(x):
    """The body of torch.while_loop gives a pair where a pair in a tuple is carried"""
    start = ((x, x + 1),)
    return torch.while_loop(  # <- refused
        lambda p: p[0].sum() < 9, lambda p: (p[0] * 2, p[1] + 1), start
    )


@case(inputs=BOTH, refused="DYCL044")
def fewer_than_carried(x):
    """The body of torch.while_loop gives fewer tensors than it takes"""
    return torch.while_loop(  # <- refused
        lambda a, b: a.sum() < 9, lambda a, b: (a * 2,), (x, x + 1)
    )


@case(inputs=BOTH, refused="DYCL044")
def a_condition_with_a_dimension(x):
    """The condition of torch.while_loop gives a tensor of size 1"""
    return torch.while_loop(  # <- refused
        lambda a: a.sum().reshape(1) < 9, lambda a: (a * 2,), (x,)
    )


@case(inputs=BOTH, refused="DYCL044")
def a_condition_that_is_a_number(x):
    """The condition of torch.while_loop gives a tensor that is no truth"""
    return torch.while_loop(  # <- refused
        lambda a: torch.relu(9 - a.sum()), lambda a: (a + 1,), (x,)
    )


@case(inputs=BOTH, refused="DYCL044")
def a_number_that_becomes_a_tensor(x):
    """The body of torch.while_loop gives a tensor for an integer"""
    start = (0, x)
    return torch.while_loop(  # <- refused
        lambda i, a: i < 3, lambda i, a: (i + a.sum().long(), a + 1), start
    )


@case(inputs=[(POSITIVE[:, :2],), (NEGATIVE[:, :2],)], refused="DYCL044")
def other_strides(x):
    """The body of torch.while_loop gives a tensor that lies otherwise in memory"""
    return torch.while_loop(  # <- refused
        lambda a: a.sum() < 99, lambda a: ((a * 2 + 1).t(),), (x + 1,)
    )


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def branches_with_dicts(x):
    """Branches of torch.cond give dicts with their keys in one order"""

    def one(a):
        return {"a": a + 1, "b": [a * 3]}  # never: traced by PyTorch

    return torch.cond(x.sum() > 0, one, lambda a: {"a": a - 1, "b": [a * 2]}, (x,))


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL044")
def branches_of_different_kinds(x):
    """A branch of torch.cond gives a tuple, the other one a list"""
    return torch.cond(x.sum() > 0, lambda a: (a + 1,), lambda a: [a - 1], (x,))  # <- refused


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL044")
def branches_with_other_orders(x):
    """Branches of torch.cond give dicts whose keys come in different orders"""

    def one(a):
        return {"a": a + 1, "b": a * 3}  # never

    return torch.cond(x.sum() > 0, one, lambda a: {"b": a - 1, "a": a * 2}, (x,))  # <- refused


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def a_list_for_a_carry(x):
    """The function of torch's scan gives a list for the tuple that it carries"""
    start = (torch.zeros(3), torch.ones(3))
    return scan(lambda c, row: ([c[0] + row, c[1] * row], row * 2), start, x)


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL044")
def a_carry_in_another_order(x):
    """The function of torch's scan gives a dict whose keys come in another order"""
    start = {"a": torch.zeros(3), "b": torch.ones(3)}
    adding = lambda c, row: ({"b": c["b"] + row, "a": c["a"] * row}, row * 2)  # noqa: E731
    return scan(adding, start, x)  # <- refused


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def a_number_for_a_carry(x):
    """Torch's scan begins with a number: it raises"""
    try:
        return scan(lambda c, row: (c + row, row * 2), 0, x)  # never
    except RuntimeError as error:
        return x, str(error)


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL044")
def nothing_for_a_result(x):
    """The function of torch's scan gives None beside what it carries"""
    return scan(lambda c, row: (c + row, None), torch.zeros(3), x)  # <- refused


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL044")
def results_in_another_order(x):
    """The function of associative_scan gives a dict whose keys come in another order"""
    rows = {"a": x, "b": x + 1}
    adding = lambda p, q: {"b": p["b"] + q["b"], "a": p["a"] * q["a"]}  # noqa: E731
    return associative_scan(adding, rows, 0, combine_mode="generic")  # <- refused


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def the_operator_itself(x):
    """torch.ops.higher_order.scan, as models for ONNX call it: distances of rows"""

    def distances(unused, row, rows):
        away = rows - row.reshape(1, -1)
        return [unused.clone(), (away * away).sum(1).sqrt()]

    return torch.ops.higher_order.scan(distances, [torch.zeros(1)], [x], additional_inputs=[x * 2])
