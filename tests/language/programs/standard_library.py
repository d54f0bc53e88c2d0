"""Parts of the standard library that model code uses."""

import bisect
import copy
import functools
import heapq
import itertools
import logging
import operator
import time
import warnings
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
logger = logging.getLogger(__name__)


@case(inputs=BOTH, slow=True)
def itertools_on_known(x):
    """chain, product, islice, repeat, accumulate, zip_longest, combinations, pairwise."""
    order = list(itertools.chain([1], (2, 3)))
    for i, j in itertools.product(range(2), range(2)):
        if x[i, j] > 0:
            order.append((i, j))
    return (
        order,
        list(itertools.islice(range(10), 2, 8, 3)),
        list(itertools.accumulate([1, 2, 3])),
        list(itertools.combinations("abc", 2))[-1],
        list(itertools.zip_longest([1], [2, 3], fillvalue=0)),
        [b - a for a, b in itertools.pairwise([1, 4, 9])],
    )


@case(inputs=[(3, 1), (0, 4), (2, 2)])
def itertools_at_run_time(n, m):
    """itertools over run-time ranges and lists, groupby and takewhile."""
    values = list(itertools.chain(range(n), range(m)))
    groups = [(k, len(list(g))) for k, g in itertools.groupby(values, key=lambda v: v > 0)]
    return values, groups, list(itertools.takewhile(lambda v: v < 2, values))


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def heap_of_scores(x):
    """heapq over run-time numbers: push, pop, nlargest."""
    heap = []
    for i, value in enumerate(x.flatten().tolist()):
        heapq.heappush(heap, (-value, i))
        if len(heap) > 3:
            heapq.heappop(heap)
    return heap[0][1], [i for _, i in sorted(heap)], heapq.nlargest(2, x[0].tolist())


@case(inputs=[(3,), (0,), (10,)])
def bisection(n):
    """bisect over a known list with a run-time number."""
    bounds = [1, 3, 5]
    place = bisect.bisect_left(bounds, n)
    bisect.insort(bounds, n)
    return place, bisect.bisect(bounds, n), bounds


@case(inputs=BOTH)
def shallow_and_deep_copies(x):
    """copy.copy shares the items, copy.deepcopy does not; tensors in them too."""
    inner = [1]
    items = [inner, x.clone()]
    shallow, deep = copy.copy(items), copy.deepcopy(items)
    inner.append(2)
    items[1] += 1
    if x.sum() > 0:
        shallow.append("more")
    return items, shallow, deep


@case(inputs=BOTH)
def operator_functions(x):
    """operator.itemgetter, attrgetter, add, mul as keys and reducers."""
    rows = [("a", 2), ("b", 1)]
    ordered = sorted(rows, key=operator.itemgetter(1))
    product = functools.reduce(operator.mul, [x, x, 2])
    if operator.gt(x.sum(), 0):
        product = operator.add(product, 1)
    return ordered, product, operator.attrgetter("shape")(x)


@case(inputs=BOTH, refused="DYCL046")
def warnings_and_logs(x):
    """warnings.warn and logging calls stay on the host."""
    if x.sum() > 0:
        warnings.warn("corpus: positive sum", stacklevel=2)
        logger.info("sum %s", x.sum())
        return x
    warnings.warn(f"corpus: negative in {x.shape[0]} rows", UserWarning)
    return -x


@case(inputs=[(torch.tensor([1, 2, 1]),), (torch.tensor([0, 0, 5]),)])
def collections_at_run_time(tokens):
    """Counter, defaultdict, deque and OrderedDict filled with run-time numbers."""
    counts = Counter(tokens.tolist())
    places = defaultdict(list)
    recent = deque(maxlen=2)
    for i, token in enumerate(tokens.tolist()):
        places[token].append(i)
        recent.append(token)
        if token > 3:
            recent.appendleft(-1)
    ordered = OrderedDict(sorted(counts.items()))
    return counts.most_common(1), dict(places), list(recent), list(ordered), recent.popleft()


Exit = namedtuple("Exit", ["layer", "score"])


@case(inputs=BOTH)
def classic_namedtuple(x):
    """collections.namedtuple with run-time fields."""
    left = Exit(1, x.max().item()) if x.sum() > 0 else Exit(layer=2, score=0.0)
    layer, score = left
    return left, layer, left.score == score, left._asdict()


@functools.lru_cache(maxsize=None)
def _cached(n):
    return [n, n * 2]


@case(inputs=BOTH, may_refuse=True)
def cached_function(x):
    """functools.lru_cache over known arguments."""
    table = _cached(3)
    return x * table[1] if x.sum() > 0 else x


@case(inputs=BOTH, refused="DYCL059")
def single_dispatch(x):
    """functools.singledispatch chooses by type."""

    @functools.singledispatch
    def describe(value):
        return "other"

    @describe.register
    def _(value: int):
        return "int"

    @describe.register(torch.Tensor)
    def _(value):
        return "positive" if value.sum() > 0 else "negative"

    return describe(3), describe("s"), describe(x)


@case(inputs=[(POSITIVE,), (ZERO,)])
class CheckpointedBlock(nn.Module):
    """torch.utils.checkpoint calls its function."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def block(self, x):
        return self.layer(x) if x.sum() > 0 else x

    def forward(self, x):
        return torch.utils.checkpoint.checkpoint(self.block, x, use_reentrant=False)


@case(inputs=[(POSITIVE, 3600.0), (NEGATIVE, 3600.0), (MIXED, 3600.0), (POSITIVE, -1.0)])
def time_limit(rows, seconds):
    """A clock is read where the program reads it: a search that ends in time, and how long it took."""
    start = time.time()
    kept = []
    for row in rows:
        if row.sum() > 0:
            kept.append(row * 2)
        if (time.time() - start) > seconds:
            break
    return kept, time.time() >= start


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def clocks_in_a_loop(x):
    """Each iteration of a loop reads the clocks anew."""
    times = [time.perf_counter_ns()]
    while x.sum() > 0:
        x = x - 1
        times.append(time.perf_counter_ns())
    ordered = times == sorted(times)
    return x, ordered, len(times), type(time.monotonic()) is float


@case(inputs=BOTH)
def whether_it_is_logged(x):
    """What a logger writes down is asked where the host runs"""
    log = logging.getLogger("a.quiet.library")
    if log.isEnabledFor(logging.ERROR):  # known
        x = x + 1
    if log.isEnabledFor(level=logging.DEBUG) and x.sum() > 0:  # known
        log.debug("sum %s", x.sum().item())  # never
    return x, log.getEffectiveLevel() > logging.DEBUG
