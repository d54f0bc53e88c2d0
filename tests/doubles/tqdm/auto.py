"""The bar for the place where it is shown: here the same everywhere."""

from .std import tqdm, trange

__all__ = ["tqdm", "trange"]
