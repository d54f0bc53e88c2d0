"""Short-time spectra of signals, and signals of spectra: what speech models begin and end with."""

import torch
from torch import nn
from torch.export import Dim

from tests.language.harness import case, noise

SIGNALS = [(noise(2, 64, seed=1),), (-noise(2, 64, seed=1),)]
WINDOW = torch.hann_window(12)
FULL = torch.hamming_window(16)


def _spectrum(x, n_fft, hop=None, length=None, window=FULL, **named):
    return torch.view_as_real(torch.stft(x, n_fft, hop, length, window, return_complex=True, **named))


def _tried(function, x):
    try:
        return function(x)
    except (RuntimeError, IndexError):
        return x


@case(inputs=SIGNALS, rounds=True)
def spectra_of_signals(x):
    """torch.stft with windows, steps and paddings of many kinds."""
    whole = _spectrum(x, 16, onesided=False), _spectrum(x, 16, 3, normalized=True)
    exact = x.double()  # ONNX Runtime's transforms of 15 and 20 numbers round more than PyTorch's
    short = _spectrum(exact, 20, 7, 13, torch.hamming_window(13), center=False)
    double = exact.stft(16, window=FULL.double(), pad_mode="constant", return_complex=False)
    odd = _spectrum(exact[0], 15, 5, window=torch.ones(15))
    return whole, short, double, odd, _spectrum(x, 16, 4, 12, WINDOW)


@case(inputs=SIGNALS, rounds=True)
def signals_of_spectra(x):
    """torch.istft gives the signal back, at any length."""
    spectrum = torch.stft(x, 16, 4, 12, WINDOW, return_complex=True)
    lengths = [torch.istft(spectrum, 16, 4, 12, WINDOW, length=n) for n in (60, 64)]
    window = torch.ones(15)
    odd = torch.stft(x[0], 15, 3, 15, window, False, normalized=True, return_complex=True)
    return spectrum.istft(16, 4, 12, WINDOW), lengths, odd.istft(15, 3, 15, window, False, True)


@case(inputs=SIGNALS)
def spectra_that_do_not_fit(x):
    """Frames, steps and windows that PyTorch refuses."""
    spectrum = torch.stft(x, 16, 4, window=FULL, return_complex=True)
    return [
        _tried(lambda x: _spectrum(x, 65, window=torch.ones(65), center=False), x),
        _tried(lambda x: _spectrum(x, 16, 0), x),
        _tried(lambda x: _spectrum(x, 16, 4, 20, torch.ones(20)), x),
        _tried(lambda x: _spectrum(x, 16, 4, 12, torch.ones(13)), x),
        _tried(lambda x: _spectrum(x[None], 16), x),
        _tried(lambda x: torch.stft(x, 16, window=FULL), x),
        _tried(lambda x: torch.istft(spectrum, 14, 4, window=torch.ones(14)), x),
        _tried(lambda x: torch.istft(spectrum, 16, 0, window=FULL), x),
        _tried(lambda x: torch.istft(spectrum.sum(), 16, window=FULL), x),
        _tried(lambda x: torch.istft(spectrum, 16, 4, window=torch.zeros(16)), x),
        _tried(lambda x: torch.istft(torch.stft(x, 1, 1, return_complex=True), 1, 1), x),
    ]


@case(
    inputs=[(noise(2, n, seed=n),) for n in (64, 40, 65)],
    dynamic_shapes={"x": {1: Dim("samples", min=20, max=200)}},
)
def spectra_of_any_length(x):
    """A signal whose length is known only at run time."""
    return torch.stft(x, 16, 4, window=torch.hann_window(16), return_complex=True).abs()


@case(inputs=SIGNALS, rounds=True)
class Vocoder(nn.Module):
    """Magnitudes and phases made by a layer, turned into a signal."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(16))
        self.layer = nn.Conv1d(9, 18, 1)

    def forward(self, x):
        spectrum = torch.stft(x, 16, 4, window=self.window.to(x.device), return_complex=True)
        h = self.layer(spectrum.abs())
        made = torch.exp(h[:, :9]) * torch.exp(torch.sin(h[:, 9:]) * 1j)
        signal = torch.istft(made, 16, 4, 16, window=self.window)
        return signal if x.sum() > 0 else signal.unsqueeze(1)


@case(inputs=[(noise(2, 8),), (-noise(2, 8),), (noise(5, 8, seed=2),)], dynamic_shapes=({0: "rows"},))
def derivatives_by_frequencies(x):
    """`fftfreq` and `rfftfreq` are numbers that are known."""
    waves = torch.fft.rfft(x) * 2j * torch.pi * torch.fft.rfftfreq(8, d=0.5)
    slopes = torch.fft.irfft(waves, n=8)
    return slopes if x.sum() > 0 else slopes * torch.fft.fftfreq(8, dtype=torch.float64)
