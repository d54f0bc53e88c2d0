"""What the free variables of a function that was there before the call hold."""

import types
from collections.abc import Iterator, Mapping

CONTENT = "cell_contents"
"""The attribute of a cell that is its variable's value."""


class Closure(Mapping[str, object]):
    """The values of free variables by name, and the cells that hold them.

    A cell without a value so far is left out: reading its variable is an error.
    """

    def __init__(self, cells: Mapping[str, types.CellType] | None = None) -> None:
        self.cells = {name: cell for name, cell in (cells or {}).items() if _is_full(cell)}

    def __getitem__(self, name: str) -> object:
        return self.cells[name].cell_contents

    def __iter__(self) -> Iterator[str]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)


def _is_full(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False
