"""What differs between threads and contexts: the model is evaluated in a thread of its own."""

import contextvars
import decimal
import threading

from tests.language.harness import NEGATIVE, POSITIVE, case

SCALE = contextvars.ContextVar("scale", default=1.0)
SCALE.set(3.0)
LOCAL = threading.local()
LOCAL.offset = 2.0


class Settings(threading.local):
    """Made anew in each thread."""

    def __init__(self):
        self.is_on = True  # at import


SETTINGS = Settings()
SETTINGS.is_on = False


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def set_before(x):
    """A context variable has the value that it was set to before compiling"""
    return x * SCALE.get() if x.sum() > 0 else x * float(decimal.Decimal(1) / decimal.Decimal(4))


@case(inputs=[(POSITIVE,)], refused="DYCL039")
def read_of_a_thread(x):
    """An attribute that this thread alone has, with another value for all others"""
    return x + getattr(LOCAL, "offset", 100.0)  # <- refused


@case(inputs=[(POSITIVE,)], refused="DYCL039")
def asked_of_a_thread(x):
    """Settings of each thread"""
    return x + SETTINGS.is_on  # <- refused


@case(inputs=[(POSITIVE,)], refused="DYCL039")
def written_for_a_thread(x):
    """Settings of a thread are written"""
    LOCAL.last = 1  # <- refused
    return x + 1
