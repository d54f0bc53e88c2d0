"""Options of the rewriter: one frozen dataclass."""

from dataclasses import dataclass, replace
from typing import TypeVar


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteOptions:
    """What the partial evaluator may do."""

    static_arguments: frozenset[str] = frozenset()
    """Number arguments fixed at compile time instead of being inputs."""
    run_time_lists: tuple[str, ...] = ()
    """List arguments, or lists in one (``batch.trees``), of any length."""
    most_paths: int = 64
    """Paths with different containers or objects kept apart at one point."""
    most_inlined_calls: int = 100
    """Depth of nested inlined calls."""
    most_statements: int = 100_000
    """Size of the rewritten program, with what is evaluated on the way and given up."""
    unroll: int = 16
    """Iterations up to which a loop over a range is unrolled though its body branches."""
    roll_early: bool = True
    """Whether loops of known turns are rolled where each turn leaves more paths, and unrolling them
    takes long. Where the program is refused then, they are unrolled."""
    most_iterations: int = 2_000
    """Iterations of one unrolled loop."""
    allow_random: bool = False
    """Whether random operations may be compiled (their results then differ per run)."""
    masks_to_branches: bool = False
    """Whether layers whose result is multiplied by a mask of zeros are skipped, by a branch, where
    that is provably the same. Calls of the user's modules are then taken apart."""
    few_structures: bool | None = None
    """Whether no more than a few paths stay apart on which containers differ: lists of several
    lengths then exist at run time only. None: where the program comes to much otherwise."""
    known_numbers: bool = False
    """Whether paths stay apart, while they are few, on which a variable is another known number.
    Tried by itself where a program is refused: what needs the number known can then have it."""
    known_texts: bool = False
    """Whether each of few texts that a value of run time chooses among gets a path of its own.
    Tried by itself where a program is refused, or tests such a text."""
    known_memory: bool = False
    """Whether paths stay apart, while they are few, on which a tensor has another one's memory.
    Tried by itself where a write in place is refused."""


Options = TypeVar("Options", bound=RewriteOptions)

_MOST_STATEMENTS = 20_000


def with_known_numbers(options: Options) -> Options:
    """Return options for another try of what is refused, which must not take much longer."""
    most = min(options.most_statements, _MOST_STATEMENTS)
    return replace(options, known_numbers=True, most_statements=most)


def with_known_texts(options: Options, most: int) -> Options:
    """Return options for another evaluation that has a path for each of few texts."""
    return replace(options, known_texts=True, most_statements=min(options.most_statements, most))


def with_known_memory(options: Options) -> Options:
    """Return options for another try of a program that is refused for what it writes."""
    most = min(options.most_statements, _MOST_STATEMENTS)
    return replace(options, known_memory=True, most_statements=most)
