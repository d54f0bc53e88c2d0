"""Where a piece of the program comes from in the user's source."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A span of one source line, and the calls through which it was reached.

    Positions are read once from the libcst tree and carried from then on, because
    libcst positions do not survive a rewrite of the tree.
    """

    file: str
    """Path of the user's file as given to Python (``code.co_filename``)."""
    line: int
    """1-based line."""
    column: int
    """0-based column of the first character."""
    end_column: int
    """0-based column after the last character; on the same line, or the line's end."""
    text: str
    """The source line itself, without its newline."""
    function: str
    """Qualified name of the function that contains the span (``SkipNet.forward``)."""
    inlined_at: tuple["Origin", ...] = ()
    """Call sites through which the function was inlined, innermost first.

    Each without those of its own, which follow it: origins are compared and hashed often.
    """

    @property
    def place(self) -> str:
        """Return ``file:line``, as written in comments of generated code."""
        return f"{self.file}:{self.line}"

    @property
    def sites(self) -> tuple["Origin", ...]:
        """Return the span itself and its call sites, as what is called here has them."""
        return (replace(self, inlined_at=()), *self.inlined_at)


def innermost(sites: tuple[Origin, ...]) -> Origin:
    """Return the first of some call sites, which the others lead to."""
    return replace(sites[0], inlined_at=sites[1:])
