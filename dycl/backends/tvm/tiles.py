"""Tiles: how much of a result is computed at once, in registers."""

from collections.abc import Sequence
from itertools import product
from math import log2, prod
from typing import TypeAlias

Tile: TypeAlias = tuple[int, ...]
"""Steps of each loop over the result, but for those over samples and within a block of channels."""

_MOST_ACCUMULATORS = 16
"""Vectors that a tile keeps in registers; there are 32, and the operands need some."""

_MOST_TRIED, _LEAST_TRIED = 28, 4
"""The same for tiles that are measured."""

_DEEPEST = 4
"""Blocks of channels in a tile that is measured."""

_COUNT_TRIED = 24


def convolution_tile(extents: Sequence[int]) -> Tile:
    """Return the tile of blocks of channels, rows and columns that is good without measuring."""
    _, rows, columns = extents
    column = _largest(columns, _MOST_ACCUMULATORS)
    return (1, _largest(rows, max(1, _MOST_ACCUMULATORS // column)), column)


def product_tile(extents: Sequence[int]) -> Tile:
    """Return the tile of rows and blocks of columns that is good without measuring."""
    rows, blocks = extents
    row = _largest(rows, 8)
    return (row, _largest(blocks, 4 if row == 1 else 2))


def late_product_tile(blocks: int) -> Tile:
    """Return the same where only run time knows the rows: few, as the last tile may have one."""
    width = _largest(blocks, 4)
    return (4 if width > 2 else 8, width)


def other_tiles(extents: Sequence[int], default: Tile) -> list[Tile]:
    """Return tiles that may be better, the likeliest first."""
    choices = [_divisors(size, _MOST_TRIED) for size in extents]
    found = [tile for tile in product(*choices) if tile != default and _is_likely(tile, extents)]
    found.sort(key=lambda tile: (abs(log2(prod(tile) / _MOST_ACCUMULATORS)), tile))
    return found[:_COUNT_TRIED]


def _is_likely(tile: Tile, extents: Sequence[int]) -> bool:
    blocks = tile[0] if len(tile) == 3 else tile[-1]
    least = min(_LEAST_TRIED, prod(extents))
    return least <= prod(tile) <= _MOST_TRIED and blocks <= 2 * _DEEPEST


def _largest(size: int, most: int) -> int:
    return _divisors(size, most)[-1]


def _divisors(size: int, most: int) -> list[int]:
    return [d for d in range(1, most + 1) if size % d == 0]
