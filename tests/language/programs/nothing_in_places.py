"""Places of a list that hold None, or what has no elements: reading, writing and searching raise."""

import torch

from tests.language.harness import case

PAIRS = [(torch.tensor(pair),) for pair in ([0, 1], [1, 2], [0, 0], [1, 1], [2, 0], [3, 1], [4, 0])]
STEPS = [(torch.tensor(steps),) for steps in ([1, 2, 1], [2, 2, 2], [0, 1, 2])]


def _told(action, places, place):
    try:
        return action(places[place])
    except TypeError as error:
        return str(error)


def _write(row):
    row[0] = 7
    return row


def _delete(row):
    del row[0]
    return row


@case(inputs=PAIRS)
def elements_of_nothing(pair):
    """Which place is looked at is known at run time; some hold None, a number, a text, a tuple."""
    place, number = pair.tolist()
    found = _told(lambda row: number in row, [None, [1, 2], 5, (1,), {0: 1}], place)
    read = _told(lambda row: row[number - number], [None, [1, 2], 5, (1,), "ab"], place)
    written = _told(_write, [None, [1, 2], 5, (1,), "ab"], place)
    return found, read, written, _told(_delete, [None, [1, 2], 5, (1,), "ab"], place)


@case(inputs=STEPS)
def tables_made_on_the_way(steps):
    """A list of None gets a dict for each step; earlier ones are looked into by a chain of links."""
    tables, links, last = [None] * 5, [-1] * 5, 0
    tables[0] = {}
    for step in steps.tolist():
        tables[last + 1], place = {}, last
        while place != -1 and step not in tables[place]:
            tables[place][step] = last + 1
            place = links[place]
        links[last + 1] = 0 if place == -1 else tables[place][step]
        last += 1
    return links, [len(table) for table in tables if table is not None]
