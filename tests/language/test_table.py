"""``docs/language.md`` has a line for each program of the corpus, with an outcome it may have."""

import re
from importlib import import_module

from tests.language import programs
from tests.language.harness import Case, all_cases
from tests.language.table import DOCUMENT, NOTED, TAKEN, cell, documented, title

TOLD = documented(DOCUMENT.read_text(encoding="utf-8"))
REFUSED = re.compile(r"(rewritten; its host is )?refused: DYCL\d{3}(, DYCL\d{3})*")


def key(case: Case) -> tuple[str, str]:
    """Return under which title and words a case is documented."""
    return title(import_module(f"{programs.__name__}.{case.topic}")), cell(case.rule)


def test_every_program_is_documented_and_nothing_else() -> None:
    """Renew it with ``python -m tests.language.table --write``."""
    assert set(TOLD) == {key(case) for case in all_cases()}


def test_outcomes_are_those_that_the_corpus_allows() -> None:
    """A program that must be refused is refused, with its code if it names one."""
    wrong = []
    for case in all_cases():
        told = TOLD[key(case)]
        assert told in (TAKEN, NOTED) or REFUSED.fullmatch(told), told
        code = case.refused_on_host if isinstance(case.refused_on_host, str) else "refused"
        if case.refused_on_host and code not in told:
            wrong.append((case.name, told))
    assert wrong == []
