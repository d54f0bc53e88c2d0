"""Containers and strings whose structure depends on the input."""

import torch
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case, noise

BOTH = [(POSITIVE,), (NEGATIVE,)]
THREE = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@case(inputs=THREE)
def append_in_one_arm(x):
    """A list that is appended to under a dynamic test; its length and items are read."""
    kept = []
    for row in x:
        if row.sum() > 0:
            kept.append(row)
    if len(kept) == 0:
        return None
    return torch.stack(kept), kept[-1], len(kept)


@case(inputs=THREE, slow=True)
def runtime_index_into_tensors(x):
    """outputs[best] with a run-time index, also a negative one."""
    outputs = [x[0], x[1], x[0] * x[1]]
    best = int(torch.stack([o.sum() for o in outputs]).argmax())
    return outputs[best], outputs[-best - 1], best


@case(inputs=[(POSITIVE, 1), (POSITIVE, -1), (POSITIVE, 5)])
def index_out_of_range(x, i):
    """A run-time index outside the list raises IndexError."""
    rows = [x[0], x[1]]
    return rows[i]


@case(inputs=[(3,), (1,), (8,)])
def list_methods_at_run_time(n):
    """append, insert, pop, extend, remove, index, count, reverse, sort on a run-time list."""
    a = []
    for i in range(n):
        a.append((i * 5) % 7)
    a.insert(1, 10)
    a.extend([n, n])
    a.remove(n)
    where = a.index(10)
    last = a.pop()
    first = a.pop(0)
    a.sort(reverse=True)
    b = a[::-1]
    b += [0]
    a.reverse()
    return a, b, where, last, first, a.count(0), 10 in a


@case(inputs=[(2,), (9,)])
def list_errors_at_run_time(n):
    """remove and index of a missing element raise ValueError with Python's text."""
    values = list(range(n))
    values.remove(0)
    if n > 5:
        return values.index(100)
    values.remove(100)
    return values  # never


@case(inputs=THREE)
def sorted_by_tensor_scores(x):
    """sorted with a key over tensor scores, stable, then sliced."""
    hypotheses = [(x[0, i], i) for i in range(3)] + [(x[1, i], 10 + i) for i in range(3)]
    ranked = sorted(hypotheses, key=lambda h: h[0].item(), reverse=True)
    return [name for _, name in ranked[:2]], ranked[0][0]


@case(inputs=[(torch.tensor([3, 1, 3, 2]),), (torch.tensor([0, 0, 0, 0]),)])
def runtime_sets(tokens):
    """Sets of run-time numbers: construction, difference, union, len, in, add."""
    seen = set(tokens.tolist())
    missing = set(range(4)) - seen
    seen.add(7)
    both = seen | {1}
    return sorted(seen), sorted(missing), len(both), 3 in seen, seen & missing == set()


@case(inputs=[(torch.tensor([3, 1, 3, 2]),), (torch.tensor([5, 5, 5, 5]),)])
def runtime_dict(tokens):
    """A dict with run-time keys: counting, get, in, items, insertion order."""
    counts = {}
    for token in tokens.tolist():
        counts[token] = counts.get(token, 0) + 1
    best = max(counts, key=counts.get)
    if 1 in counts:
        del counts[1]
    return counts, best, list(counts.items()), sum(counts.values())


@case(inputs=[(torch.tensor([1, 7]),)])
def runtime_key_error(tokens):
    """A missing run-time key raises KeyError with the key."""
    names = {1: "one", 2: "two"}
    return [names[t] for t in tokens.tolist()]


@case(inputs=THREE, slow=True)
def dynamic_filter_in_comprehension(x):
    """A comprehension with a dynamic filter over tensor elements."""
    positive = [i for i, value in enumerate(x.flatten()) if value > 0]
    table = {i: value.item() for i, value in enumerate(x[0]) if value > 0.6}
    return positive, table, sum(1 for row in x if row.mean() > 0), {i % 2 for i in positive}


class _BeamScorer(nn.Module):
    """Scores for the next token, given a token."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(4, 4))

    def forward(self, token):
        """Return log probabilities over four tokens."""
        return torch.log_softmax(self.table[token], dim=-1)


@case(inputs=[(0, 3), (1, 3), (2, 5), (3, 0)])
class ListOfDicts(nn.Module):
    """A beam of dicts that is extended, sorted and cut in each turn."""

    def __init__(self):
        super().__init__()
        self.scorer = _BeamScorer()

    def forward(self, start: int, steps: int):
        beam = [{"tokens": [start], "score": 0.0}]
        for _ in range(steps):
            grown = []
            for hypothesis in beam:
                scores = self.scorer(hypothesis["tokens"][-1])
                for token in range(4):
                    grown.append(
                        {
                            "tokens": hypothesis["tokens"] + [token],
                            "score": hypothesis["score"] + scores[token].item(),
                        }
                    )
            beam = sorted(grown, key=lambda h: -h["score"])[:2]
        return [h["tokens"] for h in beam], beam[0]["score"]


@case(
    inputs=[
        (torch.tensor([3, 1, 4]), 2),
        (torch.tensor([3, 1, 4]), 0),
        (torch.tensor([2, 2, 2]), 9),
    ],
)
def slicing_by_runtime_length(tokens, n):
    """Lists and results are cut at run-time lengths."""
    words = tokens.tolist()
    return words[:n], words[n:], words[-n:], words[::-1][:n]


@case(inputs=[(torch.tensor([2, 0, 1]),), (torch.tensor([1, 1, 1]),)])
def words_of_tokens(tokens):
    """Token numbers become words, joined to a sentence."""
    vocabulary = ["<end>", "cat", "dog"]
    words = []
    for token in tokens.tolist():
        if token == 0:
            break
        words.append(vocabulary[token])
    return " ".join(words), f"{len(words)} words: {words}"


@case(inputs=[(noise(6),), (noise(6, seed=1),), (-noise(6).abs(),)])
def group_by_sign(values):
    """Two lists and a dict of lists are filled according to the input."""
    groups = {"positive": [], "negative": []}
    for i, value in enumerate(values):
        groups["positive" if value > 0 else "negative"].append(i)
    sizes = {name: len(members) for name, members in groups.items()}
    return groups, sizes, max(sizes.values())


@case(inputs=[(POSITIVE, 3), (POSITIVE, 0), (NEGATIVE, 2)])
def list_of_tensors_in_loop(x, n):
    """A run-time list of tensors is walked, zipped, concatenated and indexed."""
    states = [x]
    for i in range(n):
        states.append(states[-1] * 0.5 + states[i // 2])
    total = sum(state.sum() for state in states)
    pairs = [(a - b).abs().max() for a, b in zip(states, states[1:])]
    return total, torch.cat(states, dim=0), len(pairs), max(pairs) if pairs else None


@case(inputs=[(5,), (0,), (1,)], slow=True)
def stack_and_queue(n):
    """Lists as a stack and a queue, with a while over their truth."""
    stack, order = [n], []
    while stack:
        top = stack.pop()
        order.append(top)
        if top > 2:
            stack += [top - 1, top - 3]
        elif top == 1:
            stack.append(0)
    return order


@case(inputs=THREE)
def tuple_grows(x):
    """A tuple that grows under a dynamic test."""
    found = ()
    for i in range(2):
        if x[i, 0] > 0:
            found += (i,)
    return found, len(found), found == (0, 1)


@case(inputs=[*BOTH, (LARGE,)])
def last_of_runtime_list(x):
    """Negative indices, membership and unpacking of a run-time list."""
    path = [0]
    value = x.sum().item()
    while value > 2:
        path.append(int(value))
        value /= 3
    first, *rest = path
    return path[-1], first, rest, 0 in rest, path == [0]


@case(inputs=[(POSITIVE,), (ZERO,), (NEGATIVE,)])
def container_or_none(x):
    """A variable is a list in one arm and None in the other."""
    found = [x.max(), 1] if x.sum() > 0 else None
    if found is None:
        return "nothing"
    return found[0] * 2, found[1]


@case(inputs=[(torch.tensor([4, 1, 3]),), (torch.tensor([1, 2, 3]),)])
def bubble_sort(values):
    """Element swaps in a run-time list by run-time indices."""
    items = values.tolist()
    swaps = 0
    for end in range(len(items) - 1, 0, -1):
        for i in range(end):
            if items[i] > items[i + 1]:
                items[i], items[i + 1] = items[i + 1], items[i]
                swaps += 1
    return items, swaps


@case(inputs=[(noise(3, 4),), (noise(3, 4, seed=5),)])
def nested_lists_from_tensor(x):
    """Nested comprehension over .tolist(); rows of run-time numbers are compared and summed."""
    rows = x.tolist()
    above = [[value for value in row if value > 0] for row in rows]
    longest = max(above, key=len)
    return [len(row) for row in above], len(longest), [round(sum(row), 3) for row in above]


@case(inputs=THREE)
def float_is_no_index(x):
    """A float indexes no list or tuple, not even where it is a whole number."""
    outputs = [x, x + 1, x + 2]
    number = (x - x).sum().item()
    if x.sum() > 5:
        return outputs[number]
    if x.sum() < -5:
        return (x, x * 2)[number]
    return outputs


@case(inputs=THREE)
class FloatPicksNoLayer(nn.Module):
    """A float, or a float tensor, indexes no list and no ModuleList."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.ReLU(), nn.Tanh()])

    def forward(self, x):
        number = (x - x).sum()
        if x.sum() > 5:
            return [x, x + 1][number]
        if x.sum() < -5:
            return self.layers[number.item()](x)
        return self.layers[1](x)


@case(inputs=BOTH)
def truth_is_an_index(x):
    """True and False pick the second and the first element."""
    above = (x.sum() > 0).item()
    return ["no", "yes"][above], (x, -x)[x.sum() > 0]


PLACES = [(torch.tensor(row),) for row in ([1.0, 2.0, 3.0], [3.0, 69.0, 3.0], [-1.0, 0.0, 0.0])]
PLACES += [(torch.tensor([300.0, 1.0, 2.0]),)]
"""Numbers that are places of tables with 70 items, the last of them not."""


@case(inputs=PLACES)
def buckets_by_number(x):
    """A number chooses among more lists of a dict than there may be paths: the host holds them."""
    buckets = {label: {stage: [] for stage in range(2)} for label in range(70)}
    sizes = [{"count": 0, "rows": []} for _ in range(70)]
    for place, label in enumerate(x.tolist()):
        buckets[int(label)][place % 2].append(place)
        found = sizes[int(label)]
        found["count"] += 1
        found["rows"].append(label)
    return buckets[3], sizes[3], sizes[-1]["count"], len(buckets)


@case(inputs=PLACES)
def table_of_many_rows(x):
    """It chooses among many tensors, by the end too, in one arm only; other names see the lists."""
    rows, first = [x * i for i in range(70)], [0.5]
    groups = [first, *([i] for i in range(69))]
    place = int(x[0])
    if x.sum() > 5:
        groups[place].append(x[1].item())
        return rows[place] + 1, first, groups[1]
    groups[place - 3].append(2.0)
    return rows[place], first, groups[-4]


@case(inputs=PLACES, refused="DYCL020")
def tuple_of_many_objects(x):
    """A tuple stays as it is."""
    groups = tuple([i] for i in range(70))
    groups[int(x[0])].append(4)  # <- refused
    return groups[1]


@case(inputs=PLACES, refused="DYCL020")
class KeptTableOfManyObjects(nn.Module):
    """So does a list of the model's."""

    def __init__(self):
        super().__init__()
        self.groups = [[i] for i in range(70)]

    def forward(self, x):
        self.groups[int(x[0])].append(x[1].item())  # <- refused
        return self.groups[1]


@case(inputs=[(place, [[i] for i in range(70)]) for (place,) in PLACES], refused="DYCL020")
def given_table_of_many_objects(x, groups):
    """So does a list of the caller's."""
    return groups[int(x[0])]  # <- refused


@case(inputs=PLACES, refused="DYCL020")
def many_functions(x):
    """The host holds no functions."""
    scales = [lambda y, factor=i: y * factor for i in range(70)]
    return scales[int(x[0])](x)  # <- refused
