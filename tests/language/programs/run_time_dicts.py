"""Dicts and sets with keys known only at run time, and known tables looked up by them."""

import collections

import torch
from torch import nn

from tests.language.harness import case

TOKENS = [
    (torch.tensor([3, 1, 3, 2, 0]),),
    (torch.tensor([0, 0, 0, 0, 0]),),
    (torch.tensor([1, 2, 3, 4, 5]),),
]


@case(inputs=TOKENS, slow=True)
def counting_and_grouping(tokens):
    """get with a default, setdefault, defaultdict and Counter over run-time keys."""
    counts, groups = {}, {}
    places = collections.defaultdict(list)
    total = collections.defaultdict(int)
    for i, token in enumerate(tokens.tolist()):
        counts[token] = counts.get(token, 0) + 1
        groups.setdefault(token % 2, []).append(i)
        places[token].append(i)
        total[token] += i
    common = collections.Counter(tokens.tolist())
    return counts, groups, dict(places), sorted(total.items()), common[3], common[77]


@case(inputs=TOKENS)
def walking_dicts(tokens):
    """keys, values and items of a run-time dict in insertion order; values are rewritten."""
    table = {}
    for i, token in enumerate(tokens.tolist()):
        table[token] = i * 1.5
    for key, value in table.items():
        table[key] = value + key
    names = {f"t{key}": value for key, value in table.items() if value > 1}
    best = max(table, key=lambda key: table[key])
    return list(table), list(table.values()), names, best, sorted(table, key=table.get), len(table)


@case(inputs=TOKENS)
def dict_changes(tokens):
    """pop with and without default, del, in, update, copy, clear, popitem."""
    table = {t: t * t for t in tokens.tolist()}
    other = table.copy()
    gone = table.pop(3, -1)
    missing = table.pop(50, None)
    table.update({7: 49})
    other.update(table)
    if 7 in table and 0 not in table:  # known
        del table[7]
    last = other.popitem()
    empty = dict(other)
    empty.clear()
    return table, other, gone, missing, last, empty, bool(empty), table == other


@case(inputs=[(1,), (7,), (2,)])
def missing_keys(n):
    """A missing key raises KeyError with the key, of a known and of a run-time dict."""
    known = {1: "one", 2: "two", 3: "three"}
    table = {}
    for i in range(3):
        table[i + n] = known[n]
    return table[n + 1], table[3]


@case(inputs=[(3,), (0,)])
def dict_that_grows_in_its_loop(n):
    """A dict that changes its size while it is walked raises RuntimeError."""
    table = {}
    for i in range(n):
        table[i] = i
    for key in table:
        if key < 10:  # known
            table[key + 100] = 1
    return table


VOCABULARY = {i: f"word{i}" for i in range(40)}
LETTERS = [chr(97 + i) for i in range(26)]


@case(inputs=[*TOKENS, (torch.tensor([39, 40, 41, 2, 1]),)], slow=True)
def vocabulary_lookups(tokens):
    """A known vocabulary is looked up by run-time numbers, with a default for unknown ones."""
    words = [VOCABULARY.get(int(token), "<unk>") for token in tokens]
    back = {word: number for number, word in VOCABULARY.items()}
    numbers = [back[word] for word in words if word in back]
    letters = [LETTERS[token] for token in tokens.tolist() if token < 26]
    return " ".join(words), numbers, "".join(letters), words[0].upper().startswith("W")


@case(inputs=[(1,), (40,)])
def unknown_word(n):
    """A number that the vocabulary lacks raises KeyError."""
    return VOCABULARY[n], LETTERS[n]


class _Speaker(nn.Module):
    """Tokens to words by a table that the model keeps."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 12)
        self.id2word = {i: w for i, w in enumerate("a b c d e f g h i j k l".split())}
        self.experts = nn.ModuleDict({"0": nn.ReLU(), "1": nn.Tanh(), "2": nn.Sigmoid()})


@case(inputs=[(torch.ones(3, 4),), (-torch.ones(3, 4),), (torch.eye(4)[:3],)])
class SpeaksWords(_Speaker):
    """id2word[token.item()] and " ".join in a decoder."""

    def forward(self, x):
        words = []
        for row in self.layer(x):
            words.append(self.id2word[row.argmax().item()])
        return " ".join(words), {word: words.count(word) for word in words}


@case(inputs=TOKENS)
def sets_of_tokens(tokens):
    """Sets of run-time numbers: add, discard, operators, membership, comprehension."""
    seen = set()
    order = []
    for token in tokens.tolist():
        if token not in seen:
            seen.add(token)
            order.append(token)
    seen.discard(3)
    missing = {0, 1, 2, 3, 4} - seen
    seen |= {9}
    squares = {t * t for t in order if t}
    return order, sorted(seen), sorted(missing), len(squares), seen & {9} == {9}, 1 in squares


@case(inputs=TOKENS)
def ngrams_seen(tokens):
    """Tuples of run-time numbers as keys: which token may not follow."""
    previous = tokens.tolist()
    followers = {}
    for gram in zip(previous, previous[1:], previous[2:]):
        followers[gram[:2]] = followers.get(gram[:2], []) + [gram[2]]
    banned = followers.get(tuple(previous[-2:]), [])
    return banned, len(followers), (previous[0], previous[1]) in followers


@case(inputs=[(torch.tensor([1.5, -2.0, 3.0, 0.5]),), (-torch.ones(4),)])
def records_by_name(scores):
    """A dict with words as keys, chosen at run time, holds lists and numbers."""
    buckets = {"low": [], "high": []}
    for i, score in enumerate(scores.tolist()):
        name = "high" if score > 1 else "low"
        buckets[name].append((i, round(score, 2)))
    sizes = {name: len(found) for name, found in buckets.items()}
    return buckets, sizes, max(sizes, key=lambda name: sizes[name])


@case(inputs=[(torch.tensor([[1.0, 2.0]]),)], refused="DYCL037")
def tensors_as_keys(x):
    """Which rows of a tensor are one object is not known."""
    seen = {}
    for value in x[0]:
        seen[value] = 1  # <- refused
    return len(seen)


@case(inputs=[(torch.tensor([2, 1, 0]),), (torch.tensor([0, 0, 1]),)])
def set_of_words_is_not_walked(tokens):
    """A set of strings has no order that two processes share: only sorted() walks it."""
    names = ["x", "yy", "zzz", "a", "b", "c", "d", "e", "f"]
    found = {names[token] for token in tokens.tolist()}
    return sorted(found), len(found), "yy" in found


SCALES = {"first": 1, "second": 2}


@case(inputs=TOKENS)
def views_of_a_known_dict(tokens):
    """keys, values and items of a dict that was there before are views, too: no sequences."""
    equal = SCALES.keys() == {"first", "second"}, SCALES.values() == SCALES.values()
    missing = SCALES.keys() - {"first"}
    try:
        found = SCALES.keys()[tokens.max().item() % 2]
    except TypeError as error:
        found = str(error)
    names = list(SCALES.keys())
    return equal, SCALES.items() == {("first", 1), ("second", 2)}, sorted(missing), found, names


@case(inputs=TOKENS)
def sets_of_keys(tokens):
    """Operators of sets on the keys of dicts, whose keys depend on the path."""
    table, other = {1: tokens, 2: "two"}, {2: "b"}
    if tokens.max() > 3:
        other[3] = "c"
    both, either = table.keys() & other.keys(), table.keys() | other
    return sorted(both), sorted(either), sorted({1, 9} - other.keys()), list(table.keys() ^ [1, 5])


@case(inputs=TOKENS)
def made_of_pairs_of_an_iterator(tokens):
    """dict() of map, zip, a generator: which keys there are is known only at run time."""
    numbers = tokens.tolist()
    squares = dict(map(lambda number: (number, number * number), numbers))
    places = dict((number, place) for place, number in enumerate(numbers) if number > 1)
    return squares, places, dict(zip("ab", numbers), c=1), dict(enumerate(n for n in numbers if n))
