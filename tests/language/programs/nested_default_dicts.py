"""A ``defaultdict`` in a container of run time: it makes its missing values there, too."""

from collections import defaultdict

import torch

from tests.language.harness import case

PAIRS = [(torch.tensor(x),) for x in ([[1, 2], [1, 3]], [[1, 2], [2, 3]], [[1, 1], [5, 5]])]


@case(inputs=PAIRS)
def counts_of_pairs(pairs):
    """Counts by two keys; what is asked for is there from then on."""
    counts = defaultdict(lambda: defaultdict(int))
    for left, right in pairs.tolist():
        counts[left][right] += 1
    first = counts[1]
    return first[7], len(first), {left: dict(rights) for left, rights in counts.items()}


@case(inputs=PAIRS)
def lists_by_two_keys(pairs):
    """Lists are made, also in a walk over the values, and behind another name."""
    table = defaultdict(lambda: defaultdict(list))
    for left, right in pairs.tolist():
        table[left][right].append(left)
    for key, inner in table.items():
        inner[key].append(0)
    popped = table.pop(1)
    popped[3].append(-1)
    return dict(popped), len(table)


@case(inputs=PAIRS)
def in_plain_dicts_and_lists(pairs):
    """The dict or list around it may be any other container of run time."""
    by_left, tables = {}, []
    for left, right in pairs.tolist():
        table = by_left.setdefault(left, defaultdict(int))
        table[right] += 1
        if right > 2:
            tables.append(defaultdict(float))
            tables[-1]["all"] += right
    for table in tables:
        table["more"] += 0.5
    return {key: dict(found) for key, found in by_left.items()}, [dict(t) for t in tables]


@case(inputs=PAIRS)
def with_other_defaults(pairs):
    """Two dicts that make other values are told apart."""
    whole, halves = defaultdict(int), defaultdict(float)
    chosen = []
    for left, right in pairs.tolist():
        whole[right] += 1
        halves[right] += 0.5
        chosen.append(whole if left > 1 else halves)
    return [table[77] for table in chosen]


@case(inputs=PAIRS)
def an_inner_dict_as_result(pairs):
    """The caller's makes missing values as well."""
    counts = defaultdict(lambda: defaultdict(int))
    for left, right in pairs.tolist():
        counts[left][right] += 1
    return counts[1]


@case(inputs=PAIRS, refused="DYCL073")
def a_tree_of_defaults(pairs):
    """What a function of the program makes is refused."""

    def branch():
        return defaultdict(branch)

    root = branch()
    for pair in pairs.tolist():
        node = root
        for word in pair:
            node = node[word]
    return len(root)


@case(inputs=PAIRS, refused="DYCL073")
def a_function_for_the_inner_values(pairs):
    """So is one that gives a number."""
    counts = defaultdict(lambda: defaultdict(lambda: 5))
    for left, right in pairs.tolist():
        counts[left][right] += 1
    return len(counts)


class _Words(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.places = defaultdict(lambda: 3, {1: 5, 2: 6})


@case(inputs=PAIRS)
class OfTheModel(_Words):
    """A dict of the model's that grows for a key known only at run time."""

    def forward(self, pairs):
        return self.places[pairs[0, 1].item()]


@case(inputs=PAIRS, refused="DYCL051")
class AskedForAList(_Words):
    """A dict of the model's is asked for what cannot be a key."""

    def forward(self, pairs):
        return self.places[[1]]  # <- refused


@case(inputs=PAIRS)
class OfTheModelWithDefaults(_Words):
    """Known keys are there, and `get` makes nothing."""

    def forward(self, pairs):
        return self.places.get(pairs[0, 1].item(), -1), self.places[1]
