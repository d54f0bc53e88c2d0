"""``as_strided``: elements by their places in memory, as the tensor lies in eager PyTorch."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@case(inputs=ROWS)
def of_an_argument(x):
    """An argument is contiguous; a place to begin at may be given."""
    if x.sum() > 0:
        return x.as_strided((2, 2), (1, 2))
    return torch.as_strided(x, (2,), (3,), storage_offset=1), x.as_strided((), (), 4)


@case(inputs=ROWS)
def of_what_is_turned(x):
    """A result lies in memory as its operand does."""
    turned = x.t() * 2
    if turned.sum() > 0:
        return turned.as_strided((3, 2), (1, 3))
    return turned.as_strided((2, 2), (3, 2), 1)


@case(inputs=ROWS)
def windows_that_overlap(x):
    """Chunks of twice the step, as attention to neighbours makes them."""
    y = x.repeat(2, 2).view(2, 2, 6).relu()
    size, stride = list(y.size()), list(y.stride())
    size[1], stride[1] = size[1] * 2 - 1, stride[1] // 2
    chunks = y.as_strided(size=size, stride=stride)
    return chunks * 2 if chunks.sum() > 5 else chunks


@case(inputs=ROWS)
def elements_that_share_memory(x):
    """An expanded tensor has fewer places than elements; one step may be none."""
    spread = x.expand(2, *x.shape)
    return spread.as_strided((2, 2, 2), (0, 3, 1)) if x.sum() > 0 else spread


@case(inputs=ROWS)
def no_elements(x):
    """Nothing is taken."""
    return x.as_strided((0, 2), (1, 1)) if x.sum() > 0 else x.as_strided((2, 0), (9, 9))


@case(inputs=ROWS)
def of_other_types(x):
    """Integers and truths."""
    return torch.as_strided(x.long(), (2, 2), (1, 3)), (x > 0).as_strided((2, 2), (1, 3))


@case(inputs=ROWS)
def beyond_the_memory(x):
    """PyTorch raises, with the sizes in bytes."""
    try:
        return x.double().as_strided((9, 9), (1, 1))  # never
    except RuntimeError as error:
        return str(error) if x.sum() > 0 else x


@case(inputs=ROWS, refused="DYCL035")
def its_source_written(x):
    """A view in PyTorch, a copy here: writing to its source is refused."""
    y = x * 2
    part = y.as_strided((2, 2), (3, 1))
    y.add_(1)  # <- refused
    return part


@case(inputs=ROWS, refused="DYCL035")
def written(x):
    """So is writing to it."""
    y = x * 2
    part = y.as_strided((2, 2), (3, 1))
    if x.sum() > 0:
        part += 1  # <- refused
    return y


@case(inputs=ROWS, refused_on_host="DYCL404")
def before_its_beginning(x):
    """Memory that the tensor itself does not show is not read."""
    y = x[1:]
    return y.as_strided((2,), (1,)) if x.sum() > 0 else y.as_strided((2,), (1,), 0)  # <- refused


@case(inputs=ROWS, refused_on_host="DYCL404")
def in_uneven_steps(x):
    """The places in the tensor's own order are to go in equal steps."""
    turned = x.t().relu()
    return turned.as_strided((2, 4), (1, 1))  # <- refused


@case(inputs=ROWS)
def asked_how_it_lies(x):
    """It lies as in PyTorch: its strides, its beginning, and what is computed of it."""
    part = (x * 2).as_strided((2, 2), (1, 2), 1)
    y = part if x.sum() > 0 else part * 2
    return y, part.stride(), part.is_contiguous(), part.storage_offset(), part.t().stride()


@case(inputs=ROWS, refused="DYCL404")
def of_one_another(x):
    """Such a view of such a view is refused where its places do not go in equal steps."""
    part = (x * 2).as_strided((2, 2), (1, 2))
    return part.as_strided((4,), (1,)) if x.sum() > 0 else part  # <- refused


@case(inputs=ROWS)
def no_number_to_begin_at(x):
    """PyTorch takes an integer alone."""
    try:
        return torch.as_strided(x, (2,), (1,), 1.5)  # never
    except TypeError:
        return x.relu() if x.sum() > 0 else x


@case(inputs=ROWS)
def as_operator(x):
    """The operator of PyTorch's library is the function."""
    turned = x.t() * 2
    if x.sum() > 0:
        return torch.ops.aten.as_strided(turned, (2, 2), (1, 3))
    try:
        return torch.ops.aten.as_strided(input=turned, size=(2, 2), stride=(1, 3))  # never
    except RuntimeError:
        return torch.ops.aten.as_strided.default(turned, size=(2,), stride=(1,), storage_offset=1)


@case(inputs=ROWS, refused="DYCL404")
def laid_out_by_strides(x):
    """An operator that lays its result out by strides it is given is refused."""
    y = torch.ops.aten._reshape_alias(x * 2, (3, 2), (1, 3))  # <- refused
    return torch.as_strided(y, (2, 2), (1, 3)) if x.sum() > 0 else y


@case(inputs=[([torch.ones(2, 3)],), ([torch.ones(2, 3), -torch.ones(2, 3)],)], options={"run_time_lists": ("xs",)}, refused="DYCL042")
def of_elements_of_a_list(xs):
    """How the elements of a list of run time lie is not known."""
    total = torch.zeros(2)
    for x in xs:
        total = total + x.as_strided((2,), (1,))  # <- refused
    return total
