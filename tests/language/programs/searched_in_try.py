"""Lists of run-time content in a `try`: searched by `index`, `count` and `in`, and cut."""

from collections import deque

import torch

from tests.language.harness import case

TOKENS = [torch.tensor(x) for x in ([1, 2, 3, 5], [5, 2, 3, 5], [1, 1, 3, 5], [1, 1, 3, 4])]


@case(inputs=[(x, 4) for x in TOKENS] + [(TOKENS[2], 1)])
def cut_at_stop_tokens(x, length):
    """Generated tokens are cut at the first stop token, if there is one."""
    tokens = x.tolist()[:length]
    for stop in (2, 5):
        try:
            tokens = tokens[: tokens.index(stop)]
        except ValueError:
            pass
    return tokens


@case(inputs=[(x, x[n].item()) for x in TOKENS for n in (0, 2)] + [(TOKENS[0], 7)])
def words_of_the_error(x, wanted):
    """What is missing is in the text of the error."""
    tokens = x.tolist()
    if x.sum() > 11:
        tokens = tokens[:wanted]
    try:
        return tokens.index(wanted), tokens.count(wanted)
    except ValueError as error:
        return str(error), wanted in tokens


@case(inputs=[(x, n) for x in TOKENS for n in (2, 3)])
def other_sequences(x, wanted):
    """Tuples and deques have words of their own."""
    rest = deque(x.tolist())
    while rest[0] < 3:
        rest.popleft()
    try:
        return rest.index(wanted)
    except ValueError as error:
        words = str(error)
    try:
        return tuple(rest).index(wanted)
    except ValueError as error:
        return words, str(error)


@case(inputs=[(TOKENS[0], 2), (TOKENS[0], 0), (TOKENS[1], -1)])
def steps_of_run_time(x, step):
    """A step of 0 is an error, and which step it is shows at run time."""
    tokens = x.tolist()
    try:
        return tokens[::step]
    except ValueError:
        return step


@case(inputs=[(x, n) for x in TOKENS for n in (2, 3, 4)])
def made_of_others(x, wanted):
    """Lists, tuples and sets of what there is are made, and put together, before the search."""
    tokens = x.tolist()
    while tokens[0] < 3:
        tokens.pop(0)
    try:
        shown = [*tokens, 9] + list(tokens)
        copied = tokens.copy()
        copied.append(len({wanted, len(tokens)}))
        return shown, copied, shown.index(wanted)
    except ValueError:
        return tokens
