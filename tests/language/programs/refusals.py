"""Programs that no version of dycl may take: each is refused at the marked line."""

import os
import threading
import time

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
COUNTER = 0
SEEN = []


@case(inputs=BOTH, refused=True)
def global_deleted(x):
    """A global variable is deleted."""
    global COUNTER
    COUNTER = 1
    del COUNTER  # <- refused
    return x if x.sum() > 0 else -x


@case(inputs=BOTH, refused=True)
def functions_in_a_global_list(x):
    """A list of the module gets a function of the call: nothing of that can be kept."""
    SEEN.append(lambda: x)  # <- refused
    return x if x.sum() > 0 else -x


@case(inputs=BOTH, refused=True)
def input_from_user(x):
    """input() is asked under a dynamic test that the inputs do not take."""
    if x.sum() > 1e9:  # known
        name = input("name? ")  # never  # <- refused
        return x, name  # never
    return x


@case(inputs=BOTH, refused=True)
def file_is_written(x):
    """A file is opened for writing."""
    if x.sum() > 1e9:  # known
        with open("/dev/null", "w") as file:  # never  # <- refused
            file.write("x")  # never
    return x


@case(inputs=BOTH, refused=True)
def environment_is_read(x):
    """The environment is written."""
    os.environ["DYCL_CORPUS"] = "1"  # <- refused
    return x if x.sum() > 0 else -x


@case(inputs=BOTH, refused=True)
def thread_is_started(x):
    """A thread is started."""
    thread = threading.Thread(target=lambda: None)  # <- refused
    thread.start()
    return x if x.sum() > 0 else -x


@case(inputs=BOTH, refused=True)
def waiting(x):
    """The program waits."""
    time.sleep(0.001)  # <- refused
    return x if x.sum() > 0 else -x


@case(inputs=BOTH, refused=True)
def await_something(x):
    """A coroutine is made."""

    async def work():
        return x  # never

    task = work()  # <- refused
    task.close()
    return x if x.sum() > 0 else -x


@case(inputs=BOTH, refused=True)
def exec_of_text(x):
    """Code is made from text at run time."""
    scope = {"x": x}
    exec("y = x * 2", scope)  # <- refused
    return scope["y"] if x.sum() > 0 else x


@case(inputs=BOTH, refused=True)
def locals_are_read(x):
    """locals() is asked for the frame."""
    scale = 2
    return x * locals()["scale"] if x.sum() > 0 else scale  # <- refused


@case(inputs=BOTH, refused=True)
def class_attribute_write(x):
    """A function is stored in a class: it outlives the call."""
    Marker.hits = lambda self: 1  # <- refused
    return x if x.sum() > 0 else -x


class Marker:
    """Holds a number."""

    hits = 0


@case(inputs=BOTH, refused=True)
class GradientInForward(nn.Module):
    """Gradients with regard to weights are computed within the call."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        with torch.enable_grad():
            leaf = x.detach().requires_grad_()
            (slope,) = torch.autograd.grad(self.layer(leaf).sum(), self.layer.bias)  # <- refused
        return slope if x.sum() > 0 else x


@case(inputs=BOTH, refused=True)
class BackwardInForward(nn.Module):
    """backward() writes gradients."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        with torch.enable_grad():
            self.layer(x).sum().backward()  # <- refused
        return x if x.sum() > 0 else -x


@case(inputs=BOTH, refused=True)
def model_is_made_at_run_time(x):
    """A layer with random weights is made in the call."""
    layer = nn.Linear(3, 3)  # <- refused
    return layer(x).shape if x.sum() > 0 else x


@case(inputs=BOTH, refused=True)
def seed_is_set(x):
    """The global seed is written."""
    torch.manual_seed(0)  # <- refused
    return x if x.sum() > 0 else -x


@case(inputs=BOTH, refused=True)
def identity_number(x):
    """id() of a run-time object has no meaning on the host."""
    return id(x) > 0, x if x.sum() > 0 else -x  # <- refused


@case(inputs=BOTH, refused=True, factory=True)
def extension_object():
    """An object of unknown C code with effects is called."""
    import itertools

    counter = itertools.count()

    def forward(x):
        number = next(counter)  # <- refused
        return x if x.sum() > 0 else -x, number * 0

    return forward


@case(inputs=BOTH, refused=True)
def returns_a_function(x):
    """A function as a result cannot leave the host."""
    if x.sum() > 0:
        return lambda: x  # <- refused
    return None


@case(inputs=BOTH, refused=True)
def returns_a_generator(x):
    """A generator as a result cannot leave the host."""
    return (row for row in x if row.sum() > 0)  # <- refused
