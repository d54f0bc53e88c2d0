"""``operator`` in Python: each function is the operator that it is named after."""

import torch


def add(a, b, /):
    """``a + b``."""
    return a + b


def sub(a, b, /):
    """``a - b``."""
    return a - b


def mul(a, b, /):
    """``a * b``."""
    return a * b


def truediv(a, b, /):
    """``a / b``."""
    return a / b


def floordiv(a, b, /):
    """``a // b``."""
    return a // b


def mod(a, b, /):
    """``a % b``."""
    return a % b


def pow(a, b, /):
    """``a**b``."""
    return a**b


def matmul(a, b, /):
    """``a @ b``."""
    return a @ b


def lshift(a, b, /):
    """``a << b``."""
    return a << b


def rshift(a, b, /):
    """``a >> b``."""
    return a >> b


def and_(a, b, /):
    """``a & b``."""
    return a & b


def or_(a, b, /):
    """``a | b``."""
    return a | b


def xor(a, b, /):
    """``a ^ b``."""
    return a ^ b


def lt(a, b, /):
    """``a < b``."""
    return a < b


def le(a, b, /):
    """``a <= b``."""
    return a <= b


def eq(a, b, /):
    """``a == b``."""
    return a == b


def ne(a, b, /):
    """``a != b``."""
    return a != b


def ge(a, b, /):
    """``a >= b``."""
    return a >= b


def gt(a, b, /):
    """``a > b``."""
    return a > b


def is_(a, b, /):
    """``a is b``."""
    return a is b


def is_not(a, b, /):
    """``a is not b``."""
    return a is not b


def contains(a, b, /):
    """``b in a``."""
    return b in a


def getitem(a, b, /):
    """``a[b]``."""
    return a[b]


def concat(a, b, /):
    """``a + b``."""
    return a + b


def neg(a, /):
    """``-a``."""
    return -a


def pos(a, /):
    """``+a``."""
    return +a


def invert(a, /):
    """``~a``."""
    return ~a


def not_(a, /):
    """``not a``."""
    return not a


def truth(a, /):
    """``bool(a)``."""
    return bool(a)


def iadd(a, b, /):
    """``a += b``, and what ``a`` is then."""
    a += b
    return a


def isub(a, b, /):
    """``a -= b``, and what ``a`` is then."""
    a -= b
    return a


def imul(a, b, /):
    """``a *= b``, and what ``a`` is then."""
    a *= b
    return a


def itruediv(a, b, /):
    """``a /= b``, and what ``a`` is then."""
    a /= b
    return a


def ifloordiv(a, b, /):
    """``a //= b``, and what ``a`` is then."""
    a //= b
    return a


def imod(a, b, /):
    """``a %= b``, and what ``a`` is then."""
    a %= b
    return a


def ipow(a, b, /):
    """``a **= b``, and what ``a`` is then."""
    a **= b
    return a


def imatmul(a, b, /):
    """``a @= b``, and what ``a`` is then."""
    a @= b
    return a


def ilshift(a, b, /):
    """``a <<= b``, and what ``a`` is then."""
    a <<= b
    return a


def irshift(a, b, /):
    """``a >>= b``, and what ``a`` is then."""
    a >>= b
    return a


def iand(a, b, /):
    """``a &= b``, and what ``a`` is then."""
    a &= b
    return a


def ior(a, b, /):
    """``a |= b``, and what ``a`` is then."""
    a |= b
    return a


def ixor(a, b, /):
    """``a ^= b``, and what ``a`` is then."""
    a ^= b
    return a


def iconcat(a, b, /):
    """``a += b``, and what ``a`` is then."""
    a += b
    return a


def setitem(a, b, c, /):
    """``a[b] = c``."""
    a[b] = c


def delitem(a, b, /):
    """``del a[b]``."""
    del a[b]


def index(a, /):
    """``operator.index``."""
    if isinstance(a, int):
        return a
    if isinstance(a, torch.Tensor):
        if a.dtype.is_floating_point or a.dtype.is_complex or a.numel() != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(a)
    if not hasattr(type(a), "__index__"):
        raise TypeError(f"'{type(a).__name__}' object cannot be interpreted as an integer")
    return a.__index__()
