"""Programs over complex numbers in real arithmetic give what PyTorch gives."""

from collections.abc import Callable, Iterable, Iterator, Mapping

import pytest
import torch
from torch import Tensor, nn

from dycl.capture.real_arithmetic import in_real_arithmetic

torch.manual_seed(0)
PAIRS = torch.randn(3, 4, 2)
OTHERS = torch.randn(3, 4, 2)
_VALUES = [0.0, -0.0, 1.0, -2.0, float("inf"), -float("inf"), float("nan"), 1e30, 1e-30]
EXTREMES = torch.tensor([[a, b] for a in _VALUES for b in _VALUES])

_FUNCTIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "add": lambda z, w: z + w,
    "add real": lambda z, w: z + w.real,
    "add number": lambda z, w: 1 + z + 2j,
    "add scaled": lambda z, w: torch.add(z, w, alpha=2j),
    "sub": lambda z, w: 1 - z - w,
    "mul": lambda z, w: z * w,
    "mul real": lambda z, w: z * w.real,
    "mul number": lambda z, w: (z * 2) * (1 - 1j),
    "neg": lambda z, w: -z,
    "conj": lambda z, w: z.conj(),
    "lazy conj": lambda z, w: z.conj() * w.conj(),
    "real and imag": lambda z, w: torch.stack([z.conj().real, w.conj().imag]),
    "angle": lambda z, w: z.angle(),
    "abs": lambda z, w: z.abs(),
    "eq": lambda z, w: z == w,
    "eq itself": lambda z, w: z == z.clone(),
    "ne": lambda z, w: z != w,
    "eq number": lambda z, w: z == 1 - 2j,
    "polar": lambda z, w: torch.polar(z.real, w.imag),
    "complex": lambda z, w: torch.complex(z.real, w.imag),
    "to double": lambda z, w: z.to(torch.complex128) * w,
    "to complex": lambda z, w: z.real.to(torch.complex64),
    "to bool": lambda z, w: z.to(torch.bool),
    "view as type": lambda z, w: z.view(torch.float32),
    "exp": lambda z, w: z.exp(),
    "where": lambda z, w: torch.where(z.real > 0, z, w),
    "masked fill": lambda z, w: z.masked_fill(w.real > 0, 2 - 1j),
    "written": lambda z, w: _written(z, w),
}

_SHAPES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "flatten": lambda z, w: z.flatten() * w.reshape(-1),
    "stack": lambda z, w: torch.stack([z, w], -1),
    "cat": lambda z, w: torch.cat([z, w.real], -1),
    "mT": lambda z, w: z.mT,
    "unsqueeze": lambda z, w: z.unsqueeze(-1) + w.unsqueeze(-2),
    "squeeze": lambda z, w: z[None, ..., None].squeeze(),
    "squeeze one": lambda z, w: z[..., None].squeeze(-1),
    "expand": lambda z, w: z.expand(2, *z.shape),
    "repeat": lambda z, w: z.repeat(1, 2),
    "flip": lambda z, w: z.flip(-1),
    "slice": lambda z, w: z[..., 1:],
    "steps": lambda z, w: z[::2],
    "index": lambda z, w: z[[0, 2]],
    "select": lambda z, w: z[-1],
    "split": lambda z, w: torch.cat(torch.split(z, 2, -1)[::-1], -1),
    "unbind": lambda z, w: z.unbind(0)[1],
    "index put": lambda z, w: z.clone().index_put((torch.tensor([0, 2]),), w[:2]),
    "zeros": lambda z, w: torch.zeros_like(z) + torch.ones(z.shape, dtype=z.dtype),
    "full": lambda z, w: torch.full(z.shape, 1 - 3j) + z.new_zeros(z.shape),
}

_QUOTIENTS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "div": lambda z, w: z / w,
    "div real": lambda z, w: z / w.real,
    "div by": lambda z, w: 2 / z,
    "reciprocal": lambda z, w: z.reciprocal(),
}

_FINITE: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "square": lambda z, w: z**2 + w.square(),
    "sum": lambda z, w: z.sum(),
    "sum of a dimension": lambda z, w: z.sum(-1, keepdim=True),
    "mean": lambda z, w: z.mean(),
    "mean of a dimension": lambda z, w: z.mean(0),
    "mean of one number": lambda z, w: z[0, 0].mean() + z[0, 1].mean(0),
    "cumsum": lambda z, w: z.cumsum(-1),
    "matmul": lambda z, w: z @ w.mH,
    "batches": lambda z, w: z[None] @ w.mT[None].expand(2, -1, -1),
    "einsum": lambda z, w: torch.einsum("ab,cb->ac", z, w.conj()),
    "mean of squares": lambda z, w: (z * z.conj()).real.mean(),
}

_TRANSFORMS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "rfft": lambda z, w: torch.fft.rfft(z.real, dim=0) * w[:2],
    "fft": lambda z, w: torch.fft.fft(z * w, norm="ortho").flip(-1).unsqueeze(-1),
    "inverse": lambda z, w: torch.fft.ifft2(z.conj()),
    "irfft": lambda z, w: torch.fft.irfft(z, n=5),
}


def _written(z: Tensor, w: Tensor) -> Tensor:
    z = z.clone()
    z[1:] = w[:-1]
    z.imag[0] += 3
    z[..., 0] *= 1j
    torch.view_as_real(z)[..., 1].mul_(2)
    return z


class _Program(nn.Module):
    def __init__(self, functions: Iterable[Callable[[Tensor, Tensor], Tensor]]) -> None:
        super().__init__()
        self.functions = tuple(functions)

    def forward(self, pairs: Tensor, others: Tensor) -> tuple[Tensor, ...]:
        """Return each function's result; pairs where it is complex."""
        z, w = torch.view_as_complex(pairs), torch.view_as_complex(others)
        results = [function(z, w) for function in self.functions]
        return tuple(
            torch.view_as_real(found.resolve_conj()) if found.is_complex() else found.clone()
            for found in results
        )


_ABOUT_TRANSFORMS = ("aten._fft", "aten.view_as_real.", "aten.view_as_complex.")


def _both(
    functions: Mapping[str, Callable[[Tensor, Tensor], Tensor]], *arguments: Tensor
) -> Iterator[tuple[str, Tensor, Tensor]]:
    """Yield what each function gives in real arithmetic, and what PyTorch gives."""
    program = _Program(functions.values())
    exported = in_real_arithmetic(torch.export.export(program, arguments), arguments)
    for node in exported.graph.nodes:
        values = [each.meta.get("val") for each in (node, *node.all_input_nodes)]
        if any(isinstance(each, Tensor) and each.is_complex() for each in values):
            assert functions is _TRANSFORMS and str(node.target).startswith(_ABOUT_TRANSFORMS)
    yield from zip(functions, exported.module()(*arguments), program(*arguments), strict=True)


def test_ordinary_numbers() -> None:
    """Two matrices."""
    for name, found, wanted in _both(_FUNCTIONS | _QUOTIENTS | _SHAPES | _FINITE, PAIRS, OTHERS):
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-6, msg=name)


def test_transforms() -> None:
    """Fourier transforms stay, and nothing else of complex numbers with them."""
    for name, found, wanted in _both(_TRANSFORMS, PAIRS, OTHERS):
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-6, msg=name)


def _each_with_each() -> tuple[Tensor, Tensor]:
    count = len(EXTREMES)
    return EXTREMES.repeat_interleave(count, 0), EXTREMES.repeat(count, 1)


def test_extremes() -> None:
    """Zeros with signs, infinities, NaN; large and small numbers; each with each."""
    for name, found, wanted in _both(_FUNCTIONS, *_each_with_each()):
        torch.testing.assert_close(found, wanted, rtol=1e-6, atol=0, equal_nan=True, msg=name)
        numbers = wanted == wanted
        assert torch.equal(found[numbers].signbit(), wanted[numbers].signbit()), name


def test_quotients_of_extremes() -> None:
    """Zero and infinity as divisors; where parts cancel, a fused product leaves a rest."""
    for name, found, wanted in _both(_QUOTIENTS, *_each_with_each()):
        torch.testing.assert_close(found, wanted, rtol=1e-6, atol=1e-7, equal_nan=True, msg=name)


def test_refused() -> None:
    """An operator without a rule is named."""
    with pytest.raises(NotImplementedError, match=r"aten\.log\.default of complex numbers"):
        list(_both({"log": lambda z, w: z.log()}, PAIRS, OTHERS))
