"""``torch.stft`` and ``torch.istft``, from frames that are cut out and laid over each other."""

import torch
import torch.nn.functional as F


def _window(window, win_length, n_fft, dtype):
    """Return a window as long as a frame."""
    if not 0 < win_length <= n_fft:
        raise RuntimeError("expected 0 < win_length <= n_fft")
    if window is None:
        window = torch.ones(win_length, dtype=dtype)
    if window.dim() != 1 or window.size(0) != win_length:
        raise RuntimeError("expected a 1D window tensor of size equal to win_length")
    left = (n_fft - win_length) // 2
    return F.pad(window, (left, n_fft - win_length - left)) if win_length < n_fft else window


def stft(
    input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect",
    normalized=False, onesided=None, return_complex=None,
):  # fmt: skip
    """``torch.stft`` of a signal that is not complex."""
    if return_complex is None:
        raise RuntimeError("stft requires the return_complex parameter be given for real inputs")
    if input.dim() not in (1, 2):
        raise RuntimeError("expected a 1D or 2D tensor")
    rows = input if input.dim() == 2 else input.unsqueeze(0)
    if center:
        rows = F.pad(rows.unsqueeze(0), (n_fft // 2, n_fft // 2), mode=pad_mode).squeeze(0)
    hop = n_fft // 4 if hop_length is None else hop_length
    if not 0 < n_fft <= rows.size(1):
        raise RuntimeError("expected 0 < n_fft < the length of the signal")
    if hop <= 0:
        raise RuntimeError("expected hop_length > 0")
    shape = _window(window, n_fft if win_length is None else win_length, n_fft, input.dtype)
    frames = rows.unfold(-1, n_fft, hop) * shape
    norm = "ortho" if normalized else "backward"
    whole = onesided is not None and not onesided
    spectrum = (torch.fft.fft if whole else torch.fft.rfft)(frames, dim=-1, norm=norm)
    result = spectrum.transpose(1, 2)
    result = result if input.dim() == 2 else result.squeeze(0)
    return result if return_complex else torch.view_as_real(result)


def istft(
    input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False,
    onesided=None, length=None, return_complex=False,
):  # fmt: skip
    """``torch.istft`` of the one-sided spectrum of a signal that is not complex."""
    if input.dim() < 2:
        raise IndexError(f"Dimension out of range for {input.dim()} dimensions, but got -2")
    if input.dim() > 3:
        raise RuntimeError("expected a tensor with 2 or 3 dimensions")
    spectrum = input if input.dim() == 3 else input.unsqueeze(0)
    hop = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if spectrum.size(1) != n_fft // 2 + 1:
        raise RuntimeError("expected the frequency dimension to match n_fft / 2 + 1")
    if not 0 < hop <= win_length:
        raise RuntimeError("expected 0 < hop_length <= win_length")
    shape = _window(window, win_length, n_fft, torch.view_as_real(input).dtype)
    norm = "ortho" if normalized else "backward"
    frames = torch.fft.irfft(spectrum.transpose(1, 2), n=n_fft, dim=-1, norm=norm) * shape
    count = spectrum.size(2)
    size = n_fft + hop * (count - 1)
    weights = (shape * shape).unsqueeze(0).expand(count, n_fft).unsqueeze(0)
    signal, envelope = _laid_over(frames, size, hop), _laid_over(weights, size, hop)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else -start if center else size
    signal, envelope = signal[:, start:end], envelope[:, start:end]
    if envelope.abs().min() <= 1e-11:
        raise RuntimeError("window overlap add min: 1")
    signal = signal / envelope
    if end > size:
        signal = F.pad(signal, (0, end - size))
    return signal if input.dim() == 3 else signal.squeeze(0)


def _laid_over(frames, size, hop):
    """Add up frames, each some places after the one before."""
    columns = frames.transpose(1, 2)
    folded = F.fold(columns, (1, size), kernel_size=(1, frames.size(2)), stride=(1, hop))
    return folded.reshape(frames.size(0), size)
