"""``warnings.catch_warnings()``: which of its own warnings a program shows."""

import warnings

import numpy as np

from tests.language.harness import NEGATIVE, POSITIVE, ZERO, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


class _OwnWarning(UserWarning):
    pass


@case(inputs=BOTH)
def ignored_inside(x):
    """What is given inside is not shown; afterwards it is again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if x.sum() > 0:
            warnings.warn("corpus: inside")
            x = x + 1
    warnings.warn("corpus: after")
    return x


@case(inputs=BOTH)
def ignored_by_class(x):
    """Filters of a class: the last that was set is asked first, inner ones before outer ones."""
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        warnings.warn("corpus: user")
        warnings.warn("corpus: deprecated", DeprecationWarning)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=DeprecationWarning)
            if x.sum() > 0:
                warnings.warn("corpus: deprecated, inside", category=DeprecationWarning)
                warnings.warn(UserWarning("corpus: an object"))
                warnings.warn(_OwnWarning("corpus: a user's object"))
        warnings.warn("corpus: deprecated, again", DeprecationWarning)
    return x


@case(inputs=BOTH)
def ignored_by_text(x):
    """Filters of a text ask how it begins."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="CORPUS: [ab]")
        if x.sum() > 0:
            warnings.warn("corpus: a")
        warnings.warn("corpus: c")
    return x


@case(inputs=BOTH)
def filter_of_one_path(x):
    """A filter that only one path has set."""
    with warnings.catch_warnings():
        if x.sum() > 0:
            warnings.simplefilter("ignore")
        warnings.warn("corpus: sometimes")
        x = x * 2
    return x


@case(inputs=BOTH)
def ignored_in_loops(x):
    """Within loops that the host runs."""
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(int(x.abs().sum())):
            warnings.warn("corpus: in turn")
            count += 1
    for _ in range(int(x.abs().sum())):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.warn("corpus: in turn")
        count += 1
    return count


@case(inputs=BOTH, refused="DYCL045")
def recorded(x):
    """Libraries' warnings would be among those recorded."""
    with warnings.catch_warnings(record=True) as caught:  # <- refused
        if x.sum() > 0:
            warnings.warn("corpus: recorded")
    return x, len(caught)


class _Fields:
    """As detectron2 has them."""

    def __init__(self):
        self.fields = {}

    def set(self, name, value):
        with warnings.catch_warnings(record=True):
            size = len(value)
        self.fields[name] = value
        return size


@case(inputs=BOTH)
def recorded_for_nobody(x):
    """Nobody looks at what is recorded, and the program gives none."""
    fields = _Fields()
    if x.sum() > 0:
        fields.set("positive", x[x > 0])
    return fields.set("all", x), len(fields.fields)


@case(inputs=BOTH, refused="DYCL045")
def given_for_nobody(x):
    """What the program gives itself would be shown at another time, or never."""
    with warnings.catch_warnings(record=True):
        if x.sum() > 0:
            warnings.warn("corpus: for nobody")  # <- refused
    return x


@case(inputs=BOTH, refused="DYCL045")
def warnings_as_errors(x):
    """Libraries' warnings would be errors, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # <- refused
        return x + 1


@case(inputs=BOTH, refused="DYCL045")
def set_for_good(x):
    """The filter stays when the call is over."""
    warnings.simplefilter("ignore")  # <- refused
    return x + 1


@case(inputs=BOTH, refused="DYCL045")
def text_of_the_run(x):
    """A filter asks for a text that only runs know."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="corpus: 1")
        warnings.warn(f"corpus: {int(x.sum())}")  # <- refused
    return x


@case(inputs=BOTH, refused="DYCL064")
def entered_twice(x):
    """A manager of warnings can be entered once."""
    manager = warnings.catch_warnings()
    with manager:
        x = x + 1
    with manager:  # <- refused
        return x  # never


def _counted(n):
    if n > 0:
        warnings.warn("corpus: deeper")  # <- refused
        return _counted(n - 1) + 1
    return 0


@case(inputs=BOTH, refused="DYCL045")
def within_recursion(x):
    """A function that the host calls may be called with other filters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _counted(int(x.sum()))


@case(inputs=[*BOTH, (ZERO,)])
def warnings_of_numpy(x):
    """What numpy would say of numbers is not said inside, unless it is of another class."""
    numbers = x.numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=UserWarning)
        first = np.log(numbers)
        warnings.filterwarnings("ignore", message="divide by zero")
        second = np.log(np.abs(numbers) + first * 0)
        warnings.simplefilter("ignore", category=RuntimeWarning)
        if x.sum() > 0:
            second = second + np.sqrt(-numbers)
        third = 1 / numbers + second
    return first, second, third, np.sqrt(numbers)
