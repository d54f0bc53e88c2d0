"""Key functions that change what their items are taken of."""

import numpy as np
from torch import Tensor

from tests.language.harness import case, noise

ROWS = [(noise(6, seed=1),), (-noise(6, seed=1),)]


@case(inputs=ROWS)
def of_an_array(x: Tensor) -> tuple[float, list[float]]:
    """An array is read while it is walked."""
    table = np.array([1.0, 2.0, 3.0])

    def key(value: float) -> float:
        table[2] = float(x[1])
        return value

    return float(max(table, key=key)), table.tolist()


@case(inputs=ROWS, refused="DYCL041")
def of_a_list(x: Tensor) -> tuple[float, list[float]]:
    """Of a list, the items would be taken before."""
    table = [1.0, 2.0, 3.0]

    def key(value: float) -> float:
        table[2] = float(x[1])  # <- refused
        return value

    return max(table, key=key), table


@case(inputs=ROWS, refused="DYCL041")
def of_a_list_of_run_time(x: Tensor) -> tuple[float, list[float]]:
    """A list of run-time length neither grows while it is walked."""
    table = [v for v in x.tolist() if v > 0]

    def key(value: float) -> float:
        if len(table) < 8:  # known
            table.append(-5.0)  # <- refused
        return -value

    return max(table, key=key, default=0), table


@case(inputs=ROWS, host=False)
def of_other_lists(x: Tensor) -> tuple[float, list[float], float]:
    """Another list may change, and so may the list itself before and after."""
    table, seen = x.tolist(), [0.0]

    def key(value: float) -> float:
        seen.append(value)
        return -max(seen, key=abs)

    best = max(table, key=key)
    table.append(best)
    return best, seen, min(table, key=lambda value: value * len(seen))


@case(inputs=ROWS, refused="DYCL041")
def of_a_sorted_list(x: Tensor) -> list[float]:
    """A list is not changed while it is sorted: Python raises."""
    table = [3.0, 1.0, 2.0]

    def key(value: float) -> float:
        table.append(float(x[0]))  # <- refused
        return value

    try:
        table.sort(key=key)
    except ValueError:
        table.append(-1.0)
    return table


@case(inputs=ROWS)
def that_look(x: Tensor) -> tuple[list[float], list[float]]:
    """A key function finds the list that is sorted empty; it has all again where one raises."""
    table, other = [3.0, float(x[0]), 2.0], [1.0, 2.0]

    def key(value: float) -> float:
        if value == 2 and len(other) == 0:
            raise ValueError(value)
        return -value if len(table) == 0 else value

    table.sort(key=key)
    try:
        other.sort(key=key)
    except ValueError:
        other.append(float(x[1]))
    return table, other
