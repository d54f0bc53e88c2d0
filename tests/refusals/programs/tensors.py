"""Tensor operations that cannot be preserved."""

import torch
from torch import nn

from tests.refusals.harness import N, X, refused


@refused("DYCL030")
def run_time_number_as_option(x):
    return torch.nn.functional.layer_norm(x, (3,), eps=x.sum().item())


@refused("DYCL031")
def a_setting_depends_on_content(x):
    return torch.logit(x, x.min())


@refused("DYCL032")
def sparse(x):
    return torch.sparse.sum(x.to_sparse())


@refused("DYCL033")
def random_numbers(x):
    return x + torch.rand(3)


@refused("DYCL034")
def argument_written(x):
    x.numpy()[0] = 1
    return x * 2


@refused("DYCL035")
def tensor_with_a_chosen_part_written(x):
    y = x * 1
    part = y[int(x.sum())]
    y += part
    return y, part


@refused("DYCL036")
def dict_of_tensors(x):
    return torch.utils.data.default_collate([{"a": x}])


THREE = 3


@refused("DYCL037", X, N)
def identity_of_numbers(x, n):
    return x if n is THREE else -x


@refused("DYCL042")
def gradient(x):
    return x.grad


@refused("DYCL057", X, N)
def number_and_index_tensor(x, n):
    y = x.view(1, -1).clone()
    y[n, x > 0] = 1.0
    return y


@refused("DYCL058")
def bfloat16_array(x):
    return float(x.bfloat16().numpy().max())


@refused("DYCL070", method="decode")
class WithoutThisMethod(nn.Module):
    @property
    def codes(self):
        raise RuntimeError("nothing was encoded")

    @staticmethod
    def encode(x):
        return x

    def forward(self, x):
        return x


@refused("DYCL071", X, X)
def one_argument_only(x):
    return x


@refused("DYCL072", iter([1, 2]))
def iterator_as_argument(items):
    return list(items)


@refused("DYCL075")
def positions_spread(x):
    return torch.cat(*(x > 0).nonzero())
