"""What dycl says when it refuses a program: coded, placed, and gathered before it is raised."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rewriter.advice import ADVICE
from rewriter.origin import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One reason why a program cannot be compiled soundly, at the user's own line."""

    code: str
    """``DYCLnnn``; every code is documented in ``docs/language.md``."""
    message: str
    origin: Origin | None
    help: str = ""
    """What the user can do instead; empty where the code's general advice fits."""

    def render(self) -> str:
        """Return the diagnostic as text: place, source line, caret, inlining stack, help."""
        if self.origin is None:
            lines = [f"{self.code}: {self.message}"]
        else:
            lines = _render_span(self.origin, f"{self.code}: {self.message}")
            lines += [
                f"  note: inlined at {site.file}:{site.line} ({site.text.strip()})"
                for site in self.origin.inlined_at
            ]
        if advice := self.help or ADVICE.get(self.code, ""):
            lines.append(f"  help: {advice}")
        return "\n".join(lines)


def _render_span(origin: Origin, headline: str) -> list[str]:
    width = max(1, min(origin.end_column, len(origin.text)) - origin.column)
    return [
        f"{origin.file}:{origin.line}:{origin.column + 1}: {headline}",
        f"{origin.line:5} | {origin.text}",
        f"      | {' ' * origin.column}{'^' * width}",
    ]


class CompileError(Exception):
    """The program was refused. Carries every independent diagnostic found."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(diagnostic.render() for diagnostic in self.diagnostics))


def each_once(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the first refusal of each kind at each place, however many paths reach it."""
    found: dict[object, Diagnostic] = {}
    for each in diagnostics:
        place = each.origin and (each.origin.file, each.origin.line, each.origin.column)
        found.setdefault((each.code, place), each)
    return tuple(found.values())


class DyclBug(Exception):
    """An invariant of dycl itself is broken. Never the user's fault."""
