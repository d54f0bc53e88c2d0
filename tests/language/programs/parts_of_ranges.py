"""Elements, parts and bounds of ranges that are known only at run time."""

from tests.language.harness import case

SIZES = [(5,), (0,), (1,), (9,), (-3,)]


@case(inputs=SIZES)
def one_element(n):
    """From the front, from the end, and out of the range, where Python raises."""
    last = range(n)[-1] if n > 0 else None
    try:
        second = range(1, n, 2)[1]
    except IndexError as error:
        second = str(error)
    return last, second


@case(inputs=SIZES)
def of_a_known_range(n):
    """The index is known only at run time."""
    try:
        return range(10, 16, 2)[n], range(8)[n]
    except IndexError as error:
        return str(error)


@case(inputs=SIZES)
def a_part(n):
    """Slices, with bounds and steps of run time."""
    numbers = range(2, n + 4)
    parts = [numbers[1:], numbers[:n], numbers[::-1], numbers[-2:], numbers[n:1:-1]]
    return [list(part) for part in parts], len(numbers[1:-1])


@case(inputs=SIZES)
def bounds(n):
    """start, stop and step."""
    numbers = range(1, n)
    turned = numbers[::-2] if n > 0 else range(0)
    return numbers.start, numbers.stop, numbers.step, turned.start, turned.step


@case(inputs=SIZES)
def with_a_step_of_run_time(n):
    """The step of a slice is known only at run time; it must not be 0."""
    return list(range(0, 12)[::n]), range(0, 10, n)[0]


@case(inputs=SIZES)
def whether_there_is_anything(n):
    """A range is true where it has elements: down, up by steps, and of what is left"""
    down, steps, left = range(n, -2, -2), range(0, n, 3), range(2, n)
    rounds = 0
    while left:
        left, rounds = left[2:], rounds + 1
    return down[0] if down else None, not steps, list(steps or "none"), rounds


@case(inputs=SIZES)
def known_as_results(n):
    """Ranges that are known are results, also where paths have their own."""
    found = range(3) if n > 1 else range(2, 8, 2)
    return found, [range(0)], {"part": range(5)[1:3]}


@case(inputs=SIZES)
def open_as_result(n):
    """A range whose end is a number of run time."""
    return range(n)
