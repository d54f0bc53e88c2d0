"""``bisect`` over lists of run-time numbers: by keys, and where what is looked for is a tensor."""

import bisect


def bisect_right(a, x, lo=0, hi=None, *, key=None):
    """Return where ``x`` would go, after what is equal to it."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            hi = middle
        else:
            lo = middle + 1
    return lo


def bisect_left(a, x, lo=0, hi=None, *, key=None):
    """Return where ``x`` would go, before what is equal to it."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


def insort_right(a, x, lo=0, hi=None, *, key=None):
    """Put ``x`` where it goes, after what is equal to it."""
    if key is None:
        a.insert(bisect.bisect_right(a, x, lo, hi), x)
    else:
        a.insert(bisect_right(a, key(x), lo, hi, key=key), x)


def insort_left(a, x, lo=0, hi=None, *, key=None):
    """Put ``x`` where it goes, before what is equal to it."""
    if key is None:
        a.insert(bisect.bisect_left(a, x, lo, hi), x)
    else:
        a.insert(bisect_left(a, key(x), lo, hi, key=key), x)
