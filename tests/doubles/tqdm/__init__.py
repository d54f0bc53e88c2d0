"""Stands for ``tqdm`` in tests where that is not installed."""

from .std import tqdm, trange

__all__ = ["tqdm", "trange"]
