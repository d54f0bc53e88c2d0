"""Random programs mean the same after every step on the way to readable text."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from rewriter.printing import drafting, nesting
from rewriter.printing.block_simplification import simplify_blocks
from rewriter.printing.cleaning import clean
from rewriter.printing.conditions import join_conditions
from rewriter.printing.naming import name_variables
from rewriter.printing.nesting import nest_temporaries
from rewriter.printing.program_text import print_program, runnable
from rewriter.program import Function, RewrittenProgram
from tests.rewriter.interpreting import Interpreter, Log, Outcome, observe
from tests.rewriter.random_programs import arguments, random_program

RUNS = 5


def log_of(program: RewrittenProgram) -> Log:
    """Return what the program's ``note`` writes to."""
    log = getattr(program.knowns["note"].value, "__self__", None)
    assert isinstance(log, Log)
    return log


def interpreted(program: RewrittenProgram, function: Function, seed: int) -> list[Outcome]:
    """Return what can be seen of a function's runs, block by block."""
    known = {name: reference.value for name, reference in program.knowns.items()}

    def run(numbers: tuple[int, ...]) -> object:
        return Interpreter(function, dict(known)).run(*numbers)

    return [observe(lambda n=n: run(n), log_of(program)) for n in arguments(seed, RUNS)]  # type: ignore[misc]


def executed(program: RewrittenProgram, seed: int) -> list[Outcome]:
    """Return what can be seen of the printed text's runs."""
    function = runnable(program)
    return [observe(lambda n=n: function(*n), log_of(program)) for n in arguments(seed, RUNS)]  # type: ignore[misc]


def length(_: object) -> int:
    """Measure every expression as short, so that all that may be nested is nested."""
    return 1


def named(function: Function) -> Function:
    return simplify_blocks(name_variables(function))


STEPS: dict[str, Callable[[Function], Function]] = {
    "clean": clean,
    "name": named,
    "clean and name": lambda f: named(clean(f)),
    "nest": lambda f: nest_temporaries(clean(f), length),
    "all": lambda f: join_conditions(named(nest_temporaries(clean(f), length)), length),
}


def _mostly_slow(seeds: range) -> list[Any]:
    """Return the seeds, of which one is tested each time, and all of them with all tests."""
    return [seeds[0], *(pytest.param(seed, marks=pytest.mark.slow) for seed in seeds[1:])]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("first", _mostly_slow(range(0, 90, 30)))
def test_each_step_keeps_the_meaning(step: str, first: int) -> None:
    for seed in range(first, first + 30):
        program = random_program(seed, 35)
        after = STEPS[step](program.entry)
        expected = interpreted(program, program.entry, seed)
        assert interpreted(program, after, seed) == expected, f"seed {seed}"


@pytest.mark.parametrize("first", _mostly_slow(range(0, 300, 50)))
def test_the_text_keeps_the_meaning(first: int) -> None:
    for seed in range(first, first + 50):
        program = random_program(seed, 30 if seed % 3 else 80)
        expected = interpreted(program, program.entry, seed)
        assert executed(program, seed) == expected, f"seed {seed}"


@pytest.mark.parametrize("limit", ["MAX_NESTED_JOINS", "MAX_DEPTH"])
def test_the_forms_for_deep_graphs_keep_the_meaning(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafting, limit, 1 if limit == "MAX_DEPTH" else 0)
    monkeypatch.setattr(nesting, "MAX_WIDTH", 500)
    for seed in range(1000, 1060):
        program = random_program(seed, 50)
        expected = interpreted(program, program.entry, seed)
        assert executed(program, seed) == expected, f"seed {seed}"


def test_the_programs_take_many_ways() -> None:
    """The property above is worth little if the programs hardly do anything."""
    programs = [random_program(seed, 35) for seed in range(60)]
    outcomes = [
        outcome
        for seed, program in enumerate(programs)
        for outcome in interpreted(program, program.entry, seed)
    ]
    results = [outcome.result for outcome in outcomes]
    assert sum(result == "stopped" for result in results) > 20
    assert sum(isinstance(result, tuple) for result in results) > 150
    assert sum(isinstance(result, str) and "ValueError" in result for result in results) > 5
    assert len({outcome.log for outcome in outcomes}) > 120
    texts = [print_program(random_program(seed, 80)) for seed in range(60)]
    forms = "while |break|continue|elif |else:|leave_1|runs once| and | or "
    for form in forms.split("|"):
        assert any(form in text for text in texts), form
    assert any(re.search(r"^ *\w+, \w+ = \w+, \w+$", text, re.M) for text in texts), "no swap"


def test_the_text_does_not_change_from_one_time_to_the_next() -> None:
    for seed in range(20):
        assert print_program(random_program(seed, 40)) == print_program(random_program(seed, 40))
