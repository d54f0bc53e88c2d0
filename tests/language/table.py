"""What is taken and what is refused, as a table: ``python -m tests.language.table --write``.

Rewrites and runs every program of the corpus and writes the section of ``docs/language.md``
between the markers; ``--check`` only says whether it is up to date. With names of topics only
their programs are run; of the others the document's rows stay.
"""

import argparse
import os
import sys
import warnings
from importlib import import_module
from pathlib import Path
from types import ModuleType

import torch

from tests.language import programs
from tests.language.harness import Case, all_cases, topics
from tests.language.verdicts import Verdict
from tests.language.ways import judge_rewritten, notes_of

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "language.md"
BEGIN = "<!-- begin: written by python -m tests.language.table -->"
END = "<!-- end -->"
TAKEN, NOTED = "taken", "taken, with a note"
HOST_REFUSED = "rewritten; its host is refused: "


def main() -> int:
    """Write or check the section."""
    parser = argparse.ArgumentParser(prog="python -m tests.language.table", description=__doc__)
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help="all where none is named")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--write", action="store_true", help="write docs/language.md")
    action.add_argument("--check", action="store_true", help="say whether it is up to date")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    cases = all_cases()
    text = DOCUMENT.read_text(encoding="utf-8")
    if unknown := sorted(set(arguments.topics) - set(topics())):
        parser.error(f"no topic is called {', '.join(unknown)}")
    known = documented(text) if arguments.topics else {}
    section = render(cases, [_outcome(case, arguments.topics, known) for case in cases])
    if arguments.write:
        DOCUMENT.write_text(with_section(text, section), encoding="utf-8")
    elif arguments.check:
        return _check(text, section)
    else:
        print(section)
    return 0


def _check(text: str, section: str) -> int:
    if with_section(text, section) == text:
        return 0
    before, after = section_of(text).splitlines(), section.splitlines()
    changed = [line for line in after if line not in before]
    print("docs/language.md is not up to date: python -m tests.language.table --write")
    print("\n".join(changed))
    return 1


def _outcome(case: Case, chosen: list[str], known: dict[tuple[str, str], str]) -> str:
    """Return the outcome of a program of a chosen topic, of another the document's."""
    if chosen and case.topic not in chosen:
        module = import_module(f"{programs.__name__}.{case.topic}")
        told = known.get((title(module), cell(case.rule)))
        if told is None:
            raise SystemExit(f"{DOCUMENT} does not have {case.name}: run the topic {case.topic}")
        return told
    return outcome(case)


def outcome(case: Case) -> str:
    """Rewrite and run one program; return what the table says about it."""
    found = outcome_of(case, judge_rewritten(case))
    if found != TAKEN:
        return found
    if case.refused_on_host:
        return f"{HOST_REFUSED}{case.refused_on_host}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return NOTED if notes_of(case) else TAKEN


def outcome_of(case: Case, verdict: Verdict) -> str:
    """Return what the table says about a verdict, notes left out."""
    if verdict.status == "agrees":
        return TAKEN
    if verdict.refusal is None:
        raise SystemExit(f"{case.name} {verdict.status}: {verdict.detail}")
    codes = dict.fromkeys(diagnostic.code for diagnostic in verdict.refusal.diagnostics)
    return "refused: " + ", ".join(sorted(codes))


def render(cases: tuple[Case, ...], outcomes: list[str]) -> str:
    """Return one table per file of the corpus."""
    lines: list[str] = []
    told = dict(zip((case.name for case in cases), outcomes, strict=True))
    for topic in topics():
        module = import_module(f"{programs.__name__}.{topic}")
        lines += [f"### {title(module)}", "", "| program | outcome |", "|---|---|"]
        lines += [
            f"| {cell(case.rule)} | {told[case.name]} |" for case in cases if case.topic == topic
        ]
        lines.append("")
    return "\n".join(lines)


def title(module: ModuleType) -> str:
    """Return the heading of a file of the corpus."""
    return (module.__doc__ or module.__name__).strip().splitlines()[0].rstrip(".")


def cell(rule: str) -> str:
    """Return a rule as it stands in a table."""
    return rule.replace("|", "\\|").rstrip(".")


def section_of(text: str) -> str:
    """Return what stands between the markers."""
    return text.partition(BEGIN + "\n")[2].partition(END)[0]


def with_section(text: str, section: str) -> str:
    """Return the document with another section between the markers."""
    head, begin, rest = text.partition(BEGIN + "\n")
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{DOCUMENT} has no markers: {BEGIN} and {END}")
    return head + begin + section + end + tail


def documented(text: str) -> dict[tuple[str, str], str]:
    """Return the outcome that a document gives, by title of the topic and rule."""
    found: dict[tuple[str, str], str] = {}
    heading = ""
    for line in section_of(text).splitlines():
        if line.startswith("### "):
            heading = line.removeprefix("### ")
        elif line.startswith("| ") and not line.startswith("| program"):
            rule, _, told = line.removeprefix("| ").removesuffix(" |").rpartition(" | ")
            found[heading, rule] = told
    return found


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
