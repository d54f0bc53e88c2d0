"""Exceptions that depend on run-time values, inside a `try`, `with` or `finally` that ends them."""

import torch
from torch.nn import functional

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
NUMBERS = [(POSITIVE, 1), (POSITIVE, 0)]
INDICES = [(POSITIVE, torch.tensor([0, 1])), (POSITIVE, torch.tensor([0, 5]))]


WRONG = [*INDICES, (POSITIVE, torch.tensor([-1, 0])), (POSITIVE, torch.tensor([-9, 0]))]


@case(inputs=WRONG)
def index_out_of_range_caught(x, index):
    """An index that may be out of range, inside `except IndexError`: tested before."""
    try:
        return x[index]
    except IndexError:
        return "fallback"


@case(inputs=WRONG)
def embedding_out_of_range_caught(x, index):
    """A lookup that may be out of range, inside `except Exception`."""
    try:
        return functional.embedding(index, x)
    except Exception:
        return "fallback"


@case(inputs=WRONG, messages=False)
def places_out_of_range_of_sums(x, index):
    """Sums at places: a clause finds out what was wrong, and raises another error, or the same."""
    try:
        sums = torch.zeros(2, 3).scatter_add_(0, index.view(-1, 1).expand(-1, 3), x[:2])
        return sums, x.gather(1, index.expand(x.shape[0], 2)), x.index_select(0, index)
    except (IndexError, RuntimeError) as error:
        if index.numel() > 0 and int(index.max()) >= 2:  # known
            raise ValueError(f"{int(index.max())} of 2") from error
        raise error


@case(inputs=WRONG, refused="DYCL063")
def index_out_of_range_shown(x, index):
    """The text of an error depends on which place was found first."""
    try:
        return x[index], ""  # <- refused
    except IndexError as error:
        return x, str(error)


@case(inputs=WRONG)
def index_out_of_range_in_rounds(x, index):
    """Places that may be out of range in a loop: those before are kept"""
    rows = []
    for place in index:
        try:
            rows.append(x.index_select(0, place.view(1)))
        except IndexError:
            rows.append(torch.zeros(1, 3))
            continue
        if rows[-1].sum() > 1e9:  # known
            break  # never
    return torch.cat(rows)


class Quiet:
    """Ends every exception."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


class Timed:
    """Notes that its body was left."""

    def __enter__(self):
        self.left = 0
        return self

    def __exit__(self, *error):
        self.left = 1


@case(inputs=NUMBERS)
def division_by_zero_swallowed(x, n):
    """A run-time exception ends in a context manager."""
    y = 5
    with Quiet():
        y = 1 / n
    return y, x


@case(inputs=NUMBERS)
def division_by_zero_passes(x, n):
    """A context manager whose __exit__ returns nothing lets exceptions pass."""
    with Timed() as timed:
        y = 1 / n
    return y, timed.left, x


@case(inputs=NUMBERS)
def division_by_zero_overtaken(x, n):
    """A return in finally ends a run-time exception."""
    try:
        y = 1 / n
    finally:
        return 3  # noqa: B012


@case(inputs=BOTH)
def cause_of_an_exception(x):
    """`raise ... from` keeps the cause."""
    try:
        if x.sum() > 0:
            try:
                raise KeyError("inner")
            except KeyError as error:
                raise RuntimeError("outer") from error
    except RuntimeError as error:
        return str(error), type(error.__cause__).__name__, str(error.__cause__)
    return x


@case(inputs=BOTH)
def error_of_pytorch_in_its_own_words(x):
    """The text of an error that PyTorch raises for shapes."""
    try:
        return x @ x
    except RuntimeError as error:
        return str(error)


class Rejected(Exception):
    """Says more than its arguments."""

    def __str__(self):
        return f"rejected: {self.args[0]}"


@case(inputs=BOTH)
def text_of_exceptions(x):
    """str() of exceptions: with no, one and a missing key, and with a __str__ of its own."""
    texts = []
    for error in (ValueError(), ValueError("one"), KeyError("key"), Rejected(7)):
        try:
            if x.sum() > 0:
                raise error
            texts.append("")
        except Exception as caught:
            texts.append(str(caught))
            texts.append(f"{caught}!")
    return texts


class Misspelt:
    """Reads a name that nobody has bound, in a method."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        """Fail."""
        missing_name.close()  # type: ignore[name-defined]  # noqa: F821


@case(inputs=[(POSITIVE, 1), (POSITIVE, 0)])
def division_by_zero_replaced(x, n):
    """`__exit__` fails without a `raise`, in what it calls: that is what is caught."""
    try:
        with Misspelt():
            return 1 // n, x
    except NameError:
        return "misspelt"


WORDS = [(POSITIVE, 3), (POSITIVE, 300), (POSITIVE, -1)]


@case(inputs=WORDS)
def text_as_number_caught(x, n):
    """A text that may be no number."""
    text = str(n) if n > 5 else f"{n}e"
    try:
        return float(text)
    except ValueError:
        return 0.0


@case(inputs=WORDS, refused="DYCL063")
def number_too_large_caught(x, n):
    """A number that may not fit into the element type of a tensor."""
    try:
        return x, torch.tensor(n, dtype=torch.uint8)  # <- refused
    except RuntimeError:
        return x, None


@case(inputs=WORDS, refused="DYCL063")
def list_too_large_caught(x, n):
    """The same for a list known only at run time."""
    numbers = [i * 100 for i in range(n)]
    try:
        return x, torch.tensor(numbers, dtype=torch.uint8)  # <- refused
    except RuntimeError:
        return x, None


@case(inputs=WORDS, refused="DYCL063")
def stored_number_caught(x, n):
    """The same where it is written into a tensor."""
    bytes_ = torch.zeros(3, dtype=torch.uint8)
    try:
        bytes_[0] = n  # <- refused
    except RuntimeError:
        return x
    return bytes_


@case(inputs=[(torch.tensor([0, 2]),), (torch.tensor([0, 5]),)], refused="DYCL063")
def class_out_of_range_caught(labels):
    """A label may be none of the classes."""
    try:
        return functional.one_hot(labels, 4)  # <- refused
    except RuntimeError:
        return labels


@case(inputs=INDICES, messages=False)
def index_out_of_range_told_better(x, index):
    """A clause that only raises what it catches, or another of the class: the text is PyTorch's."""
    try:
        rows = functional.embedding(index, x)
        if index[1] == 1 and x[0, 0] > 1e9:  # known
            raise IndexError("negative")  # never
    except IndexError as error:
        raise IndexError(f"the table has {x.shape[0]} rows" f", {x.dtype}") from error
    try:
        return rows + x[index]
    except Exception:  # never
        raise  # never


@case(inputs=INDICES, messages=False)
def row_out_of_range_told_better(x, index):
    """A clause that tests what was wrong, and raises an IndexError in any case, or what it caught."""
    try:
        return x.index_select(0, index)
    except (IndexError, RuntimeError) as error:
        if index.numel() > 0 and index.min() < 0:  # known
            raise IndexError(f"negative: {index.min().item()}") from error  # never
        if index.numel() > 0 and index.max() >= x.size(0):  # known
            raise IndexError(f"{index.max().item()} above {x.size(0) - 1}") from error  # never
        raise error  # never


@case(inputs=WRONG, messages=False)
def place_out_of_range_told_better(x, index):
    """The same of an operation whose error is no IndexError: places are tested before."""
    try:
        return x.gather(0, index.view(-1, 1))
    except (IndexError, RuntimeError) as error:
        if index.numel() > 0 and index.max() >= x.size(0):  # known
            raise IndexError("above") from error
        raise error


@case(inputs=[*WRONG, (NEGATIVE, torch.tensor([7, 0]))])
def row_out_of_range_told_by_the_least(x, index):
    """A clause whose test may raise another error: places are tested before."""
    try:
        return x.index_select(0, index)
    except (IndexError, RuntimeError) as error:
        if x.min() < 0:
            raise IndexError("negative") from error
        raise


@case(inputs=INDICES, messages=False)
def index_out_of_range_of_another_class(x, index):
    """A clause that raises an error of another class."""
    try:
        return x[index]
    except IndexError as error:
        raise KeyError(f"the table has {x.shape[0]} rows") from error


@case(inputs=INDICES, messages=False)
def index_out_of_range_told_and_counted(x, index):
    """A clause that does more than raise."""
    try:
        return x[index]
    except IndexError:
        print("out of range")
        raise


@case(inputs=INDICES)
def index_out_of_range_caught_further_out(x, index):
    """What a clause only tells better is caught further out."""
    try:
        try:
            return x[index]
        except IndexError:
            raise IndexError("no such row") from None
    except IndexError:
        return x


@case(inputs=INDICES, refused="DYCL063")
def index_out_of_range_told_wrongly(x, index):
    """A clause that may raise another error where it makes the text."""
    try:
        return x[index]  # <- refused
    except IndexError as error:
        raise IndexError(f"{error.number} of {1 // (x.shape[0] - 4)}") from error


PLACES = [(torch.arange(4.0), torch.tensor(places)) for places in ([1, 2], [3, -4], [1, 4], [-5, 0])]


@case(inputs=PLACES)
def index_error_passes(x, index):
    """A wrong index ends the call: the clause for other errors, which looks at them, is passed by."""
    try:
        y = x[index] + functional.embedding(index % 4, x[:, None]).sum()
        return y * 2 if y[0] > 5 else y
    except RuntimeError as error:
        if "out of memory" in str(error):  # never
            return x  # never
        raise  # never


@case(inputs=PLACES)
def index_error_caught_further_out(x, index):
    """The clause around it catches the IndexError, and does not look at it."""
    try:
        try:
            y = x[index]
        except RuntimeError as error:
            return x, str(error)  # never
    except IndexError:
        return x * 2, "wrong"
    return y, "right"


@case(inputs=PLACES, refused="DYCL063")
def index_error_looked_at_further_out(x, index):
    """What the IndexError says is PyTorch's own."""
    try:
        try:
            y = x[index]  # <- refused
        except RuntimeError as error:
            return x, str(error)  # never
    except IndexError as error:
        return x * 2, str(error)  # never
    return y, "right"


def _put(x, index):
    rows = torch.zeros(4)
    rows[index] = x
    return rows * 2


PUT = [(torch.ones(2), torch.tensor(places)) for places in ([1, 2], [3, -4], [1, 4], [-5, 0])]


@case(inputs=PUT)
def write_out_of_range_caught(x, index):
    """Elements are written at places that may be wrong, into a tensor that the error takes along."""
    try:
        rows = _put(x, index)
    except IndexError:
        return x - 1
    return rows


@case(inputs=PUT, messages=False)
def write_out_of_range_told_better(x, index):
    """The clause says in other words which place was wrong."""
    try:
        return _put(x, index)
    except (IndexError, RuntimeError) as error:
        if int(index.max()) >= 4:
            raise ValueError(f"{int(index.max())} of 4") from error
        raise error


@case(inputs=PUT)
def sum_out_of_range_caught(x, index):
    """Sums into a tensor that nobody else holds."""
    try:
        return torch.zeros(4).scatter_add_(0, index, x)
    except RuntimeError:
        return x - 1


@case(inputs=PUT, refused="DYCL063")
def write_out_of_range_seen(x, index):
    """PyTorch has written some elements when it finds that a place is wrong."""
    rows = torch.zeros(4)
    try:
        rows[index] = x  # <- refused
    except IndexError:
        return rows - 1
    return rows


@case(inputs=PUT, refused="DYCL063")
def sum_out_of_range_seen(x, index):
    """So it has when places of sums are wrong."""
    rows = torch.zeros(4)
    try:
        rows.scatter_add_(0, index, x)  # <- refused
    except RuntimeError:
        return rows - 1
    return rows


@case(inputs=PUT, refused="DYCL063")
def write_out_of_range_seen_by_list(x, index):
    """A list of the caller's holds what the function writes."""
    kept = []

    def write():
        kept.append(torch.zeros(4))
        kept[0][index] = x  # <- refused

    try:
        write()
    except IndexError:
        return kept[0] - 1
    return kept[0]


@case(inputs=PUT, refused="DYCL063")
def write_out_of_range_seen_in_finally(x, index):
    """A clause of the function itself keeps what it has written."""
    kept = []

    def write():
        rows = torch.zeros(4)
        try:
            rows[index] = x  # <- refused
        finally:
            kept.append(rows)
        return rows

    try:
        return write()
    except IndexError:
        return kept[0] - 1


@case(inputs=PUT, refused="DYCL063")
def write_out_of_range_seen_by_expression(x, index):
    """Only the display that is being made holds what the call writes."""

    def write(rows):
        try:
            rows[index] = x  # <- refused
        except IndexError:
            return 0
        return 1

    def both(rows):
        return [rows, write(rows)]

    return both(torch.zeros(4))


@case(inputs=PUT, refused="DYCL063")
def write_out_of_range_by_two_indices(x, index):
    """Which of two indices is wrong is not found out before."""
    try:
        return torch.zeros(4, 4).index_put_((index, index), x)  # <- refused
    except IndexError:
        return x


MATRICES = [(x,) for x in (2 * torch.eye(2) + 0.1, -torch.eye(2), torch.zeros(2, 2), torch.eye(2) * 3)]


@case(inputs=MATRICES)
def factors_with_more_on_the_diagonal(x):
    """`except LinAlgError` catches what a matrix holds: it is asked whether there is a factor."""
    for power in range(3):
        try:
            return torch.linalg.cholesky(x + torch.eye(2) * 10**power)
        except torch.linalg.LinAlgError:
            pass
    return x  # never


@case(inputs=[(torch.stack(pair),) for pair in ((torch.eye(2), torch.eye(2) * 2),
                                                (torch.eye(2), -torch.eye(2)),
                                                (torch.zeros(2, 2), torch.eye(2) * torch.nan))],
      slow=True)
def why_there_is_no_factor(x):
    """The text says which matrix it is of several, and where it is found out."""
    try:
        return torch.linalg.cholesky(x, upper=True), ""
    except RuntimeError as error:
        return x, str(error)


@case(inputs=MATRICES, slow=True)
def singular_ones_are_left(x):
    """Inverses and solutions of what is singular; what is raised otherwise leaves the call."""
    found, texts = [x], []
    for invert in (torch.linalg.inv, torch.inverse, lambda x: torch.linalg.solve(x, x[0])):
        try:
            found.append(invert(x))
        except Exception as error:
            texts.append(str(error))
    return found, texts


@case(inputs=MATRICES, refused="DYCL063")
def singular_values_that_may_be_none(x):
    """Whether an algorithm converges is not asked before."""
    try:
        return torch.linalg.svdvals(x)  # <- refused
    except torch.linalg.LinAlgError:  # never
        return x  # never


@case(inputs=MATRICES, refused="DYCL063")
def losses_of_no_probabilities(x):
    """A loss raises for what is no probability."""
    try:
        return functional.binary_cross_entropy(x, x)  # <- refused
    except RuntimeError:
        return x


@case(inputs=[(torch.tensor([0, 1]),), (torch.tensor([0, 9]),)], refused="DYCL063")
def bags_out_of_range(places):
    """So does a bag of what is in no table."""
    try:
        return functional.embedding_bag(places[None], torch.eye(3))  # <- refused
    except RuntimeError:
        return places


@case(inputs=MATRICES, messages=False)
def errors_of_matrices_that_leave(x):
    """What is raised anew is still the same."""
    try:
        y = torch.linalg.inv(x)
    except torch.linalg.LinAlgError:
        raise
    return y if y.sum() > 0.5 else -y


@case(inputs=PLACES, refused="DYCL063")
def results_of_another_size_are_read(x, index):
    """What is given as `out=` has another size, and a part of the result, once the error is caught."""
    y = x * 1
    try:
        torch.gather(x, 0, index, out=y)  # <- refused
    except RuntimeError:
        return y
    return y  # never


@case(inputs=PLACES, messages=False)
def results_of_another_size_are_gone(x, index):
    """The same where nothing reads it then."""

    def gathered():
        y = x * 1
        torch.gather(x, 0, index, out=y)
        return y * 2

    try:
        return gathered()
    except RuntimeError:
        return x
