"""Operators of two tensors, each with its operands."""

from collections.abc import Callable

import torch
import torch.nn.functional as F

from tests.dycl.operator_operands import (
    BOOLS,
    DIVIDENDS,
    DIVISORS,
    IMAGE,
    ONE_ROW_ONLY,
    POSITIVE,
    SPECIAL,
    SQUARE,
    TOKENS,
    WITH_NAN,
    X,
    integers,
    normal,
)

BINARY: dict[str, tuple[Callable[..., object], torch.Tensor, torch.Tensor]] = {
    "add broadcast": (torch.add, X, X[0, :, :1]),
    "add alpha": (lambda x, y: torch.add(x, y, alpha=2), X, X + 1),
    "subtract": (lambda x, y: 1 - x - y, X, X.exp()),
    "divide by zero": (torch.div, SPECIAL, torch.zeros(11)),
    "floor division": (lambda x, y: x // y, DIVIDENDS, DIVISORS),
    "floor division of floats": (lambda x, y: x // y, DIVIDENDS / 2, DIVISORS.float()),
    "truncated division": (
        lambda x, y: torch.div(x, y, rounding_mode="trunc"),
        DIVIDENDS,
        DIVISORS,
    ),
    "floor rounding of floats": (
        lambda x, y: torch.div(x, y, rounding_mode="floor"),
        DIVIDENDS / 3,
        DIVISORS.float(),
    ),
    "true division of integers": (lambda x, y: x / y, DIVIDENDS, DIVISORS),
    "remainder": (lambda x, y: x % y, DIVIDENDS, DIVISORS),
    "remainder of floats": (lambda x, y: x % y, DIVIDENDS / 2, DIVISORS.float()),
    "fmod": (torch.fmod, DIVIDENDS, DIVISORS),
    "fmod of floats": (torch.fmod, DIVIDENDS / 2, DIVISORS.float()),
    "power": (torch.pow, POSITIVE, X),
    "power of integers": (torch.pow, DIVIDENDS, DIVISORS.abs()),
    "square by power": (lambda x, y: x**2 + y**0.5, X, POSITIVE),
    "atan2": (torch.atan2, X, X.flip(0)),
    "maximum": (torch.maximum, WITH_NAN, WITH_NAN.flip(1)),
    "minimum": (torch.minimum, WITH_NAN, WITH_NAN.flip(1)),
    "maximum of integers": (torch.maximum, DIVIDENDS, DIVISORS),
    "comparison with nan": (
        lambda x, y: (x > y, x >= y, x == y, x != y, x < y),
        WITH_NAN,
        WITH_NAN.flip(1),
    ),
    "comparison of kinds": (lambda x, y: x > y, X[0, 0, :3], torch.tensor([0, 1, -1])),
    "logical": (
        lambda x, y: (x & y, x | y, x ^ y, torch.logical_and(x, y)),
        BOOLS,
        BOOLS.flip(1),
    ),
    "bitwise": (lambda x, y: (x & y, x | y, x ^ y), DIVIDENDS, DIVISORS),
    "lerp": (lambda x, y: torch.lerp(x, y, 0.3), X, X + 1),
    "addcmul": (lambda x, y: torch.addcmul(x, x, y, value=0.5), X, X + 1),
    "where": (lambda x, y: torch.where(x > y, x, y), X, X.flip(0)),
    "integer overflow": (torch.add, torch.tensor([2**63 - 1, -(2**63)]), torch.tensor([1, -1])),
    "int32 overflow": (
        torch.mul,
        torch.tensor([2**30, 7], dtype=torch.int32),
        torch.tensor([4, 3], dtype=torch.int32),
    ),
    "matrix product": (torch.matmul, SQUARE, SQUARE.flip(0)),
    "matrix product broadcast": (torch.matmul, normal(3, 1, 2, 4), normal(2, 4, 5)),
    "matrix times vector": (torch.matmul, SQUARE, normal(4)),
    "transposed matrix times vector": (
        lambda x, y: (x.t() @ y, y @ x.t()),
        normal(4, 4),
        normal(4),
    ),
    "transposed matrices times vector": (
        lambda x, y: (x.mT @ y, y @ x.mT),
        normal(3, 4, 4),
        normal(4),
    ),
    "inner product": (torch.dot, normal(4), normal(4, seed=1)),
    "matrix product of integers": (torch.matmul, integers(2, 3), integers(3, 2)),
    "batched product": (torch.bmm, SQUARE, SQUARE),
    "outer product": (torch.outer, normal(3), normal(4)),
    "einsum": (lambda x, y: torch.einsum("bij,bjk->bik", x, y), SQUARE, SQUARE),
    "einsum with sum": (lambda x, y: torch.einsum("bij,bkj->ik", x, y), SQUARE, SQUARE),
    "cross": (lambda x, y: torch.linalg.cross(x, y), normal(2, 3), normal(2, 3, seed=1)),
    "cross product of rows": (
        lambda x, y: torch.cross(x, y, dim=1),
        normal(2, 3, 3),
        normal(2, 3, 3, seed=1),
    ),
    "cross product of the first three": (torch.cross, normal(2, 3, 3), normal(2, 3, 3, seed=1)),
    "shift by tensors": (
        lambda x, y: (x << y, x >> y),
        torch.tensor([-7, 3, 2**40, 5]),
        torch.tensor([1, 0, 20, 2]),
    ),
    "shift by numbers": (
        lambda x, y: (x << 2, y >> 1),
        torch.tensor([-7, 3, 2**20], dtype=torch.int32),
        torch.tensor([-7, 3, 2**20], dtype=torch.int32),
    ),
    "shift in place": (
        lambda x, y: (x.clone().__ilshift__(y), x.clone().__irshift__(y).__ilshift__(1)),
        torch.tensor([-7, 3, 2**40]),
        torch.tensor([1, 0, 20]),
    ),
    "cosine similarity": (lambda x, y: F.cosine_similarity(x, y, dim=1), X, X + 1),
    "gather": (lambda x, i: x.gather(1, i), normal(2, 7), TOKENS),
    "take along": (lambda x, i: torch.take_along_dim(x, i, 1), normal(2, 7), TOKENS),
    "index select": (lambda x, i: x.index_select(0, i[0]), normal(7, 2), TOKENS),
    "index by input": (lambda x, i: x[i], normal(7, 2), TOKENS),
    "negative indices": (lambda x, i: x[i], normal(7, 2), TOKENS - 7),
    "scatter": (lambda x, i: x.scatter(1, i, 5.0), normal(2, 7), torch.tensor([[1], [3]])),
    "scatter add": (
        lambda x, i: x.scatter_add(1, i, torch.ones(2, 3)),
        normal(2, 7),
        TOKENS,
    ),
    "index add": (
        lambda x, i: x.index_add(0, i[0], torch.ones(3, 2)),
        normal(7, 2),
        TOKENS,
    ),
    "index copy": (lambda x, i: x.index_copy(0, i[0], torch.ones(3, 2)), normal(7, 2), TOKENS),
    "index put": (lambda x, i: x.index_put((i[0],), torch.tensor(3.0)), normal(7, 2), TOKENS),
    "masked scatter by where": (lambda x, m: torch.where(m, x, 0.0), normal(2, 3), BOOLS),
    "embedding": (lambda w, i: F.embedding(i, w), normal(7, 2), TOKENS),
    "attention": (
        lambda x, y: F.scaled_dot_product_attention(x, y, y),
        normal(1, 2, 3, 4),
        normal(1, 2, 5, 4),
    ),
    "causal attention": (
        lambda x, y: F.scaled_dot_product_attention(x, y, y, is_causal=True),
        normal(1, 2, 3, 4),
        normal(1, 2, 3, 4),
    ),
    "attention with mask": (
        lambda x, m: F.scaled_dot_product_attention(x, x, x, attn_mask=m),
        normal(1, 2, 3, 4),
        torch.tensor([[True, False, True], [True, True, False], [True, True, True]]),
    ),
    "attention with a row all masked": (
        lambda x, m: F.scaled_dot_product_attention(x, x, x, attn_mask=m),
        normal(1, 2, 3, 4),
        ONE_ROW_ONLY,
    ),
    "attention with numbers and a row all masked": (
        lambda x, m: F.scaled_dot_product_attention(x, x, x, attn_mask=m),
        normal(1, 2, 3, 4),
        torch.zeros(3, 3).masked_fill(~ONE_ROW_ONLY, -torch.inf),
    ),
    "grouped attention with mask": (
        lambda x, m: F.scaled_dot_product_attention(
            x, x[:, :2] + 1, x[:, 2:] * 2, attn_mask=m, enable_gqa=True
        ),
        normal(1, 4, 3, 4),
        ONE_ROW_ONLY,
    ),
    "grid sample": (
        lambda x, g: F.grid_sample(x, g, align_corners=False),
        IMAGE,
        normal(2, 5, 5, 2).tanh(),
    ),
    "cross entropy": (lambda x, t: F.cross_entropy(x, t), normal(2, 7), TOKENS[:, 0]),
    "cross entropy of one row": (
        lambda x, t: F.cross_entropy(x[0], t[0]),
        normal(2, 7),
        TOKENS[:, 0],
    ),
    "cross entropy with smoothed labels": (
        lambda x, t: torch.stack(
            [
                F.cross_entropy(x, t, label_smoothing=0.1, ignore_index=2, reduction=way).sum()
                for way in ("none", "mean", "sum")
            ]
        ),
        normal(2, 7, 3),
        TOKENS,
    ),
    "cross entropy of shares": (
        lambda x, t: F.cross_entropy(x, t, torch.arange(7.0), label_smoothing=0.1),
        normal(2, 7, 3),
        normal(2, 7, 3, seed=1).softmax(1),
    ),
    "cross entropy of the shares of one row": (
        lambda x, t: F.cross_entropy(x[0], t[0], reduction="none"),
        normal(2, 7),
        normal(2, 7, seed=1).softmax(1),
    ),
    "cross entropy of shares, summed": (
        lambda x, t: F.cross_entropy(x, t, reduction="sum"),
        normal(2, 7),
        normal(2, 7, seed=1).softmax(1),
    ),
    "mean squared error": (F.mse_loss, X, X + 1),
}
