"""`itertools`, `functools` and `operator` over tensors, run-time numbers and the program's functions"""

import functools
import itertools
import math
import operator
from collections import defaultdict

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case, noise

PAIR = [(POSITIVE, MIXED), (NEGATIVE, POSITIVE)]
SECOND = operator.itemgetter(1)


@case(inputs=PAIR)
def chained(x, y):
    """chain and chain.from_iterable give tensors of lists, tuples and views of dicts"""
    total = x
    for number, item in enumerate(itertools.chain([x, y], (x,), {"a": y}.values())):
        total = total + item * number
    return total, list(itertools.chain.from_iterable([[x], [y, x]]))


@case(inputs=PAIR)
def sliced(x, y):
    """islice of a chain, with a start, an end and a step; next goes on where it stopped"""
    every = itertools.chain([x, y], [x + 1, y + 1])
    first = next(every)
    return first, list(itertools.islice([x, y, x + 1], 1, None, 2)), list(itertools.islice(every, 2))


@case(inputs=PAIR)
def accumulated(x, y):
    """accumulate with and without a function and an initial value"""
    sums = list(itertools.accumulate([x, y, x]))
    return sums, list(itertools.accumulate([x, y], operator.mul, initial=y))


@case(inputs=PAIR)
def rows_of_items(x, y):
    """product, combinations, permutations, pairwise and zip_longest over tensors"""
    products = [a * b for a, b in itertools.product([x, y], [1, 2])]
    pairs = [a - b for a, b in itertools.combinations([x, y, x * 2], 2)]
    arranged = [a - b for a, b in itertools.permutations([x, y])]
    twice = [a + b for a, b in itertools.combinations_with_replacement([x, y], 2)]
    following = [a + b for a, b in itertools.pairwise([x, y, x])]
    return products, pairs, arranged, twice, following, list(itertools.zip_longest([x], [y, x]))


@case(inputs=[(POSITIVE, MIXED), (NEGATIVE, POSITIVE), (POSITIVE * 100, MIXED)], slow=True)
def filtered(x, y):
    """takewhile, dropwhile, filterfalse, compress: tests of run-time numbers"""
    numbers = [value.item() for value in x.flatten()]
    small = list(itertools.takewhile(lambda value: value < 2, numbers))
    rest = list(itertools.dropwhile(lambda value: value < 2, numbers))
    large = list(itertools.filterfalse(lambda value: value < 2, numbers))
    return len(small), len(rest), large, list(itertools.compress([x, y], [0, 1]))


@case(inputs=PAIR)
def without_end(x, y):
    """count, cycle and repeat give as many items as the other column of a zip"""
    counted = [item * number for item, number in zip([x, y], itertools.count(1))]
    cycled = [item * number for item, number in zip([x, y, x], itertools.cycle([1, 2]))]
    return counted, cycled, list(map(torch.add, [x, y], itertools.repeat(y)))


@case(inputs=PAIR)
def grouped(x, y):
    """groupby, starmap and tee"""
    groups = itertools.groupby([(1, x), (1, y), (2, x)], key=lambda pair: pair[0])
    first, second = itertools.tee([x, y])
    return (
        [(key, [item for _, item in items]) for key, items in groups],
        list(itertools.starmap(torch.add, [(x, y), (y, y)])),
        [a - b for a, b in zip(first, second)],
    )


@case(inputs=PAIR)
def partly_applied(x, y):
    """functools.partial of torch's functions and of lambdas, of tensors and of partials"""
    doubled = functools.partial(torch.add, alpha=2)
    scaled = functools.partial(lambda a, b, factor=1: a * b + factor, x)
    more = functools.partial(scaled, factor=3)
    return doubled(x, y), scaled(y), more(y), more(y, factor=4), more.keywords


@case(inputs=PAIR)
def folded(x, y):
    """functools.reduce with operators and lambdas; math.prod of tensors"""
    return (
        functools.reduce(operator.add, [x, y, x]),
        functools.reduce(operator.mul, (x, y), 2.0),
        functools.reduce(lambda a, b: a - b, [x, y]),
        math.prod([x, y], start=2),
    )


@case(inputs=PAIR)
def operators_as_functions(x, y):
    """operator.add, lt, getitem, iadd ...: what the operators do"""
    changed = x.clone()
    same = operator.iadd(changed, y)
    items = [x, y]
    operator.setitem(items, 0, y)
    compared = operator.lt(1, x), operator.ge(x, y), operator.ne(x, 1)
    return operator.matmul(x, y.t()), operator.neg(x), operator.pow(x, 2), compared, same, changed, items


@case(inputs=PAIR)
def getters(x, y):
    """itemgetter, attrgetter and methodcaller, made in the call and before it"""
    ordered = sorted([(2, x), (1, y)], key=operator.itemgetter(0))
    return (
        SECOND([x, y]),
        operator.itemgetter(0, 1)([x, y]),
        operator.attrgetter("shape")(x),
        operator.methodcaller("sum", dim=0)(x),
        ordered[0][1],
    )


@case(inputs=PAIR)
def from_keys(x, y):
    """dict.fromkeys: one value for all keys"""
    shared = dict.fromkeys(["a", "b"], x)
    shared["a"] = y
    return shared, dict.fromkeys((1, 2))


@case(inputs=PAIR)
def default_dict_from_keys(x, y):
    """defaultdict.fromkeys: keys that are missing raise"""
    made = defaultdict.fromkeys("ab", 1)
    made["a"] = x
    made.setdefault("c", y)
    try:
        return made["d"]  # never
    except KeyError as error:
        return made, error.args[0]


@case(inputs=PAIR)
def class_of_a_tensor(x, y):
    """x.__class__ is torch.Tensor"""
    return x + 1 if x.__class__.__name__ == "Tensor" else y  # known


@case(inputs=PAIR, may_refuse=True)
def conjugated(x, y):
    """A conjugate is another tensor than what it conjugates, whose memory it shares"""
    z = torch.complex(x, y)
    return torch.equal(z.H, z.t().conj()), z.conj().imag.sum().item(), z.is_conj()


BLANK = torch.tensor([2.0, 0.0, 0.0, 1.0])


@case(inputs=[*((noise(5, 4, seed=k), noise(6, 4, seed=k + 9)) for k in range(4)), (BLANK.expand(5, 4), BLANK.expand(6, 4))])
def labels_of_two_lines(x, y):
    """Runs of few numbers, of which those of a blank are left out, by a generator"""
    lines = []
    for line in (x, y):
        best = line.argmax(-1).tolist()
        lines.append("".join("-abc"[k] for k, _ in itertools.groupby(best) if k))
    best = y.argmax(-1).tolist()
    return " ".join(line for line in lines if line), [k for k, _ in itertools.groupby(best) if k]


LABELS = [(noise(steps, 3, seed=seed),) for seed, steps in enumerate((5, 3, 8, 1))]


@case(inputs=LABELS, dynamic_shapes={"x": {0: "steps"}})
def runs_of_letters(x):
    """Of a text of run time, which nobody can change."""
    text = "".join("ab-"[k] for k in x.argmax(-1).tolist())
    lengths = [(letter, len(list(run))) for letter, run in itertools.groupby(text)]
    return "".join(k for k, _ in itertools.groupby(text)).replace("-", ""), lengths


@case(inputs=[(noise(5, seed=seed),) for seed in range(4)])
def runs_of_signs(x):
    """The same with a key, and a text of known length."""
    text = "".join("#" if value > 0 else "." for value in x)
    ends = [sum(1 for _ in run) for gap, run in itertools.groupby(text, key=lambda c: c == ".")]
    return text, ends, text.count("#.")


LETTERS = [(torch.tensor([float(ord(letter)) for letter in text]),) for text in ("aabbb", "ba", "abab", "bbbba")]
OPEN = {"x": {0: "letters"}}


def _text(x):
    return "".join([chr(int(code)) for code in x.tolist()])


@case(inputs=LETTERS, dynamic_shapes=OPEN)
def runs_by_what_stays(x):
    """A key may read what is bound once."""
    blank = "a"
    return [(k, len(list(run))) for k, run in itertools.groupby(_text(x), key=lambda c: c == blank)]


@case(inputs=LETTERS, dynamic_shapes=OPEN, refused="DYCL041")
def runs_by_what_changes(x):
    """Keys are asked for one by one where what they read changes between the runs."""
    limit, found = "a", []
    for above, _ in itertools.groupby(_text(x), key=lambda c: c > limit):  # <- refused
        limit = "b"
        found.append(above)
    return found


@case(inputs=[LETTERS[0], LETTERS[3]])
def numbers_by_what_changes(x):
    """The same of numbers, of which there are few."""
    limit, found = 97.0, []
    for above, _ in itertools.groupby(x[:2].tolist(), key=lambda c: c > limit):
        limit = 98.0
        found.append(above)
    return found
