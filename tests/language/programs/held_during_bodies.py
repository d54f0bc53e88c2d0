"""Managers and generators that only a statement holds, while its body decides and loops."""

from contextlib import contextmanager

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

COUNTS = [(POSITIVE, 2), (NEGATIVE, 0), (POSITIVE, 1)]


class World:
    """Something that changes before, in and after the body of ``with``."""

    def __init__(self, speed):
        self.speed = speed
        self.steps = 0

    @contextmanager
    def substep(self, length):
        """Slow down after the body, whatever became of it."""
        try:
            yield length
        finally:
            self.speed = self.speed * 0.5

    def rows(self, x):
        """Yield multiples, and count."""
        doubled = x * 2
        for factor in range(3):
            self.steps += 1
            yield doubled * factor
        self.steps += 10


class Counter:
    """A manager that no variable holds."""

    def __init__(self):
        self.entered = 0

    def __enter__(self):
        self.entered += 1
        return self

    def __exit__(self, *exception):
        self.entered += 10
        return False


@case(inputs=COUNTS)
class DecidesInside(nn.Module):
    """A generator's `finally` runs after a body that tests a tensor."""

    def forward(self, x, count):
        world = World(x)
        with world.substep(0.5) as length:
            if x.sum() > 0:
                world.speed = world.speed + length
        return world.speed


@case(inputs=COUNTS)
class LoopsInside(nn.Module):
    """A loop of unknown length in the body, and the whole in another one."""

    def forward(self, x, count):
        world = World(x)
        while world.steps < count:
            with world.substep(0.5) as length:
                rounds = 0
                while rounds < count:
                    rounds += 1
                    world.speed = world.speed + length
            world.steps += 1
        return world.speed, world.steps


@case(inputs=[*COUNTS, (NEGATIVE, 2)])
def leaves_by_return(x, count):
    """A body that returns on some paths: the rest of the generator runs on all."""
    log = []

    @contextmanager
    def logged(name):
        log.append(name)
        try:
            yield
        finally:
            log.append(len(log))

    with logged("outer"), logged("inner"):
        for _ in range(count):
            if x.sum() > 1:
                log.append("early")
                return log
    return log


@case(inputs=[(POSITIVE, 1), (NEGATIVE, 0), (POSITIVE, 7)], messages=False)
def raises_through_finally(x, count):
    """What raises in a body goes through a generator that only cleans up."""
    world = World(x)
    with world.substep(2):
        picked = x[0][torch.tensor(count)] / (3 - count)
    return picked, world.speed


@contextmanager
def _forgiving(kind):
    try:
        yield
    except kind:  # never
        pass  # never


@case(inputs=[(POSITIVE, 1), (NEGATIVE, 0)], refused="DYCL063")
def raises_and_is_caught(x, count):
    """What raises in a body, depending on tensors, is caught by a generator."""
    picked = x[0, 0]
    with _forgiving(IndexError):
        picked = x[0][torch.tensor(count)]
    return picked


@case(inputs=COUNTS)
def walks_a_generator(x, count):
    """A loop of unknown length in the body of a loop over a generator."""
    world = World(x)
    total = x
    for row in world.rows(x):
        rounds = 0
        while rounds < count:
            rounds += 1
            total = total + row
        if total.sum() > 30:
            break
    return total, world.steps


@case(inputs=COUNTS)
def changes_a_manager(x, count):
    """The paths through the body leave a manager of the program's with other contents."""
    counter = Counter()
    seen = [counter]
    with counter:
        if x.sum() > 0:
            counter.entered = count
        else:
            counter.entered += 5
    return seen[0].entered


@case(inputs=COUNTS)
def unnamed_manager(x, count):
    """A manager without a name, whose end nothing asks for."""
    with Counter():
        while count < 5:
            count += 1
            if torch.sum(x) > count:
                break
    return count
