"""Text and numbers that tables share."""

import re
from collections.abc import Iterable, Sequence


def as_markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; bars in cells would end them."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_plain(cell) for cell in cells)} |" for cells in lines)


def shortened(text: str, length: int = 60) -> str:
    """Return the beginning of a text that is too long for a cell."""
    return text if len(text) <= length else text[: length - 3].rstrip() + "..."


def without_folders(text: str) -> str:
    """Return a text with the names of files, not the folders of this machine.

    >>> without_folders("No such file: '/home/me/dycl/zoo/a.txt' (and/or/else, 3 / 4)")
    "No such file: 'a.txt' (and/or/else, 3 / 4)"
    """
    return re.sub(r"(?<![\w.])(?:/[\w.+-]+)+/([\w.+-]+)", r"\1", text)


def _plain(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")
