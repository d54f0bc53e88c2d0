"""Python that is not evaluated, and limits on what is."""

from tests.refusals.harness import N, X, refused


@refused("DYCL001")
def class_in_a_function(x):
    class Pair:
        first = x

    return Pair.first


@refused("DYCL002")
def generator(x):
    def halves(t):
        print((yield t / 2))

    return next(halves(x))


@refused("DYCL020", X, options={"most_paths": 4})
def too_many_structures(x):
    names = []
    for row in x.flatten():
        if row > 0:
            names.append({})
        else:
            names.append([])
    return x, len(names)


@refused("DYCL022", X, options={"most_statements": 20})
def too_long(x):
    for _ in range(50):
        x = x + 1
    return x


def descend(x, depth):
    if x.sum() > depth:
        return x
    return descend(x + 1, depth + 1)


@refused("DYCL023", X, options={"most_inlined_calls": 10})
def endless_recursion(x):
    return descend(x, 0)


@refused("DYCL024", X, options={"most_iterations": 100})
def long_loop(x):
    total = 0
    while total < 1000:
        total += 1
    return x * total


@refused("DYCL062", X, N)
def shape_changes_in_loop(x, n):
    for _ in range(n):
        x = x.unsqueeze(0)
    return x


class Count:
    """Counts as the number that it holds."""

    def __init__(self, number):
        self.number = number

    def __index__(self):
        return self.number


@refused("DYCL061", X, N)
def range_of_an_object(x, n):
    return sum(range(Count(n))) + x


@refused("DYCL073", X, N)
def run_time_list_of_mixed_elements(x, n):
    found = []
    for i in range(n):
        found.append(i)
    found.append("end")
    return found


@refused("DYCL074", X, 0.5)
def hidden_builtin(x, format):
    return x * format, f"{x.sum().item():.1f}"
