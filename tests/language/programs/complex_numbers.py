"""Complex tensors: what can be asked of them, views, extremes, and what is refused."""

import torch

from tests.language.harness import case, noise

X = noise(3, 4, 2)
ODD = torch.tensor(
    [[0.0, -0.0], [-0.0, 1.0], [float("inf"), 1.0], [1.0, float("nan")], [-2.0, 0.0], [-1.0, -0.0]]
)


@case(inputs=[(X,), (-X,)])
def types(x):
    """Types of complex tensors are known when the program is compiled."""
    z = torch.view_as_complex(x)
    if x.sum() > 0:
        z = z * 2
    found = [z.is_complex(), x.is_complex(), z.is_floating_point(), z.element_size(), z.dim()]
    return found, str(z.dtype), z.real.dtype == x.dtype, z.dtype.is_complex, z.numel(), z.shape


@case(inputs=[(X.double(),), (-X.double(),)])
def wide(x):
    """Complex numbers of double precision."""
    z = torch.view_as_complex(x)
    w = z * torch.tensor(1 + 1e-12j, dtype=torch.complex128)
    if x.sum() > 0:
        w = w - z
    return torch.view_as_real(w), w.abs()


@case(inputs=[(X,), (-X,)], slow=True)
def mixed(x):
    """Real tensors, integers and Python's numbers go with complex tensors."""
    z = torch.view_as_complex(x)
    if x.sum() > 0:
        z = z + 1
    w = z * x[..., 0] + 2j - torch.arange(4) * z
    w = w.to(torch.complex128) / (3 - 4j)
    return torch.view_as_real(1 - w), torch.view_as_real(-z / 2)


@case(inputs=[(X,), (-X,)])
def conjugates(x):
    """Lazy conjugates cross a border."""
    z = torch.view_as_complex(x).conj()
    y = z.imag + 0
    if x.sum() > 0:
        y = y + 1
    return torch.view_as_real(z.resolve_conj()), z.real + 0, y, (z * z.conj()).real, z.is_conj()


@case(inputs=[(X,), (-X,)], refused_on_host="DYCL203")
def resolved_and_written(x):
    """A lazy conjugate that is resolved, and then written, is a copy."""
    z = torch.view_as_complex(x).conj()
    y = x + 1 if x.sum() > 0 else x
    w = z.resolve_conj()
    w.mul_(2)  # <- refused
    return torch.view_as_real(z.resolve_conj()) + y, torch.view_as_real(w)


@case(inputs=[(X,), (-X,)])
def written_through_conjugate(x):
    """A lazy conjugate shares memory with what it was taken of."""
    z = torch.view_as_complex(x * 1)
    w = z.conj()
    y = x + 1 if w.imag.sum() > 0 else x
    w.mul_(2)
    return torch.view_as_real(z) + y


@case(inputs=[(X,), (-X,)], slow=True)
def written_through_views(x):
    """Parts of complex numbers are written in place."""
    z = torch.view_as_complex(x.clone())
    z.real.mul_(2)
    z.imag[0] = 7
    torch.view_as_real(z)[1, :, 0] += 1
    z[2] *= 1j
    if x.sum() > 0:
        z.mul_(2)
    return torch.view_as_real(z)


@case(inputs=[(X,), (-X,)], refused="DYCL032")
def unresolved(x):
    """Pairs of a lazy conjugate cannot be viewed."""
    z = torch.view_as_complex(x).conj()
    if x.sum() > 0:
        z = z * 2
    try:
        return torch.view_as_real(z)  # <- refused
    except RuntimeError:
        return x


@case(inputs=[(X,), (-X,)], slow=True)
def measured(x):
    """Lengths and angles, exponentials, comparisons."""
    z = torch.view_as_complex(x)
    if x.sum() > 0:
        z = z * 0.5
    same = z == torch.view_as_complex(x)
    return z.abs(), z.angle(), torch.view_as_real(torch.exp(z)), same, (z != z).any()


@case(inputs=[(ODD,), (-ODD,), (ODD.flip(0),)], slow=True)
def odd(x):
    """Signs of zero, infinities and NaN."""
    z = torch.view_as_complex(x)
    if x[0, 0].item() == -1:
        z = z * 2
    w = torch.view_as_complex(x.flip(0))
    found = [z * w, z + w, z * 2, -z, z.conj().resolve_conj()]
    return [torch.view_as_real(each) for each in found], z.angle(), z.abs(), z == w


@case(inputs=[(X,), (-X,)], slow=True)
def rearranged(x):
    """Complex tensors change their shape."""
    z = torch.view_as_complex(x)
    if x.sum() > 0:
        z = z + 1j
    parts = [z.T, z[None], z[:, 1], z.flatten(), z.unsqueeze(-1), z.repeat(1, 2), z.flip(1)]
    parts += [torch.cat([z, z * 2], -1), torch.stack([z, -z], -1), z.expand(2, 3, 4), z[[0, 2]]]
    parts += [*z.split(2, -1), *z.unbind(0), torch.where(x[..., 0] > 0, z, -z), z.mT, z.squeeze()]
    return [torch.view_as_real(part.contiguous()) for part in parts]


@case(inputs=[(X,), (-X,)], slow=True)
def multiplied(x):
    """Products of matrices, sums and means."""
    z = torch.view_as_complex(x)
    if x.sum() > 0:
        z = z + 1j
    found = [z @ z.T, z.sum(), z.sum(0), z.mean(1, keepdim=True), z.mH @ z, z.cumsum(0)]
    found += [torch.einsum("ab,cb->ac", z, z.conj())]
    return [torch.view_as_real(part.resolve_conj()) for part in found]


@case(inputs=[(X,), (-X,)])
def made(x):
    """Complex tensors are made of parts, and of nothing."""
    z = torch.complex(x[..., 0], x[..., 1])
    zeros = torch.zeros(3, 4, dtype=torch.complex64)
    zeros[:, 1:3] = z[:, :2]
    if x.sum() > 0:
        zeros = zeros + torch.ones_like(z) * torch.full((4,), 2 - 1j)
    return torch.view_as_real(zeros), torch.polar(x[..., 0].abs(), x[..., 1]).imag


@case(inputs=[(X,), (-X,)])
def transformed(x):
    """Fourier transforms of what crosses borders; shapes and products of spectra."""
    spectrum = torch.fft.rfft(x[..., 0], norm="ortho")
    if x.sum() > 0:
        spectrum = spectrum.flip(-1) * 1j + torch.fft.fft(torch.view_as_complex(x))[:, 1:]
    spectrum = torch.cat([spectrum, spectrum.conj()], 0).transpose(0, 1)
    return torch.fft.irfft2(spectrum), torch.fft.ifft(spectrum, dim=0).unsqueeze(-1).abs()


@case(inputs=[(X,), (-X,), (X * 0,)])
def of_any_length(x):
    """Spectra are filled up with zeros, cut, and moved round."""
    spectrum = torch.fft.rfft(x[..., 0])
    if x.sum() > 0:
        spectrum = torch.fft.fftshift(spectrum, dim=(0, 1))
    longer = torch.fft.irfft(spectrum, n=7), torch.fft.irfft2(spectrum, s=(4, 5))
    padded = torch.nn.functional.pad(spectrum, (1, -1, 2, 0), value=3.0)
    return longer, torch.view_as_real(padded), torch.view_as_real(spectrum.roll(2))


@case(inputs=[(X,), (-X,)], refused_on_host="DYCL405")
def result(x):
    """A result of complex numbers."""
    z = torch.view_as_complex(x)
    return z if x.sum() > 0 else z * 2  # <- refused


@case(inputs=[(X[0, 0],), (-X[0, 0],)], may_refuse=True)
def number(x):
    """A complex number becomes Python's."""
    z = torch.view_as_complex(x).item()
    return z.real if x.sum() > 0 else z.imag


@case(inputs=[(X,), (-X,)], may_refuse=True, slow=True)
def hard(x):
    """What compiled code has no complex numbers for is refused."""
    z = torch.view_as_complex(x)
    if x.sum() > 0:
        z = torch.linalg.inv(z[:, :3])
    return z.abs()
